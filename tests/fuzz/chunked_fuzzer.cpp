// Chunked bodies: the first byte of the input is the size of the pieces in which the rest arrives; they make no
// difference. The rest, written as chunks, is read again.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "curl/chunked.hpp"
#include "fuzz/invariant.hpp"

namespace {

using noun::Chunked;
using noun_fuzz::require;

struct Outcome {
  Chunked::Fault fault = Chunked::Fault::none;
  bool ended = false;
  std::string content = {};
  /// What was not read.
  std::string rest = {};

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(std::string_view body, std::size_t size) {
  constexpr std::size_t max_overhead = 100;
  Chunked chunks;
  chunks.restart(max_overhead);
  Outcome outcome;
  while (!body.empty() && !chunks.ended() && chunks.fault() == Chunked::Fault::none) {
    auto piece = body.substr(0, size);
    body.remove_prefix(piece.size());
    for (auto content = chunks.take(piece); !content.empty(); content = chunks.take(piece)) outcome.content += content;
    outcome.rest = piece;
  }
  outcome.fault = chunks.fault();
  outcome.ended = chunks.ended();
  outcome.rest += body;
  return outcome;
}

std::string written(std::string_view content, std::size_t size) {
  std::string body;
  for (; !content.empty(); content.remove_prefix(std::min(size, content.size()))) {
    const auto chunk = content.substr(0, size);
    body += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
  }
  return body + "0\r\n\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const auto text = noun_fuzz::text_of(data + 1, size - 1);
  const auto whole = read(text, size);
  require(read(text, piece) == whole, "pieces make no difference");
  require(whole.content.size() <= text.size(), "no content is made up");
  require(!whole.ended || whole.fault == Chunked::Fault::none, "a body that ended has no fault");
  const Outcome expected{.ended = true, .content = std::string(text), .rest = "x"};
  require(read(written(text, piece) + "x", piece) == expected, "a written body reads the same");
  return 0;
}
