// Streams of JSON texts: the first byte of the input is the size of the pieces in which the stream arrives, the second
// the limit of a text; the rest is the stream, which is read as lines and as a sequence. Pieces make no difference.
// Texts that are written again read the same.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"
#include "wire/json_lines.hpp"
#include "wire/utf8.hpp"

namespace {

using noun::wire::JsonFraming;
using noun::wire::JsonLinesReader;
using noun_fuzz::require;

struct Text {
  std::string text;
  bool is_truncated = false;
  friend bool operator==(const Text&, const Text&) = default;
};

struct Outcome {
  std::vector<Text> texts = {};
  std::optional<noun::wire::EventPlace> too_large = {};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(JsonFraming framing, std::string_view stream, std::size_t size, std::size_t max, bool is_complete) {
  JsonLinesReader reader(framing, max);
  Outcome outcome;
  const auto add = [&](const noun::wire::StreamEvent& event) {
    require(event.data.size() <= max, "no text is above the limit");
    require(!std::all_of(event.data.begin(), event.data.end(), noun::wire::is_space), "no text is empty");
    outcome.texts.push_back({std::string(event.data), event.is_truncated});
  };
  while (!stream.empty() && !reader.too_large()) {
    // A copy: the address sanitizer sees a view of what is gone.
    const std::string piece(stream.substr(0, size));
    stream.remove_prefix(piece.size());
    std::string_view rest = piece;
    while (const auto event = reader.take(rest)) add(*event);
    require(rest.empty() || reader.too_large(), "all bytes are read");
  }
  if (const auto event = reader.finish(is_complete)) add(*event);
  outcome.too_large = reader.too_large();
  return outcome;
}

void check(JsonFraming framing, std::string_view stream, std::size_t piece, std::size_t max) {
  for (const bool is_complete : {false, true}) {
    const auto limited = read(framing, stream, stream.size(), max, is_complete);
    require(read(framing, stream, piece, max, is_complete) == limited, "pieces make no difference");
    require(read(framing, stream, 1, max, is_complete) == limited, "single bytes make none");
  }
  const auto whole = read(framing, stream, stream.size(), stream.size(), true);
  require(!whole.too_large, "no text is larger than its stream");
  require(framing == JsonFraming::sequence || whole.texts.empty() ||
              std::none_of(whole.texts.begin(), whole.texts.end() - 1,
                           [](const Text& text) { return text.is_truncated; }),
          "no line of a complete body but the last is truncated");
  Outcome again;
  std::string written(noun::wire::byte_order_mark);
  for (const auto& text : whole.texts) {
    if (text.is_truncated) continue;
    if (framing == JsonFraming::sequence) written += '\x1E';
    written += text.text + "\r\n";
    again.texts.push_back(text);
  }
  // A text with open brackets would else be truncated at the end of the stream.
  if (framing == JsonFraming::sequence) written += '\x1E';
  require(read(framing, written, piece, written.size(), false) == again, "written texts read the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const auto stream = noun_fuzz::text_of(data + 2, size - 2);
  check(JsonFraming::lines, stream, piece, data[1]);
  check(JsonFraming::sequence, stream, piece, data[1]);
  return 0;
}
