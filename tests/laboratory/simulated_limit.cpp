#include "laboratory/simulated_limit.hpp"

#include <algorithm>

namespace laboratory {

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return value / by + (value % by > 0 ? 1 : 0); }

namespace {

Duration between(WallTime from, WallTime to) { return std::chrono::duration_cast<Duration>(to - from); }

WallTime later(WallTime start, Duration span) { return start + std::chrono::duration_cast<WallTime::duration>(span); }

/// A pseudo-random bit, determined by the number (splitmix64).
bool coin(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return ((number ^ (number >> 31U)) & 1U) != 0;
}

}  // namespace

SimulatedLimit::SimulatedLimit(const LimitOptions& options) : options_(options) {
  options_.limit = std::max<std::int64_t>(options_.limit, 0);
  options_.period = std::max(options_.period, Duration(1));
  if (options_.kind == LimitKind::token_bucket) credit_ = options_.limit * options_.period.count();
}

LimitVerdict SimulatedLimit::count(WallTime at) {
  const auto server = server_of(requests_++);
  pass(at, server);
  const bool blocked = block_left(at) > Duration::zero();
  const bool admitted = !blocked && take(at, server);
  if (options_.kind == LimitKind::extended_window) counters_[server].begin = at;
  if (!admitted && options_.blocks_for > Duration::zero() && (!blocked || options_.blocks_anew))
    blocked_until_ = later(at, options_.blocks_for);
  return {.admitted = admitted,
          .limit = limit_of_one(),
          .remaining = remaining(at, server),
          .resets_in = resets_in(at, server),
          .retry_in = std::max(recovers_in(at, server), block_left(at))};
}

Duration SimulatedLimit::admits_in(WallTime at) const {
  SimulatedLimit passed = *this;
  const auto server = server_of(requests_);
  passed.pass(at, server);
  return std::max(passed.recovers_in(at, server), passed.block_left(at));
}

std::size_t SimulatedLimit::server_of(std::uint64_t request) const noexcept {
  if (options_.kind != LimitKind::two_counters) return 0;
  if (options_.server_turn == ServerTurn::alternate) return request % 2;
  return coin(options_.seed + request) ? 1 : 0;
}

WallTime SimulatedLimit::window_begin(WallTime at, std::size_t server) const noexcept {
  const Duration phase = options_.phase + (server == 1 ? options_.servers_apart : Duration::zero());
  const Duration since = std::chrono::duration_cast<Duration>(at.time_since_epoch()) - phase;
  const Duration into = since % options_.period;
  return later(at, -(into < Duration::zero() ? into + options_.period : into));
}

std::int64_t SimulatedLimit::limit_of_one() const noexcept {
  return options_.kind == LimitKind::two_counters ? divided_up(options_.limit, 2) : options_.limit;
}

// Applies the passage of time to the counter.
void SimulatedLimit::pass(WallTime at, std::size_t server) {
  Counter& counter = counters_[server];
  switch (options_.kind) {
    case LimitKind::sliding_log:
    case LimitKind::first_window:
    case LimitKind::extended_window:
      if (!counter.begin || between(*counter.begin, at) >= options_.period) counter = {.begin = at};
      while (!log_.empty() && between(log_.front(), at) >= options_.period) log_.pop_front();
      return;
    case LimitKind::token_bucket: {
      const std::int64_t full = options_.limit * options_.period.count();
      const auto passed = std::clamp(between(credited_at_.value_or(at), at), Duration::zero(), options_.period);
      credit_ += std::min<std::int64_t>(full - credit_, options_.limit * passed.count());
      credited_at_ = at;
      return;
    }
    case LimitKind::aligned_window:
    case LimitKind::sliding_counter:
    case LimitKind::two_counters: break;
  }
  const WallTime begin = window_begin(at, server);
  if (counter.begin == begin) return;
  const bool follows = counter.begin && between(*counter.begin, begin) == options_.period;
  counter = {.begin = begin, .before = follows ? counter.used : 0};
}

bool SimulatedLimit::take(WallTime at, std::size_t server) {
  if (recovers_in(at, server) > Duration::zero()) return false;
  ++counters_[server].used;
  if (options_.kind == LimitKind::sliding_log) log_.push_back(at);
  if (options_.kind == LimitKind::token_bucket) credit_ -= options_.period.count();
  return true;
}

std::int64_t SimulatedLimit::remaining(WallTime at, std::size_t server) const {
  switch (options_.kind) {
    case LimitKind::sliding_log: return options_.limit - static_cast<std::int64_t>(log_.size());
    case LimitKind::sliding_counter: return std::max<std::int64_t>(options_.limit - weighed(at), 0);
    case LimitKind::token_bucket: return credit_ / options_.period.count();
    case LimitKind::aligned_window:
    case LimitKind::first_window:
    case LimitKind::extended_window:
    case LimitKind::two_counters: break;
  }
  return limit_of_one() - counters_[server].used;
}

Duration SimulatedLimit::resets_in(WallTime at, std::size_t server) const {
  const std::int64_t token = options_.period.count();
  const std::int64_t full = options_.limit * (options_.kind == LimitKind::token_bucket ? token : 0);
  switch (options_.kind) {
    case LimitKind::sliding_log:
      if (options_.log_reset == LogReset::oldest_expires) return log_resets_in(at);
      if (options_.log_reset == LogReset::period_from_now) return options_.period;
      break;
    case LimitKind::token_bucket:
      if (options_.limit == 0) return options_.period;
      if (options_.bucket_reset == BucketReset::until_full || credit_ == full)
        return Duration(divided_up(full - credit_, options_.limit));
      return Duration(divided_up(token - credit_ % token, options_.limit));
    case LimitKind::aligned_window:
    case LimitKind::first_window:
    case LimitKind::extended_window:
    case LimitKind::sliding_counter:
    case LimitKind::two_counters: break;
  }
  return options_.period - between(*counters_[server].begin, at);
}

Duration SimulatedLimit::log_resets_in(WallTime at) const {
  return log_.empty() ? options_.period : options_.period - between(log_.front(), at);
}

Duration SimulatedLimit::recovers_in(WallTime at, std::size_t server) const {
  if (options_.kind == LimitKind::sliding_counter) return counter_recovers_in(at);
  if (remaining(at, server) > 0) return Duration::zero();
  if (options_.kind == LimitKind::sliding_log) return log_resets_in(at);
  if (options_.kind != LimitKind::token_bucket || options_.limit == 0) return resets_in(at, server);
  return Duration(divided_up(options_.period.count() - credit_, options_.limit));
}

// The count of a sliding counter. `before` is weighted by the part of its window that the period ending at `at` still
// covers, rounded up to whole requests.
std::int64_t SimulatedLimit::weighed(WallTime at) const {
  const Counter& counter = counters_[0];
  const Duration covered = options_.period - between(*counter.begin, at);
  return counter.used + divided_up(counter.before * covered.count(), options_.period.count());
}

Duration SimulatedLimit::counter_recovers_in(WallTime at) const {
  const Counter& counter = counters_[0];
  if (weighed(at) < options_.limit) return Duration::zero();
  const Duration rest = options_.period - between(*counter.begin, at);
  // When at most `room` of `of` requests are still covered, counted from the end of their window.
  const auto uncovered = [&](std::int64_t room, std::int64_t of) {
    return room >= of ? Duration::zero() : options_.period - Duration(options_.period.count() * room / of);
  };
  const std::int64_t room = options_.limit - 1 - counter.used;
  if (room >= 0) return uncovered(room, counter.before) - between(*counter.begin, at);
  if (options_.limit == 0) return rest;
  return rest + uncovered(options_.limit - 1, counter.used);
}

Duration SimulatedLimit::block_left(WallTime at) const noexcept {
  if (!blocked_until_ || *blocked_until_ <= at) return Duration::zero();
  return between(at, *blocked_until_);
}

}  // namespace laboratory
