#include "decision/event_feed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "decision/backoff.hpp"
#include "decision/classify.hpp"
#include "wire/ascii.hpp"
#include "wire/page_url.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view accept_of(std::optional<StreamFormat> format) noexcept {
  if (!format)
    return "text/event-stream, application/x-ndjson, application/jsonl, application/stream+json, application/json-seq";
  switch (*format) {
    case StreamFormat::event_stream: return "text/event-stream";
    case StreamFormat::json_lines: return "application/x-ndjson, application/jsonl, application/stream+json";
    case StreamFormat::json_sequence: break;
  }
  return "application/json-seq";
}

}  // namespace

EventFeed::EventFeed(Settings settings) : settings_(std::move(settings)) {}

bool EventFeed::on_head(const Response& head) {
  reader_.reset();
  other_type_.clear();
  is_cut_ = false;
  if (!is_success(head.status)) return false;
  constexpr int no_content = 204;
  if (head.status == no_content) {
    complete_ = true;
    return false;
  }
  failure_ = fault_of_coding(head.headers);
  if (failure_) return false;
  const auto type = head.headers.get("Content-Type").value_or("");
  const auto format = settings_.format ? settings_.format : wire::stream_format(type);
  if (!format) {
    other_type_ = type.empty() ? "it has no Content-Type"
                               : fmt::format("its Content-Type is {}", wire::printable_or_size(type, 60));
    return false;
  }
  if (*format == StreamFormat::event_stream)
    reader_.emplace(std::in_place_type<wire::EventStreamReader>, settings_.max_event, settings_.last_event_id);
  else
    reader_.emplace(std::in_place_type<wire::JsonLinesReader>,
                    *format == StreamFormat::json_lines ? wire::JsonFraming::lines : wire::JsonFraming::sequence,
                    settings_.max_event);
  is_open_ = true;
  return true;
}

void EventFeed::on_bytes(std::size_t count) noexcept {
  bytes_ += count;
  progressed_ = progressed_ || count > 0;
}

std::optional<FeedEvent> EventFeed::take(std::string_view& rest) {
  while (!complete_ && !failure_) {
    const auto event = std::visit([&](auto& reader) { return reader.take(rest); }, *reader_);
    if (auto* events = std::get_if<wire::EventStreamReader>(&*reader_)) {
      if (events->retry()) wait_ = std::max(*events->retry(), shortest_wait);
      settings_.last_event_id = events->last_event_id();
    }
    if (const auto place = std::visit([](const auto& reader) { return reader.too_large(); }, *reader_))
      failure_ = BodyFault{Errc::too_large,
                           fmt::format("event {} of the response, at byte {}, is longer than {} bytes", place->number,
                                       place->offset, settings_.max_event),
                           "raise ClientOptions::limits.body"};
    if (!event) break;
    if (auto accepted = accept(*event)) return accepted;
  }
  // What follows an end is not read; otherwise the reader has used it up.
  rest = {};
  return std::nullopt;
}

/// Nothing if it is not for the program.
std::optional<FeedEvent> EventFeed::accept(const wire::StreamEvent& event) {
  const auto& rules = settings_.rules;
  if (event.is_truncated) {
    is_cut_ = true;
    return std::nullopt;
  }
  if (!rules.end_marker.empty() && event.data == rules.end_marker) {
    complete_ = true;
    return std::nullopt;
  }
  const auto is_one_of = [&](const TextList& types) {
    return std::find(types.begin(), types.end(), event.event) != types.end();
  };
  if (is_one_of(rules.error_events)) {
    failure_ = BodyFault{.code = Errc::server_error,
                         .what = fmt::format("the server reported an error in the stream, after {}", count()),
                         .body = std::string(event.data)};
    return std::nullopt;
  }
  complete_ = is_one_of(rules.end_events);
  ++events_;
  if (settings_.resume_with) last_item_ = event.data;
  return FeedEvent{event, events_};
}

std::string EventFeed::count() const { return events_ == 1 ? "1 event" : fmt::format("{} events", events_); }

void EventFeed::add_fields(Headers& headers) {
  headers.set("Accept-Encoding", "identity");
  if (!headers.contains("Accept")) headers.set("Accept", accept_of(settings_.format));
  const auto& id = settings_.last_event_id;
  const bool may_be_sent =
      id.size() <= longest_event_id && std::none_of(id.begin(), id.end(), wire::is_control_in_field);
  if (may_be_sent && !id.empty()) headers.set("Last-Event-ID", id);
}

std::string EventFeed::url(std::string_view original) const {
  std::string url(original);
  if (last_item_.empty() || !settings_.resume_with) return url;
  for (const auto& [name, value] : settings_.resume_with(last_item_)) url = wire::with_parameter(url, name, value);
  return url;
}

Continuation::Next EventFeed::on_end() {
  if (complete_) return Next::nothing;
  if (reader_ && !failure_)
    if (const auto last = std::visit([](auto& reader) { return reader.finish(true); }, *reader_))
      if (accept(*last) && settings_.on_last) settings_.on_last(last->data, events_);
  if (complete_) return Next::nothing;
  if (has_other_type() || failure_ || is_cut_ || settings_.ends != StreamEnd::at_close) return Next::retry;
  complete_ = true;
  return Next::nothing;
}

BodyFault EventFeed::early_end() const {
  if (failure_) return *failure_;
  if (has_other_type())
    return {Errc::protocol, fmt::format("the response is no stream: {}", other_type_),
            "check the path, or set StreamOptions::format", true};
  return {Errc::truncated, is_cut_ ? "the stream ended within an event" : "the stream ended too early"};
}

BodyFault EventFeed::stuck_fault() const {
  if (failure_) return *failure_;
  return {Errc::truncated, fmt::format("{} {} delivered", count(), events_ == 1 ? "was" : "were"),
          "set StreamOptions::reconnect, if a GET can continue"};
}

bool EventFeed::take_progress() noexcept { return std::exchange(progressed_, false); }

}}  // namespace noun
