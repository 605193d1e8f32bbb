#pragma once
/// @file
/// Streams of JSON texts: in lines, or as a sequence (`application/json-seq`).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/gathered_text.hpp"
#include "wire/stream_event.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// How JSON texts are separated.
enum class JsonFraming {
  lines,     ///< each ends with LF or CRLF
  sequence,  ///< each starts with a record separator (RS, 0x1E) and ends with LF
};

/// Splits a stream, which arrives in pieces of any size, into its JSON texts. It is used as an EventStreamReader is. The
/// data of an event is one text, without the bytes that separate it from others. Skipped are a byte order mark at the
/// start, and texts of white space alone.
///
/// The texts are not validated. A text of a sequence may have several lines: it ends with an LF outside of its brackets
/// and strings, or before the next RS. It is truncated if it has no RS; or no LF at its end, unless all brackets and
/// strings are closed, or white space follows a number or a word.
/// @source RFC 7464, section 2.4 (sequences).
class JsonLinesReader {
 public:
  /// @param max_event_bytes  the largest size of a text, white space around it included.
  JsonLinesReader(JsonFraming framing, std::size_t max_event_bytes) noexcept
      : framing_(framing), max_event_bytes_(max_event_bytes) {}

  /// Takes the next event from `rest`, and removes the bytes that were read. Without an event `rest` is used up, unless
  /// an event is too large.
  std::optional<StreamEvent> take(std::string_view& rest);

  /// Call it once, when there are no more bytes.
  /// @param is_complete  whether the body is. If it is not, or if brackets or a string are open, a line without LF is
  ///                     truncated.
  /// @returns            the text that has no end yet, if there is one.
  std::optional<StreamEvent> finish(bool is_complete);

  /// The place of the event that exceeds the limit. The reader then reads nothing more.
  const std::optional<EventPlace>& too_large() const noexcept { return too_large_; }

 private:
  std::size_t text_end(std::string_view bytes) noexcept;
  void follow(std::string_view bytes) noexcept;
  bool is_closed() const noexcept { return depth_ == 0 && !is_in_string_; }
  std::optional<StreamEvent> end_text(bool is_ended);
  bool shows_its_end(std::string_view text) const noexcept;
  void start_text() noexcept;

  JsonFraming framing_;
  std::size_t max_event_bytes_;
  GatheredText text_;
  bool is_returned_ = false;  // to the caller, who has a view of it
  bool is_first_ = true;
  EventPlace place_;
  std::uint64_t offset_ = 0;
  std::optional<EventPlace> too_large_;

  // Of the text of a sequence, and of a line that has no LF.
  bool has_separator_ = false;
  char first_ = ' ';  // that is not white space
  std::size_t depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

}}}  // namespace noun::wire
