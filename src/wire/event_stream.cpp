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
  if (is_returned_) start_event();
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
  data_.keep();
  value_.keep();
  return std::nullopt;
}

std::optional<StreamEvent> EventStreamReader::finish(bool) {
  if (is_returned_) start_event();
  const bool is_in_name = field_ == Field::unread && !name_.empty() && name_ != byte_order_mark;
  if (too_large_ || !(is_started_ || is_in_name || field_ == Field::retry)) return std::nullopt;
  return StreamEvent{.is_truncated = true};
}

void EventStreamReader::skip(std::string_view& rest, std::size_t bytes) noexcept {
  rest.remove_prefix(bytes);
  offset_ += bytes;
}

/// @param part  of a line, without its end.
/// @param ends  whether the line ends after it.
void EventStreamReader::take_part(std::string_view part, bool ends) {
  if (field_ == Field::unread) take_name(part, ends);
  if (part.empty() || field_ == Field::ignored) return;
  if (std::exchange(is_after_colon_, false) && part.front() == ' ') part.remove_prefix(1);
  append(field_ == Field::data ? data_ : value_, part);
}

/// Removes the name and the colon from the part. All of the part belongs to the name if the field is `unread` then.
void EventStreamReader::take_name(std::string_view& part, bool ends) {
  if (name_.empty()) line_offset_ = offset_;
  const auto start = part.substr(0, longest_field + 1);
  const auto colon = start.find(':');
  auto name = start.substr(0, colon);
  const bool is_whole = ends || colon != std::string_view::npos;
  part.remove_prefix(std::min(name.size() + 1, part.size()));
  if (!is_whole || !name_.empty()) name = name_ += name;
  if (!is_whole && name.size() <= longest_field) return;

  if (is_first_line_ && name.starts_with(byte_order_mark)) name.remove_prefix(byte_order_mark.size());
  if (name.empty()) {
    field_ = colon == std::string_view::npos ? Field::none : Field::ignored;
    return;
  }
  field_ = name == "data"    ? Field::data
           : name == "event" ? Field::event
           : name == "id"    ? Field::id
           : name == "retry" ? Field::retry
                             : Field::ignored;
  if (field_ == Field::ignored) return;
  is_after_colon_ = true;
  if (!is_started_) place_.offset = line_offset_;
  is_started_ = is_started_ || field_ != Field::retry;
  if (field_ == Field::data && std::exchange(has_data_, true)) append(data_, "\n");
}

void EventStreamReader::append(GatheredText& text, std::string_view part) {
  if (part.size() > max_event_bytes_ - size_) {
    too_large_ = place_;
    return;
  }
  size_ += part.size();
  text.append(part);
}

/// The value of a field other than data is known.
void EventStreamReader::end_value() {
  const auto value = value_.view();
  if (field_ == Field::event) event_ = value;
  if (field_ == Field::id && value.find('\0') == std::string_view::npos) id_ = value;
  if (field_ == Field::retry && !value.empty() && std::all_of(value.begin(), value.end(), is_digit))
    retry_ = whole_milliseconds(value);
  value_.clear();
}

std::optional<StreamEvent> EventStreamReader::end_line() {
  if (field_ != Field::data) end_value();
  name_.clear();
  is_first_line_ = false;
  return std::exchange(field_, Field::unread) == Field::none ? end_event() : std::nullopt;
}

std::optional<StreamEvent> EventStreamReader::end_event() {
  if (id_) last_event_id_ = *id_;
  if (!has_data_) {
    start_event();
    return std::nullopt;
  }
  is_returned_ = true;
  ++place_.number;
  const std::string_view type = event_;
  return StreamEvent{.data = data_.view(), .event = type.empty() ? "message" : type, .id = last_event_id_};
}

void EventStreamReader::start_event() noexcept {
  data_.clear();
  event_.clear();
  id_.reset();
  has_data_ = false;
  is_started_ = false;
  is_returned_ = false;
  size_ = 0;
}

}}}  // namespace noun::wire
