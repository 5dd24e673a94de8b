// Reads the right values of vectors.h from their JSON files. Fails with a message: a file that is missing, or
// not as expected, ends the run.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cpp/vectors.h"

#ifndef SQRTDK_VECTORS_DIR
#error "SQRTDK_VECTORS_DIR: the directory of the right values, as a string literal"
#endif

namespace sqrtdk::test {

using Json = nlohmann::json;

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] inline void Fail(const std::string& what) {
  std::fprintf(stderr, "test vectors: %s\n", what.c_str());
  std::abort();
}

// fopen, not ifstream: under node the file system is reached through plain POSIX calls only.
inline Json Load(const std::string& name) {
  const std::string path = std::string(SQRTDK_VECTORS_DIR) + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) Fail("cannot open " + path);
  std::string text;
  char buffer[1 << 14];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  std::fclose(file);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) Fail(path + " is not JSON");
  return json;
}

// Built without exceptions, Json::at would abort without a word.
inline const Json& At(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) Fail(std::string("no field ") + key + " in " + object.dump().substr(0, 100));
  return *found;
}

inline double Number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) Fail("not a number: " + value.dump().substr(0, 100));
  const std::string text = value.get<std::string>();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') Fail("not a number: " + text);
  return number;
}

inline double Number(const Json& object, const char* key) { return Number(At(object, key)); }

inline double NumberOr(const Json& object, const char* key, double otherwise) {
  return object.contains(key) ? Number(object[key]) : otherwise;
}

inline int Integer(const Json& object, const char* key) { return static_cast<int>(Number(object, key)); }

inline std::size_t Size(const Json& object, const char* key) {
  return static_cast<std::size_t>(Integer(object, key));
}

inline std::string Text(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A list, or a list of rows laid one after the other.
inline std::vector<double> Numbers(const Json& object, const char* key) {
  std::vector<double> flat;
  for (const Json& row : At(object, key)) {
    if (row.is_array()) {
      for (const Json& value : row) flat.push_back(Number(value));
    } else {
      flat.push_back(Number(row));
    }
  }
  return flat;
}

inline Estimate MeanAndError(const Json& object, const char* key) {
  if (!object.contains(key)) return {kNoNumber, kNoNumber};
  const std::vector<double> pair = Numbers(object, key);
  if (pair.size() != 2) Fail(std::string(key) + " is not a mean and its standard error");
  return {pair[0], pair[1]};
}

// Every table: an array of objects, each turned into a struct by `convert`.
template <typename Row, typename Convert>
std::vector<Row> Table(const Json& rows, Convert convert) {
  std::vector<Row> table;
  for (const Json& row : rows) table.push_back(convert(row));
  if (table.empty()) Fail("an empty table would make its tests pass unseen");
  return table;
}

}  // namespace sqrtdk::test
