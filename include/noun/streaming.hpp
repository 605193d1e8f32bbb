#pragma once
/// @file
/// How the events of a stream are separated, and how a stream ends: the conventions of an API. noun::Stream reads one.

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>

#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// How the events of a stream are separated.
enum class StreamFormat {
  event_stream,   ///< server-sent events: `text/event-stream`
  json_lines,     ///< a JSON text per line: `application/x-ndjson`, `application/jsonl`, `application/stream+json`
  json_sequence,  ///< JSON texts, each after a record separator: `application/json-seq`, or one that ends in `+json-seq`
};

/// When a stream is complete. If it ends otherwise it is `truncated`.
enum class StreamEnd {
  at_close,   ///< when its response ends as it should (its last chunk, its length), and not within an event
  at_marker,  ///< at StreamRules::end_marker or one of end_events; an end without it is too early
  never,      ///< every end is too early
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operator as the stream.
NOUN_API std::string_view to_string(StreamFormat format) noexcept;
NOUN_API std::string_view to_string(StreamEnd end) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, StreamFormat format);
NOUN_API std::ostream& operator<<(std::ostream& out, StreamEnd end);
/// @}

/// How GoogleTest shows an enumerator: as to_string().
template <class E>
  requires(std::same_as<E, StreamFormat> || std::same_as<E, StreamEnd>)
void PrintTo(const E& value, std::ostream* out) {
  *out << to_string(value);
}

/// How the streams of an API end.
struct StreamRules {
  /// The data of the event after the last one, such as `[DONE]`. Empty for none.
  std::string end_marker = {};
  /// The types of last events, such as `message_stop`; they are delivered.
  TextList end_events = {};
  /// The types of events that report that the server failed, although the status was 200; their data is the body of the
  /// error.
  TextList error_events = {};

  /// Whether all members are equal.
  friend bool operator==(const StreamRules&, const StreamRules&) = default;
};

}}  // namespace noun
