#include "wire/stream_event.hpp"

#include <array>
#include <utility>

#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace wire {

std::optional<StreamFormat> stream_format(std::string_view content_type) {
  constexpr std::array<std::pair<std::string_view, StreamFormat>, 5> formats = {{
      {"text/event-stream", StreamFormat::event_stream},
      {"application/x-ndjson", StreamFormat::json_lines},
      {"application/jsonl", StreamFormat::json_lines},
      {"application/stream+json", StreamFormat::json_lines},
      {"application/json-seq", StreamFormat::json_sequence},
  }};
  constexpr std::string_view suffix = "+json-seq";
  const auto type = trimmed(content_type.substr(0, content_type.find(';')));
  for (const auto& [name, format] : formats)
    if (same_ignoring_case(type, name)) return format;
  if (type.size() > suffix.size() && same_ignoring_case(type.substr(type.size() - suffix.size()), suffix))
    return StreamFormat::json_sequence;
  return std::nullopt;
}

}}}  // namespace noun::wire
