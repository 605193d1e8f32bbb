#include "makespan_limiter.hpp"

#include <algorithm>

namespace makespan {
namespace {

constexpr double per_second = static_cast<double>(limit) / std::chrono::duration<double>(window).count();

Span span_of_seconds(double count) { return std::chrono::ceil<Span>(std::chrono::duration<double>(count)); }

}  // namespace

Verdict Limiter::admit(Moment now) {
  switch (mode_) {
    case Mode::sliding: return in_log(now);
    case Mode::bucket: return in_bucket(now);
    case Mode::aligned:
    case Mode::first: break;
  }
  return in_window(now);
}

Verdict Limiter::in_window(Moment now) {
  if (now >= turns_) {
    turns_ = (mode_ == Mode::aligned ? Moment(now.time_since_epoch() / window * window) : now) + window;
    used_ = 0;
  }
  const bool admitted = used_ < limit;
  if (admitted) ++used_;
  return {.admitted = admitted, .remaining = limit - used_, .resets_in = turns_ - now, .opens_in = turns_ - now};
}

Verdict Limiter::in_log(Moment now) {
  while (!passed_.empty() && now - passed_.front() >= window) passed_.pop_front();
  const bool admitted = static_cast<std::int64_t>(passed_.size()) < limit;
  if (admitted) passed_.push_back(now);
  const Span oldest_leaves = passed_.front() + window - now;
  return {.admitted = admitted,
          .remaining = limit - static_cast<std::int64_t>(passed_.size()),
          .resets_in = oldest_leaves,
          .opens_in = oldest_leaves};
}

Verdict Limiter::in_bucket(Moment now) {
  if (filled_ != Moment{}) {
    const double passed = std::chrono::duration<double>(now - filled_).count();
    permits_ = std::min(permits_ + passed * per_second, static_cast<double>(limit));
  }
  filled_ = now;
  const bool admitted = permits_ >= 1;
  if (admitted) permits_ -= 1;
  return {.admitted = admitted,
          .remaining = static_cast<std::int64_t>(permits_),
          .resets_in = span_of_seconds((static_cast<double>(limit) - permits_) / per_second),
          .opens_in = span_of_seconds(std::max(1 - permits_, 0.0) / per_second)};
}

Span bound(Mode mode, std::size_t requests, std::size_t in_flight, Span response_time, Span to_turn) {
  const auto count = static_cast<std::int64_t>(requests);
  const auto at_once = static_cast<std::int64_t>(in_flight);
  const std::int64_t turns = (count - 1) / limit;
  switch (mode) {
    case Mode::aligned: return turns == 0 ? response_time : to_turn + (turns - 1) * window + response_time;
    case Mode::first: return turns * window + response_time;
    case Mode::sliding: return turns * window + ((count - 1) % limit / at_once + 1) * response_time;
    case Mode::bucket: break;
  }
  const Span serial = (count + at_once - 1) / at_once * response_time;
  return std::max(serial, span_of_seconds(static_cast<double>(count - limit) / per_second) + response_time);
}

}  // namespace makespan
