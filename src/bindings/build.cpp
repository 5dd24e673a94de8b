#include <emscripten/bind.h>

namespace sqrtdk {
namespace {

bool HasRelaxedSimd() {
#ifdef __wasm_relaxed_simd__
  return true;
#else
  return false;
#endif
}

EMSCRIPTEN_BINDINGS(build) { emscripten::function("hasRelaxedSimd", &HasRelaxedSimd); }

}  // namespace
}  // namespace sqrtdk
