#include "quota/spend_log.hpp"

#include <algorithm>
#include <chrono>

#include "quota/round_periods.hpp"

namespace noun { inline namespace v0 {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t largest_limit = 10'000;
constexpr std::size_t more_in_flight = 64;
/// Above it, a second of rounding is not worth a guess.
constexpr Duration longest_period = minutes(2);

/// A span in whole seconds is as long as the period itself at the begin of a window: what it leaves open is no guess.
constexpr Duration narrow_period = std::chrono::milliseconds(500);

/// So late may "at once" be: a window that turned before our first request is longer than it seems.
constexpr Duration begun_late = std::chrono::milliseconds(150);

}  // namespace

void SpendLog::record(Instant sent, Instant received) {
  entries_.push_back({sent, received});
  if (kept_ > 0 && entries_.size() > kept_)
    closest_ = std::min(closest_, received - entries_[entries_.size() - 1 - kept_].sent);
  while (entries_.size() > kept_ + more_in_flight) entries_.pop_front();
}

void SpendLog::learn(const SpendReport& report) {
  explained_ = false;
  if (report.limit > largest_limit || report.used < 1 || report.limit < report.used) return;
  kept_ = static_cast<std::size_t>(report.limit);
  told_ = report.window;
  if (report.told) learn_signs(report);
  const auto used = static_cast<std::size_t>(report.used);
  absolute_ = report.absolute;
  if (report.tells_period && report.reset && used <= entries_.size()) {
    // The oldest of those that the service counts.
    const Entry& oldest = entries_[entries_.size() - used];
    narrow(report.reset->earliest - oldest.received, report.reset->latest - oldest.sent, oldest.sent);
  }
  if (signs_.slides() && report.used + report.limit / 8 + 1 < certainly_counted(report, *signs_.period()))
    signs_.refute();
  if (const auto known = period())
    explained_ = report.used - report.others <= counted_since(after(report.sent, -*known));
}

void SpendLog::learn_signs(const SpendReport& report) {
  const auto used = static_cast<std::size_t>(report.used);
  const auto later = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [&](const Entry& entry) { return entry.received <= before_sent_; });
  DurationSpan slides{minutes(60), minutes(60)};  // more is used than we sent
  if (used <= entries_.size()) slides.over = report.sent - entries_[entries_.size() - used].received;
  if (used < entries_.size()) slides.up_to = report.received - entries_[entries_.size() - used - 1].sent;
  signs_.learn({.sent = report.sent,
                .received = report.received,
                .limit = report.limit,
                .used = report.used,
                .alone = report.alone,
                .told = *report.told,
                .reset = report.told_at,
                .since = later - entries_.rbegin(),
                .slides = slides});
  before_sent_ = report.sent;
}

/// What a log that slides holds of ours, at the least, when it answers.
std::int64_t SpendLog::certainly_counted(const SpendReport& report, Duration period) const noexcept {
  const Instant from = after(report.received, -period);
  return std::count_if(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.sent > from && entry.received <= report.sent; });
}

std::int64_t SpendLog::counted_since(Instant when) const noexcept {
  const auto first =
      std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.received < when; });
  return entries_.end() - first;
}

void SpendLog::narrow(Duration shortest, Duration longest, Instant oldest) noexcept {
  const bool another_window = oldest - oldest_ > shortest_;
  if (another_window) before_ = guess();
  const bool agrees = shortest < longest_ && longest > shortest_;
  const bool restarts = another_window || !agrees;
  shortest_ = restarts ? shortest : std::max(shortest_, shortest);
  longest_ = restarts ? longest : std::min(longest_, longest);
  if (restarts) oldest_ = oldest;
}

void SpendLog::refute() noexcept {
  if (const auto wrong = period()) refuted_ = std::max(refuted_, *wrong);
  confirmed_ = false;
}

std::optional<Duration> SpendLog::guess() const noexcept {
  if (!absolute_ && longest_ - shortest_ > narrow_period) return std::nullopt;
  return the_round_one_in(shortest_, longest_ + begun_late);
}

std::optional<Duration> SpendLog::period() const noexcept {
  auto period = told_;
  if (const auto sign = signs_.period(); !period && sign && *sign <= closest_) period = sign;
  if (const auto now = guess(); !period && (absolute_ || now == before_)) period = now;
  if (!period || *period > longest_period || *period <= refuted_) return std::nullopt;
  return period;
}

bool SpendLog::outruns_resets() const noexcept { return explained_ && signs_.period() && period() == signs_.period(); }

bool SpendLog::slides() const noexcept { return outruns_resets() && signs_.slides(); }

std::optional<Instant> SpendLog::free_at(std::int64_t limit, std::int64_t in_flight, std::int64_t cost) const noexcept {
  const auto known = period();
  const std::int64_t back = limit - in_flight - cost + 1;
  if (!known || !explained_ || back < 1 || static_cast<std::size_t>(back) > entries_.size()) return std::nullopt;
  return after(entries_[entries_.size() - static_cast<std::size_t>(back)].received, *known);
}

}}  // namespace noun
