#include <emscripten/bind.h>

#include "random/components.h"
#include "theory/moments.h"

namespace sqrtdk {
namespace {

// Sampling and theory share no code, but JavaScript names a law to both by the same number.
constexpr int NumberOf(ComponentLaw drawn, theory::ComponentLaw expected) {
  const int number = static_cast<int>(drawn);
  return number == static_cast<int>(expected) ? number : -1;
}

constexpr int kNormal = NumberOf(ComponentLaw::kNormal, theory::ComponentLaw::kNormal);
constexpr int kUniform = NumberOf(ComponentLaw::kUniform, theory::ComponentLaw::kUniform);
constexpr int kRademacher = NumberOf(ComponentLaw::kRademacher, theory::ComponentLaw::kRademacher);
constexpr int kLaplace = NumberOf(ComponentLaw::kLaplace, theory::ComponentLaw::kLaplace);
constexpr int kStudentT = NumberOf(ComponentLaw::kStudentT, theory::ComponentLaw::kStudentT);
static_assert(kNormal >= 0 && kUniform >= 0 && kRademacher >= 0 && kLaplace >= 0 && kStudentT >= 0);
static_assert(kComponentLaws == 5, "every law that can be drawn has its number here");

EMSCRIPTEN_BINDINGS(laws) {
  emscripten::constant("normalLaw", kNormal);
  emscripten::constant("uniformLaw", kUniform);
  emscripten::constant("rademacherLaw", kRademacher);
  emscripten::constant("laplaceLaw", kLaplace);
  emscripten::constant("studentTLaw", kStudentT);
}

}  // namespace
}  // namespace sqrtdk
