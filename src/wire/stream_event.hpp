#pragma once
/// @file
/// Responses that are streams of events: their formats, and what their readers have in common (wire/event_stream,
/// wire/json_lines).

#include <cstdint>
#include <optional>
#include <string_view>

#include <noun/streaming.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The format that a Content-Type names, in any case and with any parameters; nothing for another type.
/// @source RFC 7464, section 4; RFC 8091 (`+json-seq`).
std::optional<StreamFormat> stream_format(std::string_view content_type);

/// An event, as a reader returns it. The views are valid until the reader is called again or moved, and as long as the
/// bytes that it was given. They are bytes as the server sent them: whether they are UTF-8 is not checked.
struct StreamEvent {
  std::string_view data = {};
  std::string_view event = {};  ///< the type of a server-sent event, `message` if it has none; empty for JSON
  std::string_view id = {};     ///< the last event ID of server-sent events, also if an earlier event brought it
  /// The event was cut off. `data` is what there is of a JSON text, and empty for a server-sent event.
  bool is_truncated = false;

  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

/// Where an event is in its stream.
struct EventPlace {
  std::uint64_t number = 1;  ///< 1 for the first event
  std::uint64_t offset = 0;  ///< of its first byte, from the start of the body

  friend bool operator==(const EventPlace&, const EventPlace&) = default;
};

}}}  // namespace noun::wire
