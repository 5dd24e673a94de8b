// What JavaScript passes for data: addresses in WebAssembly memory, and lengths. The caller owns all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sqrtdk {

using Address = std::uintptr_t;

template <class T>
T* At(Address address) {
  return reinterpret_cast<T*>(address);
}

template <class T>
std::span<T> SpanAt(Address address, std::size_t length) {
  return {At<T>(address), length};
}

// JavaScript's numbers hold integers up to 2^53: seeds, blocks and sample counts arrive as double.
inline std::uint64_t ToInteger(double value) { return static_cast<std::uint64_t>(value); }

}  // namespace sqrtdk
