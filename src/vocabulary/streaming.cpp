#include <noun/streaming.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(StreamFormat format) noexcept {
  switch (format) {
    case StreamFormat::event_stream: return "event_stream";
    case StreamFormat::json_lines: return "json_lines";
    case StreamFormat::json_sequence: return "json_sequence";
  }
  return "?";
}

std::string_view to_string(StreamEnd end) noexcept {
  switch (end) {
    case StreamEnd::at_close: return "at_close";
    case StreamEnd::at_marker: return "at_marker";
    case StreamEnd::never: return "never";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, StreamFormat format) { return out << to_string(format); }
std::ostream& operator<<(std::ostream& out, StreamEnd end) { return out << to_string(end); }

}}  // namespace noun
