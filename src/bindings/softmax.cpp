#include "softmax/softmax.h"

#include <emscripten/bind.h>

#include "bindings/memory.h"
#include "softmax/diagnostics.h"

namespace sqrtdk {
namespace {

ConstRows RowsToRead(Address data, std::size_t columns) { return {At<const float>(data), columns}; }
Rows RowsToWrite(Address data, std::size_t columns) { return {At<float>(data), columns}; }

void SoftmaxAt(std::size_t rows, std::size_t columns, Address scores, double scale, Address probabilities) {
  Softmax({rows, columns}, RowsToRead(scores, columns), scale, RowsToWrite(probabilities, columns));
}

void LogSoftmaxAt(std::size_t rows, std::size_t columns, Address scores, double scale, Address out) {
  LogSoftmax({rows, columns}, RowsToRead(scores, columns), scale, RowsToWrite(out, columns));
}

void LogSumExpAt(std::size_t rows, std::size_t columns, Address scores, double scale, Address out) {
  LogSumExp({rows, columns}, RowsToRead(scores, columns), scale, At<float>(out));
}

void SoftmaxBackwardAt(std::size_t rows, std::size_t columns, Address grad_output, Address probabilities,
                       double scale, Address grad_scores) {
  SoftmaxBackward({rows, columns}, RowsToRead(grad_output, columns), RowsToRead(probabilities, columns),
                  scale, RowsToWrite(grad_scores, columns));
}

void SoftmaxJacobianAt(Address probabilities, std::size_t length, Address jacobian) {
  SoftmaxJacobian(SpanAt<const float>(probabilities, length), At<float>(jacobian));
}

SoftmaxDiagnostics DiagnoseRowAt(Address scores, std::size_t columns, double scale, Address scratch) {
  return DiagnoseRow(SpanAt<const float>(scores, columns), scale, SpanAt<double>(scratch, columns));
}

EMSCRIPTEN_BINDINGS(softmax) {
  emscripten::function("softmax", &SoftmaxAt);
  emscripten::function("logSoftmax", &LogSoftmaxAt);
  emscripten::function("logSumExp", &LogSumExpAt);
  emscripten::function("softmaxBackward", &SoftmaxBackwardAt);
  emscripten::function("softmaxJacobian", &SoftmaxJacobianAt);
  emscripten::value_object<SoftmaxDiagnostics>("SoftmaxDiagnostics")
      .field("logSumExp", &SoftmaxDiagnostics::log_sum_exp)
      .field("entropy", &SoftmaxDiagnostics::entropy)
      .field("perplexity", &SoftmaxDiagnostics::perplexity)
      .field("effectiveKeys", &SoftmaxDiagnostics::effective_keys)
      .field("sumSquares", &SoftmaxDiagnostics::sum_squares)
      .field("maxProbability", &SoftmaxDiagnostics::max_probability)
      .field("maxComplement", &SoftmaxDiagnostics::max_complement)
      .field("jacobianTrace", &SoftmaxDiagnostics::jacobian_trace)
      .field("jacobianFrobenius", &SoftmaxDiagnostics::jacobian_frobenius)
      .field("jacobianSpectral", &SoftmaxDiagnostics::jacobian_spectral)
      .field("exactZeros", &SoftmaxDiagnostics::exact_zeros);
  emscripten::function("diagnoseRow", &DiagnoseRowAt);
}

}  // namespace
}  // namespace sqrtdk
