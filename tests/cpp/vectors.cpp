#include "vectors.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#ifndef SQRTDK_VECTORS_DIR
#error "SQRTDK_VECTORS_DIR: the directory of the right values, as a string literal"
#endif

namespace sqrtdk::test {
namespace {

using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "test vectors: %s\n", what.c_str());
  std::abort();
}

// fopen, not ifstream: under node the file system is reached through plain POSIX calls only.
Json Load(const std::string& name) {
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
const Json& At(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) Fail(std::string("no field ") + key + " in " + object.dump().substr(0, 100));
  return *found;
}

double Number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) Fail("not a number: " + value.dump().substr(0, 100));
  const std::string text = value.get<std::string>();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') Fail("not a number: " + text);
  return number;
}

double Number(const Json& object, const char* key) { return Number(At(object, key)); }

double NumberOr(const Json& object, const char* key, double otherwise) {
  return object.contains(key) ? Number(object[key]) : otherwise;
}

int Integer(const Json& object, const char* key) { return static_cast<int>(Number(object, key)); }

std::size_t Size(const Json& object, const char* key) {
  return static_cast<std::size_t>(Integer(object, key));
}

std::string Text(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A list, or a list of rows laid one after the other.
std::vector<double> Numbers(const Json& object, const char* key) {
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

Estimate MeanAndError(const Json& object, const char* key) {
  if (!object.contains(key)) return {kNan, kNan};
  const std::vector<double> pair = Numbers(object, key);
  if (pair.size() != 2) Fail(std::string(key) + " is not a mean and its standard error");
  return {pair[0], pair[1]};
}

const Json& VarianceGammaFile() {
  static const Json json = Load("variance_gamma.json");
  return json;
}

const Json& EnsembleFile() {
  static const Json json = Load("ensemble.json");
  return json;
}

const Json& SoftmaxFile() {
  static const Json json = Load("softmax.json");
  return json;
}

// Every table: an array of objects, each turned into a struct by `convert`.
template <typename Row, typename Convert>
std::vector<Row> Table(const Json& rows, Convert convert) {
  std::vector<Row> table;
  for (const Json& row : rows) table.push_back(convert(row));
  if (table.empty()) Fail("an empty table would make its tests pass unseen");
  return table;
}

AttentionCase ToAttentionCase(const Json& c) {
  AttentionCase a{};
  a.name = Text(c, "name");
  a.queries = Size(c, "T");
  a.keys = Size(c, "n");
  a.key_dimension = Size(c, "d_k");
  a.value_dimension = Size(c, "d_v");
  a.scale = Text(c, "scale");
  a.scale_value = Number(c, "scale_value");
  const Json& causal = At(c, "causal");
  if (causal == "top-left") {
    a.causal = CausalAlignment::kTopLeft;
  } else if (causal == "bottom-right") {
    a.causal = CausalAlignment::kBottomRight;
  } else if (!causal.is_null()) {
    Fail("unknown causal alignment " + causal.dump());
  }
  const Json& softcap = At(c, "softcap");
  a.softcap = softcap.is_null() ? 0.0 : Number(softcap);
  if (!At(c, "mask").is_null()) {
    for (double allowed : Numbers(c, "mask")) a.mask.push_back(allowed != 0.0 ? 1 : 0);
  }
  a.q = Numbers(c, "Q");
  a.k = Numbers(c, "K");
  a.v = Numbers(c, "V");
  a.d_output = Numbers(c, "dO");
  a.scores = Numbers(c, "scores");
  a.p = Numbers(c, "P");
  a.log_sum_exp = Numbers(c, "lse");
  a.output = Numbers(c, "O");
  a.dq = Numbers(c, "dQ");
  a.dk = Numbers(c, "dK");
  a.dv = Numbers(c, "dV");
  a.d_scores = Numbers(c, "dS");
  a.loss = Number(c, "loss_sum_O_dO");
  a.dq_norm = Number(c, "norm_dQ");
  a.dk_norm = Number(c, "norm_dK");
  const std::size_t tn = a.queries * a.keys;
  if (a.q.size() != a.queries * a.key_dimension || a.k.size() != a.keys * a.key_dimension ||
      a.v.size() != a.keys * a.value_dimension || a.output.size() != a.queries * a.value_dimension ||
      a.scores.size() != tn || a.p.size() != tn || a.d_scores.size() != (a.softcap == 0.0 ? tn : 0) ||
      (!a.mask.empty() && a.mask.size() != tn)) {
    Fail("attention case \"" + a.name + "\" has a shape that does not fit");
  }
  return a;
}

EnsembleCase ToEnsembleCase(const Json& c) {
  const Json& exact = At(c, "exact");
  const Json& mc = At(c, "mc");
  const Json& median = At(c, "median");
  return {Integer(c, "n"),
          Number(c, "sigma"),
          Number(exact, "H"),
          Number(exact, "maxp"),
          Number(exact, "S2"),
          Number(exact, "S3"),
          Number(exact, "S2sq"),
          Number(exact, "trJ"),
          Number(exact, "F2"),
          Number(exact, "lnZ"),
          Integer(c, "trials"),
          MeanAndError(mc, "H"),
          MeanAndError(mc, "maxp"),
          MeanAndError(mc, "S2"),
          MeanAndError(mc, "F"),
          MeanAndError(mc, "trJ"),
          Number(median, "F"),
          Number(median, "maxp"),
          Number(median, "H"),
          Number(c, "frac_rows_F_lt_1e3"),
          Number(c, "f32_zero_frac_denormal"),
          Number(c, "f32_rows_pmax_eq_1")};
}

SharedQueryCase ToSharedQueryCase(const Json& c) {
  const Json& exact = At(c, "exact");
  const Json& mc = At(c, "mc");
  const int dimension = Integer(c, "d");
  const std::string scale = Text(c, "scale");
  if (scale != "none" && scale != "sqrt") Fail("unknown scale " + scale);
  return {Integer(c, "n"),
          dimension,
          scale,
          scale == "none" ? 1.0 : 1.0 / std::sqrt(dimension),
          Number(exact, "S2"),
          Number(exact, "H"),
          Number(exact, "trJ"),
          Number(exact, "F2"),
          MeanAndError(mc, "H"),
          MeanAndError(mc, "maxp"),
          MeanAndError(mc, "S2"),
          MeanAndError(mc, "F"),
          MeanAndError(mc, "trJ")};
}

}  // namespace

const std::vector<VarianceGammaPoint>& VarianceGammaPoints() {
  static const auto table = Table<VarianceGammaPoint>(At(VarianceGammaFile(), "points"), [](const Json& c) {
    return VarianceGammaPoint{Integer(c, "d"), Number(c, "x"),   Number(c, "z"),     Number(c, "pdf"),
                              Number(c, "sf"), Number(c, "cdf"), Number(c, "logpdf")};
  });
  return table;
}

const std::vector<VarianceGammaQuantile>& VarianceGammaQuantiles() {
  static const auto table = Table<VarianceGammaQuantile>(
      At(VarianceGammaFile(), "quantiles"),
      [](const Json& c) { return VarianceGammaQuantile{Integer(c, "d"), Number(c, "p"), Number(c, "x")}; });
  return table;
}

const std::vector<VarianceGammaMoments>& VarianceGammaMomentRows() {
  static const auto table =
      Table<VarianceGammaMoments>(At(VarianceGammaFile(), "moments"), [](const Json& c) {
        return VarianceGammaMoments{Integer(c, "d"),     Number(c, "ES2"), Number(c, "ES4"),
                                    Number(c, "ES6"),    Number(c, "ES8"), Number(c, "excess_kurtosis"),
                                    Number(c, "E_abs_S")};
      });
  return table;
}

const std::vector<NormalDistance>& NormalDistances() {
  static const auto table = Table<NormalDistance>(At(VarianceGammaFile(), "ks_to_normal"), [](const Json& c) {
    return NormalDistance{Integer(c, "d"), Number(c, "D"), Number(c, "at_z")};
  });
  return table;
}

const std::vector<ComponentLawCase>& ComponentLawCases() {
  static const auto table =
      Table<ComponentLawCase>(At(VarianceGammaFile(), "component_laws"), [](const Json& c) {
        return ComponentLawCase{Text(c, "law"),
                                Integer(c, "d"),
                                NumberOr(c, "component_excess_kurtosis", 0.0),
                                NumberOr(c, "mu_q", 0.0),
                                NumberOr(c, "mu_k", 0.0),
                                NumberOr(c, "sigma_q", 1.0),
                                NumberOr(c, "sigma_k", 1.0),
                                NumberOr(c, "rho", 0.0),
                                NumberOr(c, "mean_S", 0.0),
                                Number(c, "var_S"),
                                NumberOr(c, "excess_kurtosis_S", kNan),
                                NumberOr(c, "within_row_var", kNan),
                                Number(c, "mc_var"),
                                NumberOr(c, "mc_var_se", kNan),
                                NumberOr(c, "mc_excess_kurtosis", kNan)};
      });
  return table;
}

const std::vector<VarianceEstimatorCase>& VarianceEstimatorCases() {
  static const auto table = Table<VarianceEstimatorCase>(
      At(At(VarianceGammaFile(), "variance_estimator"), "cases"), [](const Json& c) {
        return VarianceEstimatorCase{Integer(c, "T"), Integer(c, "n"), Integer(c, "d"), Number(c, "rel_var"),
                                     Number(c, "naive_iid")};
      });
  return table;
}

const std::vector<EnsembleCase>& EnsembleCases() {
  static const auto table = Table<EnsembleCase>(At(EnsembleFile(), "iid"), ToEnsembleCase);
  return table;
}

const std::vector<SharedQueryCase>& SharedQueryCases() {
  static const auto table = Table<SharedQueryCase>(At(EnsembleFile(), "qk"), ToSharedQueryCase);
  return table;
}

const std::vector<ExpectedMaximumCase>& ExpectedMaximumCases() {
  static const auto table = Table<ExpectedMaximumCase>(At(EnsembleFile(), "m_n"), [](const Json& c) {
    return ExpectedMaximumCase{Integer(c, "n"), Number(c, "E_max")};
  });
  return table;
}

const std::vector<ExactCurve>& ExactCurves() {
  static const auto table = Table<ExactCurve>(At(EnsembleFile(), "exact_curves"), [](const Json& c) {
    return ExactCurve{Integer(c, "n"),  Numbers(c, "sigma"), Numbers(c, "S2"), Numbers(c, "H"),
                      Numbers(c, "F2"), Numbers(c, "maxp"),  Numbers(c, "lnZ")};
  });
  return table;
}

const std::vector<GradientCase>& GradientCases() {
  static const auto table = Table<GradientCase>(At(EnsembleFile(), "grad"), [](const Json& c) {
    return GradientCase{Integer(c, "d"),
                        Text(c, "scale"),
                        Integer(c, "n"),
                        Integer(c, "dv"),
                        Integer(c, "trials"),
                        MeanAndError(c, "dq_norm"),
                        MeanAndError(c, "dq_norm_sq"),
                        MeanAndError(c, "dS_norm"),
                        MeanAndError(c, "dK_fro_per_query"),
                        MeanAndError(c, "dK_fro_sq_per_query"),
                        Number(c, "dq_norm_median"),
                        Number(c, "dS_norm_median"),
                        Number(c, "frac_dq_lt_1pct_of_rms"),
                        Number(c, "top1pct_share_of_sq")};
  });
  return table;
}

const std::vector<SoftmaxCase>& SoftmaxCases() {
  static const auto table = Table<SoftmaxCase>(At(SoftmaxFile(), "cases"), [](const Json& c) {
    return SoftmaxCase{Text(c, "name"),
                       Numbers(c, "z"),
                       Numbers(c, "g"),
                       Numbers(c, "p"),
                       Numbers(c, "logp"),
                       Number(c, "lse"),
                       Number(c, "entropy"),
                       Number(c, "n_eff_exp_entropy"),
                       Number(c, "n_eff_inv_simpson"),
                       Number(c, "sum_p2"),
                       Number(c, "trace_J"),
                       Number(c, "one_minus_pmax"),
                       Number(c, "fro_J"),
                       Number(c, "norm_inf_J"),
                       Numbers(c, "Jg"),
                       NumberOr(c, "spec_J", NumberOr(c, "spec_J_float64", kNan))};
  });
  return table;
}

const std::vector<TwoKeyCase>& TwoKeyCases() {
  static const auto table = Table<TwoKeyCase>(At(SoftmaxFile(), "two_key"), [](const Json& c) {
    return TwoKeyCase{Number(c, "tau2"),      Number(c, "E_p1mp"), Number(c, "median_p1mp"),
                      Number(c, "E_entropy"), Number(c, "E_pmax"), Number(c, "prob_p1mp_lt_1e_3")};
  });
  return table;
}

const std::vector<AttentionCase>& AttentionCases() {
  static const auto table = [] {
    const Json json = Load("attention.json");
    return Table<AttentionCase>(At(json, "cases"), ToAttentionCase);
  }();
  return table;
}

}  // namespace sqrtdk::test
