// Server-sent events: the first byte of the input is the size of the pieces in which the stream arrives, the second the
// limit of an event; the rest is the stream. Neither makes a difference, as long as no event is too large. The events
// are those that the rules of the standard give, applied line by line.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"
#include "wire/event_stream.hpp"
#include "wire/utf8.hpp"

namespace {

using noun::wire::EventStreamReader;
using noun_fuzz::require;

struct Event {
  std::string data, event, id;
  friend bool operator==(const Event&, const Event&) = default;
};

struct Outcome {
  std::vector<Event> events = {};
  std::string last_event_id = {};
  bool has_retry = false;
  bool is_truncated = false;
  std::optional<noun::wire::EventPlace> too_large = {};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(std::string_view stream, std::size_t size, std::size_t max) {
  EventStreamReader reader(max);
  Outcome outcome;
  while (!stream.empty() && !reader.too_large()) {
    // A copy: the address sanitizer sees a view of what is gone.
    const std::string piece(stream.substr(0, size));
    stream.remove_prefix(piece.size());
    std::string_view rest = piece;
    while (const auto event = reader.take(rest)) {
      require(!event->is_truncated, "an event in the stream is whole");
      require(event->data.size() <= max && event->id.size() <= max, "no event is above the limit");
      require(event->event == "message" || event->data.size() + event->event.size() <= max, "with its type, too");
      outcome.events.push_back({std::string(event->data), std::string(event->event), std::string(event->id)});
    }
    require(rest.empty() || reader.too_large(), "all bytes are read");
  }
  outcome.is_truncated = reader.finish(true).has_value();
  outcome.last_event_id = reader.last_event_id();
  outcome.has_retry = reader.retry().has_value();
  outcome.too_large = reader.too_large();
  return outcome;
}

std::vector<std::string> ended_lines(std::string_view stream) {
  if (stream.starts_with(noun::wire::byte_order_mark)) stream.remove_prefix(noun::wire::byte_order_mark.size());
  std::vector<std::string> lines;
  for (auto end = stream.find_first_of("\r\n"); end != std::string_view::npos; end = stream.find_first_of("\r\n")) {
    lines.emplace_back(stream.substr(0, end));
    stream.remove_prefix(stream.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  return lines;
}

/// By the standard, as it is written.
Outcome expected(std::string_view stream) {
  Outcome outcome;
  std::string data;
  std::string type;
  std::string id;
  for (const auto& line : ended_lines(stream)) {
    if (line.empty()) {
      outcome.last_event_id = id;
      if (!data.empty()) {
        data.pop_back();
        outcome.events.push_back({data, type.empty() ? "message" : type, id});
      }
      data.clear();
      type.clear();
      continue;
    }
    const auto colon = std::min(line.find(':'), line.size());
    const auto name = line.substr(0, colon);
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.erase(0, 1);
    if (name == "data") data += value + '\n';
    if (name == "event") type = value;
    if (name == "id" && value.find('\0') == std::string::npos) id = value;
    if (name == "retry" && !value.empty() && std::all_of(value.begin(), value.end(), noun::wire::is_digit))
      outcome.has_retry = true;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const std::size_t max = data[1];
  const auto stream = noun_fuzz::text_of(data + 2, size - 2);
  const auto limited = read(stream, stream.size(), max);
  require(read(stream, piece, max) == limited, "pieces make no difference");
  require(read(stream, 1, max) == limited, "single bytes make none");
  auto whole = read(stream, stream.size(), stream.size());
  require(!whole.too_large, "no event is larger than its stream");
  require(read(stream, piece, stream.size()) == whole, "pieces make no difference without a limit");
  require(limited.too_large || limited == whole, "a limit that no event exceeds makes no difference");
  require(!limited.too_large ||
              (limited.events.size() + 1 == limited.too_large->number && limited.events.size() <= whole.events.size() &&
               std::equal(limited.events.begin(), limited.events.end(), whole.events.begin())),
          "the events before one that is too large are read");
  whole.is_truncated = false;
  require(whole == expected(stream), "the events are those of the standard");
  return 0;
}
