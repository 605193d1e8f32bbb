#include "testing/simulated_feed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testing/local_bodies.hpp"
#include "wire/integer.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

std::string_view type_of(StreamFormat format) noexcept {
  switch (format) {
    case StreamFormat::json_lines: return "application/x-ndjson";
    case StreamFormat::json_sequence: return "application/json-seq";
    case StreamFormat::event_stream: break;
  }
  return "text/event-stream";
}

std::string server_sent_event(std::size_t id, std::string_view data, std::string_view type) {
  auto event = fmt::format("id: {}\n", id);
  if (!type.empty()) event += fmt::format("event: {}\n", type);
  // Each end of a line ends a field: what is received has a line feed in its place.
  for (auto end = data.find_first_of("\r\n"); end != std::string_view::npos; end = data.find_first_of("\r\n")) {
    event += fmt::format("data: {}\n", data.substr(0, end));
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return event + fmt::format("data: {}\n\n", data);
}

/// The number of events that a client has by its request.
std::size_t received_by(const Attempt& attempt) {
  const auto query = wire::decoded_query(attempt.url);
  const auto last = attempt.headers.get("Last-Event-ID");
  return wire::read_integer<std::size_t>(last ? *last : query.get("since").value_or("")).value_or(0);
}

}  // namespace

void SimulatedFeed::run(ServiceFeed how) {
  const std::lock_guard lock(mutex_);
  how_ = how;
  changed_.notify_all();
}

void SimulatedFeed::publish(std::string_view data, std::string_view type) {
  const std::lock_guard lock(mutex_);
  const auto is_sequence = how_.format == StreamFormat::json_sequence;
  events_.push_back(how_.format == StreamFormat::event_stream
                        ? server_sent_event(events_.size() + 1, data, type)
                        : fmt::format("{}{}\n", is_sequence ? "\x1e" : "", data));
  changed_.notify_all();
}

void SimulatedFeed::drop() {
  const std::lock_guard lock(mutex_);
  ++drops_;
  changed_.notify_all();
}

Response SimulatedFeed::head(const Attempt& attempt) const {
  const std::lock_guard lock(mutex_);
  if (how_.ends && received_by(attempt) >= events_.size()) return {.status = 204};
  return {.status = 200, .headers = {{"Content-Type", type_of(how_.format)}, {"Cache-Control", "no-store"}}};
}

Result<Response> SimulatedFeed::deliver(const Attempt& attempt, Response head, const StopToken& stop) {
  Delivery delivery(attempt, std::move(head));
  if (auto started = delivery.begin(); !started) return std::move(started).error();
  std::unique_lock lock(mutex_);
  const auto drops = drops_;
  auto uncut = how_.breaks_after.value_or(std::string::npos);
  for (auto next = received_by(attempt);; ++next) {
    const auto may_go_on = [&] { return next < events_.size() || how_.ends || drops_ != drops; };
    if (!changed_.wait_until(lock, stop, Instant::max(), may_go_on))
      return std::move(delivery).broken(stopped_attempt(Sent::answered));
    const bool breaks = drops_ != drops;
    if (!breaks && next >= events_.size()) return std::move(delivery).whole();
    const auto event = breaks ? std::string() : events_[next].substr(0, uncut);
    uncut -= event.size();
    const bool is_cut = breaks || event.size() < events_[next].size();
    lock.unlock();
    if (const auto written = delivery.write(event); !written) return std::move(delivery).broken(written.error());
    if (is_cut)
      return std::move(delivery).broken(Error(Errc::truncated, "the response is incomplete", Sent::answered));
    lock.lock();
  }
}

}}}  // namespace noun::testing
