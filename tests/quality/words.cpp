// Writes the raw random words to standard output, for batteries of statistical tests (see dieharder beside
// it).
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "random/stream.h"

namespace {

using namespace sqrtdk;

// The order in which normals use them: consecutive blocks of one stream.
constexpr int kWordsPerBlock = 2048;
// The beginnings of consecutive streams: what dependence between neighbours would show in.
constexpr int kWordsPerStream = 16;

void Write(Stream generator, int words) {
  std::uint32_t buffer[kWordsPerBlock];
  for (int i = 0; i < words; i += kLanes) Store(generator.Next(), buffer + i);
  std::fwrite(buffer, sizeof buffer[0], static_cast<std::size_t>(words), stdout);
}

}  // namespace

// Arguments: "blocks" or "streams". Writes until the reader closes the pipe.
int main(int argc, char** argv) {
  const bool streams = argc > 1 && std::string_view(argv[1]) == "streams";
  for (std::uint64_t i = 0; std::ferror(stdout) == 0; ++i) {
    if (streams) {
      Write(OpenStream(1, i, 0), kWordsPerStream);
    } else {
      Write(OpenStream(1, 0, i), kWordsPerBlock);
    }
  }
}
