#include "progress_board.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace progress {
namespace {

using namespace std::chrono_literals;

constexpr noun::Duration rate_window = 5s;
/// The rate of a younger run is not shown.
constexpr noun::Duration shortest_rate = 1s;
constexpr noun::Duration line_every = 10s;
/// How long a wait without a known end is shown: until its request is sent.
constexpr noun::Duration open_hold = 1h;
/// A longer time left is not shown.
constexpr std::chrono::duration<double> open_estimate = 24h * 366;
constexpr noun::Duration worth_a_line = 1s;
/// Shorter holds would flicker.
constexpr noun::Duration worth_showing = 200ms;
constexpr std::size_t most_notices = 20;

/// Why an attempt failed.
std::string fault_of(const noun::Event& event) {
  return event.error ? std::string(to_string(*event.error)) : std::to_string(event.status);
}

}  // namespace

bool RunBoard::Hold::shows_more_than(const Hold& other) const {
  return std::pair(has_known_end(reason), ends) > std::pair(has_known_end(other.reason), other.ends);
}

ToPrint RunBoard::observe(const noun::Event& event, noun::Instant now) {
  started_ = true;
  if (event.call != 0 && !first_event_) first_event_ = now;
  if (event.quota.limit || event.quota.remaining || event.quota.resets_in) {
    quota_ = event.quota;
    quota_at_ = now;
  }
  ToPrint to_print;
  switch (event.kind) {
    case noun::EventKind::sent:
      while (!sent_.empty() && now - sent_.front() >= rate_window) sent_.pop_front();
      sent_.push_back(now);
      holds_.erase(event.call);
      faults_.erase(event.call);
      if (holds_.empty()) printed_until_.reset();
      break;
    case noun::EventKind::holding:
    case noun::EventKind::retrying: to_print.hold_started = hold(event, now); break;
    case noun::EventKind::notice: to_print.notice = news_in(event); break;
    case noun::EventKind::attempt_ended:
      if (event.error || event.status >= 400) faults_[event.call] = fault_of(event);
      break;
    case noun::EventKind::ended:
      holds_.erase(event.call);
      faults_.erase(event.call);
      break;
    case noun::EventKind::cached:
    case noun::EventKind::redirected:
    case noun::EventKind::polling:
    case noun::EventKind::progress:
    case noun::EventKind::page_delivered: break;
  }
  return to_print;
}

std::string RunBoard::news_in(const noun::Event& event) {
  const auto& note = event.note;
  // Of the ledger of the shared quota: its store can become unavailable again.
  if (event.call == 0) return std::exchange(ledger_notice_, note) == note ? "" : note;
  if (note.empty() || notices_.size() > most_notices || !notices_.insert(note).second) return "";
  return notices_.size() > most_notices ? "There are more such notices; they are not shown." : note;
}

bool RunBoard::hold(const noun::Event& event, noun::Instant now) {
  std::erase_if(holds_, [&](const auto& entry) { return entry.second.ends <= now; });
  if (holds_.empty()) printed_until_.reset();
  if (event.wait <= noun::Duration::zero() || event.reason == noun::WaitReason::none) return false;
  const bool has_end = has_known_end(event.reason);
  const auto ends = noun::after(now, has_end ? event.wait : open_hold);
  const bool is_backoff = event.kind == noun::EventKind::retrying && event.reason == noun::WaitReason::backoff;
  const Hold started{event.reason, now, ends, event.until, is_backoff ? faults_[event.call] : ""};
  delay(event.call, started);
  holds_.insert_or_assign(event.call, started);
  if (event.wait < worth_a_line) return false;
  // Most of these waits end within milliseconds, and there are many.
  if (!has_end) {
    const auto known = [](const auto& entry) { return has_known_end(entry.second.reason); };
    if (std::any_of(holds_.begin(), holds_.end(), known)) return false;
    const bool is_due = !last_open_hold_ || now - *last_open_hold_ >= line_every;
    if (is_due) last_open_hold_ = now;
    return is_due;
  }
  // Calls that wait for the same event have slightly different ends.
  if (printed_until_ && ends < noun::after(*printed_until_, worth_a_line)) return false;
  printed_until_ = ends;
  return true;
}

void RunBoard::delay(std::uint64_t call, const Hold& hold) {
  const auto delays = [](const Hold& each) {
    return has_known_end(each.reason) && each.reason != noun::WaitReason::quota;
  };
  if (!expected_end_ || !delays(hold)) return;
  const bool is_first = std::none_of(holds_.begin(), holds_.end(), [&](const auto& entry) {
    return entry.first != call && delays(entry.second);
  });
  if (is_first) work_left_ = std::max(*expected_end_ - hold.begins, noun::Duration::zero());
  expected_end_ = std::max(*expected_end_, noun::after(hold.ends, work_left_));
}

void RunBoard::progress(std::uint64_t items, std::uint64_t pages, std::optional<std::uint64_t> total,
                        const noun::ListingPlan& plan, noun::Instant now) {
  started_ = true;
  if (!first_event_) items_before_ = items;
  items_ = items;
  pages_ = pages;
  total_ = total;
  expected_end_.reset();
  if (const auto left = plan.estimate ? plan.estimate : estimate(now)) expected_end_ = noun::after(now, *left);
}

/// The time for the rest of the items at the pace of this run; nothing if that is not known.
std::optional<noun::Duration> RunBoard::estimate(noun::Instant now) const {
  if (!total_ || *total_ < items_ || items_ <= items_before_) return std::nullopt;
  if (!first_event_ || now - *first_event_ < shortest_rate) return std::nullopt;
  const std::chrono::duration<double> age = now - *first_event_;
  const auto of_an_item = age / static_cast<double>(items_ - items_before_);
  const auto left = of_an_item * static_cast<double>(*total_ - items_);
  return left < open_estimate ? std::optional(std::chrono::duration_cast<noun::Duration>(left)) : std::nullopt;
}

double RunBoard::rate(noun::Instant now) const {
  if (!first_event_ || now - *first_event_ < shortest_rate) return 0;
  const auto count = std::count_if(sent_.begin(), sent_.end(), [&](auto at) { return now - at < rate_window; });
  // A new run is measured over its age.
  const auto span = std::min<noun::Duration>(now - *first_event_, rate_window);
  return static_cast<double>(count) / std::chrono::duration<double>(span).count();
}

void RunBoard::show_quota(RunView& view, noun::Instant now) const {
  view.limit = quota_.limit;
  const auto age = now - quota_at_;
  // The remaining quota of a past window is not that of the next one.
  if (quota_.resets_in && *quota_.resets_in <= age) return;
  view.remaining = quota_.remaining;
  if (quota_.resets_in) view.resets_in = *quota_.resets_in - age;
}

RunView RunBoard::view(noun::Instant now) const {
  RunView view{.items = items_, .total = total_, .pages = pages_, .requests_per_second = rate(now)};
  show_quota(view, now);
  if (expected_end_ && *expected_end_ > now) view.time_left = *expected_end_ - now;
  const Hold* last = nullptr;
  for (const auto& [call, hold] : holds_)
    if (hold.ends > now && hold.ends - hold.begins >= worth_showing && (last == nullptr || hold.shows_more_than(*last)))
      last = &hold;
  if (last == nullptr) return view;
  view.reason = last->reason;
  view.cause = last->cause;
  view.hold_left = last->ends - now;
  view.hold_until = last->until;
  if (view.time_left && has_known_end(last->reason)) view.time_left = std::max(*view.time_left, view.hold_left);
  return view;
}

bool RunBoard::line_due(noun::Instant now) {
  if (now - last_line_ < line_every || items_ == last_line_items_) return false;
  last_line_ = now;
  last_line_items_ = items_;
  return true;
}

}  // namespace progress
