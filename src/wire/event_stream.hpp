#pragma once
/// @file
/// Server-sent events: `text/event-stream`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/time.hpp>

#include "wire/gathered_text.hpp"
#include "wire/stream_event.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// Reads the events of a stream, which arrives in pieces of any size:
///
///     EventStreamReader reader(limit);
///     while (receive(bytes))
///       for (std::string_view rest = bytes; const auto event = reader.take(rest);) use(*event);
///     if (reader.finish(true)) …    // the last event was cut off
///
/// A line ends with CR, LF or CRLF. An event ends at once with its empty line, also if the LF after its CR is still to
/// come. Comments and unknown fields are skipped and not kept, so they may be of any length.
/// @source HTML Living Standard, section 9.2.6 (interpreting an event stream).
class EventStreamReader {
 public:
  /// @param max_event_bytes  how many bytes the values of one event's fields may have together.
  /// @param last_event_id    of the stream that this one continues; the id of events that bring none.
  explicit EventStreamReader(std::size_t max_event_bytes, std::string last_event_id = {});

  /// Takes the next event from `rest`, and removes the bytes that were read. Without an event `rest` is used up, unless
  /// an event is too large.
  std::optional<StreamEvent> take(std::string_view& rest);

  /// Call it once, when there are no more bytes. An event without its empty line is dropped, also at the end of a
  /// complete body.
  /// @returns  a truncated event without data if an event or a field was dropped.
  std::optional<StreamEvent> finish(bool is_complete);

  /// The place of the event that exceeds the limit. The reader then reads nothing more.
  const std::optional<EventPlace>& too_large() const noexcept { return too_large_; }

  /// The id to continue the stream with: that of the last event that ended, also if it had no data. May be empty.
  const std::string& last_event_id() const noexcept { return last_event_id_; }

  /// How long to wait before the connection is made again, as the stream says; Duration::max() if that does not fit.
  std::optional<Duration> retry() const noexcept { return retry_; }

 private:
  /// Of the current line. `unread` until its name is read, `none` in an empty line.
  enum class Field { unread, none, data, event, id, retry, ignored };

  void skip(std::string_view& rest, std::size_t bytes) noexcept;
  void take_part(std::string_view part, bool ends);
  void take_name(std::string_view& part, bool ends);
  void append(GatheredText& text, std::string_view part);
  void end_value();
  std::optional<StreamEvent> end_line();
  std::optional<StreamEvent> end_event();
  void start_event() noexcept;

  /// The line that is read.
  struct Line {
    Field field = Field::unread;
    std::string name = {};    // what was read of it, if it arrived in parts
    GatheredText value = {};  // of a field other than data
    bool is_after_colon = false;
    std::uint64_t offset = 0;
  };
  /// The event that is read, or was returned last.
  struct Event {
    GatheredText data = {};
    bool has_data = false;
    std::string type = {};
    std::optional<std::string> id = {};
    bool is_started = false;   // by another field than retry
    bool is_returned = false;  // to the caller, who has views of it
    std::size_t size = 0;
    EventPlace place = {};
  };

  Line line_;
  bool is_after_cr_ = false;
  bool is_first_line_ = true;
  Event event_;
  std::size_t max_event_bytes_;
  std::uint64_t offset_ = 0;
  std::string last_event_id_;
  std::optional<Duration> retry_;
  std::optional<EventPlace> too_large_;
};

}}}  // namespace noun::wire
