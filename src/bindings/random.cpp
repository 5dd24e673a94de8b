#include <emscripten/bind.h>

#include "bindings/memory.h"
#include "random/normals.h"

namespace sqrtdk {
namespace {

void FillNormalAt(Address out, std::size_t length, double seed, double stream, double first_block) {
  FillNormal(SpanAt<float>(out, length), ToInteger(seed), ToInteger(stream), ToInteger(first_block));
}

EMSCRIPTEN_BINDINGS(random) {
  emscripten::constant("normalsPerBlock", double{kNormalsPerBlock});
  emscripten::function("fillNormal", &FillNormalAt);
}

}  // namespace
}  // namespace sqrtdk
