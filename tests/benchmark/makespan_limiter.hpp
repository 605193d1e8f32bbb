#pragma once
// The four ways in which the benchmark's service counts 50 requests in 2 seconds, and when its windows let pass what.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace makespan {

using Span = std::chrono::nanoseconds;
/// By the service's clock.
using Moment = std::chrono::sys_time<Span>;

constexpr std::int64_t limit = 50;
constexpr Span window = std::chrono::seconds(2);

enum class Mode {
  aligned,  ///< windows turn at even seconds of the service's clock
  first,    ///< a window opens with the first request after the one before
  sliding,  ///< of the last 2 seconds, at any moment
  bucket,   ///< 50 permits, 25 flow back in a second
};

/// What became of one request, and what the answer says of it.
struct Verdict {
  bool admitted = true;
  std::int64_t remaining = 0;
  Span resets_in{};  ///< to the turn of the window, to the oldest request's leaving it, or to a full bucket
  Span opens_in{};   ///< until one more may pass, for Retry-After
};

/// Not thread-safe; a later call has a later `now`.
class Limiter {
 public:
  explicit Limiter(Mode mode) : mode_(mode) {}

  Verdict admit(Moment now);

 private:
  Verdict in_window(Moment now);
  Verdict in_log(Moment now);
  Verdict in_bucket(Moment now);

  Mode mode_;
  Moment turns_{};
  std::int64_t used_ = 0;
  std::deque<Moment> passed_;
  double permits_ = limit;
  Moment filled_{};
};

/// The least time from the first request's arrival to the last answer's, of `requests` by a client with so many in
/// flight that knows all; the head of makespan_main.cpp derives it. `to_turn` is from the first arrival to the next
/// turn.
Span bound(Mode mode, std::size_t requests, std::size_t in_flight, Span response_time, Span to_turn);

}  // namespace makespan
