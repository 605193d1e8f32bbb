#include <noun/log.hpp>

#include <chrono>

#include <fmt/format.h>

#include "call/report.hpp"
#include "wire/http_date.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

/// With the day if it is more than half a day after `now`.
std::string time_of_day(WallTime when, WallTime now) {
  if (when == WallTime::max()) return "further notice";
  auto time = wire::format_rfc3339(std::chrono::floor<std::chrono::seconds>(when));
  const auto date_end = time.find('T');
  if (when - now <= std::chrono::hours(12)) return time.substr(date_end + 1);
  time[date_end] = ' ';
  return time;
}

std::string quota_text(const Event& event) {
  const auto& [limit, remaining, resets_in] = event.quota;
  if (!remaining) return {};
  auto text = fmt::format(", quota {}", *remaining);
  if (limit) text += fmt::format(" of {}", *limit);
  if (resets_in) text += fmt::format(" for {}", readable(*resets_in));
  if (!event.partition.empty()) text += fmt::format(" ({})", event.partition);
  return text;
}

std::string cached_text(const Event& event) {
  switch (event.cache) {
    case CacheStatus::validated: return fmt::format("the stored response ({}) has not changed", event.status);
    case CacheStatus::stale: return fmt::format("uses the stored response ({}), which is stale", event.status);
    default: return fmt::format("uses the stored response ({})", event.status);
  }
}

std::string what_happened(const Event& event) {
  switch (event.kind) {
    case EventKind::sent: return event.attempt > 1 ? fmt::format("sent, attempt {}", event.attempt) : "sent";
    case EventKind::attempt_ended: {
      const auto end = event.error ? fmt::format("failed ({})", to_string(*event.error)) : std::to_string(event.status);
      return fmt::format("{} in {}{}", end, readable(event.elapsed), quota_text(event));
    }
    case EventKind::holding:
    case EventKind::retrying:
      if (event.wait <= Duration::zero() && event.reason == WaitReason::none) return "retries at once";
      return fmt::format("{} {} until {}: {}", event.kind == EventKind::holding ? "waits" : "retries after",
                         readable(event.wait), time_of_day(event.until, event.at), to_string(event.reason));
    case EventKind::cached: return cached_text(event);
    case EventKind::redirected: return "redirected to this URL";
    case EventKind::page_delivered:
      return fmt::format("page {}: {} item{}", event.page, event.items, event.items == 1 ? "" : "s");
    case EventKind::polling:
      return fmt::format("not finished{}: the next poll is in {}",
                         event.percent ? fmt::format(" ({:.3g} %)", *event.percent) : "", readable(event.wait));
    case EventKind::progress:
      if (event.body_size) return fmt::format("sent {} of {} bytes", event.sent_bytes, *event.body_size);
      return fmt::format("received {}{} bytes", event.bytes,
                         event.total_bytes ? fmt::format(" of {}", *event.total_bytes) : "");
    case EventKind::ended:
      return fmt::format("ended with {} after {} attempt{} in {}",
                         event.error ? std::string(to_string(*event.error)) : std::to_string(event.status),
                         event.attempt, event.attempt == 1 ? "" : "s", readable(event.elapsed));
    case EventKind::notice: return event.note;
  }
  return {};
}

}  // namespace

std::string to_string(const Event& event) {
  auto line = time_of_day(event.at, event.at);
  if (event.call != 0) line += fmt::format(" #{}", event.call);
  const auto path = wire::split_url(event.url).path;
  const auto target = std::string_view(event.url).substr(static_cast<std::size_t>(path.data() - event.url.data()));
  line += fmt::format(" {} {} {}", to_string(event.method), target, what_happened(event));
  return wire::printable(line);
}

std::function<void(const Event&)> log_to(std::FILE* file) {
  if (file == nullptr) return {};
  return [file](const Event& event) {
    // One write: lines of several threads do not mix.
    const auto line = to_string(event) + '\n';
    std::fwrite(line.data(), 1, line.size(), file);
  };
}

}}  // namespace noun
