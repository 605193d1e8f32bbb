#include "wire/event_stream.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// The name of a field that is not ignored, after a byte order mark.
constexpr std::size_t longest_field = byte_order_mark.size() + std::string_view("event").size();

Duration whole_milliseconds(std::string_view digits) noexcept {
  constexpr auto longest = std::chrono::floor<std::chrono::milliseconds>(Duration::max());
  const auto count = read_integer<std::chrono::milliseconds::rep>(digits);
  return count && *count <= longest.count() ? Duration(std::chrono::milliseconds(*count)) : Duration::max();
}

}  // namespace

EventStreamReader::EventStreamReader(std::size_t max_event_bytes, std::string last_event_id)
    : max_event_bytes_(max_event_bytes), last_event_id_(std::move(last_event_id)) {}

std::optional<StreamEvent> EventStreamReader::take(std::string_view& rest) {
  if (event_.is_returned) start_event();
  while (!rest.empty()) {
    if (std::exchange(is_after_cr_, false) && rest.front() == '\n') {
      skip(rest, 1);
      continue;
    }
    const auto end = find_either(rest, '\n', '\r');
    const bool ends = end < rest.size();
    take_part(rest.substr(0, end), ends);
    if (too_large_) return std::nullopt;
    is_after_cr_ = ends && rest[end] == '\r';
    skip(rest, end + (ends ? 1 : 0));
    if (!ends) break;
    if (auto event = end_line()) return event;
  }
  event_.data.keep();
  line_.value.keep();
  return std::nullopt;
}

std::optional<StreamEvent> EventStreamReader::finish(bool) {
  if (event_.is_returned) start_event();
  const bool is_in_name = line_.field == Field::unread && !line_.name.empty() && line_.name != byte_order_mark;
  if (too_large_ || !(event_.is_started || is_in_name || line_.field == Field::retry)) return std::nullopt;
  return StreamEvent{.is_truncated = true};
}

void EventStreamReader::skip(std::string_view& rest, std::size_t bytes) noexcept {
  rest.remove_prefix(bytes);
  offset_ += bytes;
}

/// @param part  of a line, without its end.
/// @param ends  whether the line ends after it.
void EventStreamReader::take_part(std::string_view part, bool ends) {
  if (line_.field == Field::unread) take_name(part, ends);
  if (part.empty() || line_.field == Field::ignored) return;
  if (std::exchange(line_.is_after_colon, false) && part.front() == ' ') part.remove_prefix(1);
  append(line_.field == Field::data ? event_.data : line_.value, part);
}

/// Removes the name and the colon from the part. All of the part belongs to the name if the field is `unread` then.
void EventStreamReader::take_name(std::string_view& part, bool ends) {
  if (line_.name.empty()) line_.offset = offset_;
  const auto start = part.substr(0, longest_field + 1);
  const auto colon = start.find(':');
  auto name = start.substr(0, colon);
  const bool is_whole = ends || colon != std::string_view::npos;
  part.remove_prefix(std::min(name.size() + 1, part.size()));
  if (!is_whole || !line_.name.empty()) name = line_.name += name;
  if (!is_whole && name.size() <= longest_field) return;

  if (is_first_line_ && name.starts_with(byte_order_mark)) name.remove_prefix(byte_order_mark.size());
  if (name.empty()) {
    line_.field = colon == std::string_view::npos ? Field::none : Field::ignored;
    return;
  }
  line_.field = name == "data"    ? Field::data
           : name == "event" ? Field::event
           : name == "id"    ? Field::id
           : name == "retry" ? Field::retry
                             : Field::ignored;
  if (line_.field == Field::ignored) return;
  line_.is_after_colon = true;
  if (!event_.is_started) event_.place.offset = line_.offset;
  event_.is_started = event_.is_started || line_.field != Field::retry;
  if (line_.field == Field::data && std::exchange(event_.has_data, true)) append(event_.data, "\n");
}

void EventStreamReader::append(GatheredText& text, std::string_view part) {
  if (part.size() > max_event_bytes_ - event_.size) {
    too_large_ = event_.place;
    return;
  }
  event_.size += part.size();
  text.append(part);
}

/// The value of a field other than data is known.
void EventStreamReader::end_value() {
  const auto value = line_.value.view();
  if (line_.field == Field::event) event_.type = value;
  if (line_.field == Field::id && value.find('\0') == std::string_view::npos) event_.id = value;
  if (line_.field == Field::retry && !value.empty() && std::all_of(value.begin(), value.end(), is_digit))
    retry_ = whole_milliseconds(value);
  line_.value.clear();
}

std::optional<StreamEvent> EventStreamReader::end_line() {
  if (line_.field != Field::data) end_value();
  line_.name.clear();
  is_first_line_ = false;
  return std::exchange(line_.field, Field::unread) == Field::none ? end_event() : std::nullopt;
}

std::optional<StreamEvent> EventStreamReader::end_event() {
  if (event_.id) last_event_id_ = *event_.id;
  if (!event_.has_data) {
    start_event();
    return std::nullopt;
  }
  event_.is_returned = true;
  ++event_.place.number;
  const std::string_view type = event_.type;
  return StreamEvent{.data = event_.data.view(), .event = type.empty() ? "message" : type, .id = last_event_id_};
}

void EventStreamReader::start_event() noexcept {
  event_.data.clear();
  event_.type.clear();
  event_.id.reset();
  event_.has_data = false;
  event_.is_started = false;
  event_.is_returned = false;
  event_.size = 0;
}

}}}  // namespace noun::wire
