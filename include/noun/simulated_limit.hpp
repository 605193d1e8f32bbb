#pragma once
/// @file
/// How a service counts requests against a limit, for tests: windows, logs, counters and buckets, as plain values.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// How requests are counted.
enum class LimitKind {
  aligned_window,   ///< windows aligned to the service's clock; each begins with a full count
  first_window,     ///< a window begins with the first request after the one before has ended
  sliding_log,      ///< a request counts for a period after it was admitted
  sliding_counter,  ///< the count of an aligned window, and as much of the one before as a period back still covers
  token_bucket,     ///< full at first; tokens flow back evenly, `limit` in a period
  two_counters,     ///< two servers, each with an aligned window of its own and one half of the limit, rounded up
  extended_window,  ///< as first_window, but each request, rejected ones too, begins the period anew
};

/// What a sliding log reports as its reset.
enum class LogReset {
  oldest_expires,   ///< when the oldest request stops counting
  window_ends,      ///< a period after the first request since the last such instant
  period_from_now,  ///< a period after the request
};

/// What a token bucket reports as its reset.
enum class BucketReset {
  until_full,  ///< when every token will be back
  until_next,  ///< when one more token will be back
};

/// Which of the `two_counters` a request meets.
enum class ServerTurn {
  alternate,  ///< the one that the request before did not meet
  chance,     ///< either, by the seed
};

/// A SimulatedLimit's conventions.
struct LimitOptions {
  LimitKind kind = LimitKind::aligned_window;  ///< how requests are counted
  std::int64_t limit = 60;                     ///< requests per period; 0 to 10^6
  /// Greater than zero; for a sliding counter or a bucket `limit * period` is at most 2,500,000 hours.
  Duration period = std::chrono::seconds(60);
  Duration phase = Duration::zero();  ///< where in the period an aligned window begins
  /// For how long a rejection makes everything be rejected; zero for no such block.
  Duration blocks_for = Duration::zero();
  bool blocks_anew = true;                             ///< whether a request that meets the block begins it anew
  BucketReset bucket_reset = BucketReset::until_full;  ///< what a bucket reports
  LogReset log_reset = LogReset::oldest_expires;       ///< what a sliding log reports
  ServerTurn server_turn = ServerTurn::alternate;      ///< which of two counters a request meets
  Duration servers_apart = Duration::zero();           ///< how much later the second counter's windows begin
  std::uint64_t seed = 1;                              ///< of the chance
};

/// What became of one request.
struct LimitVerdict {
  bool admitted = false;       ///< whether it was counted; else it was rejected
  std::int64_t limit = 0;      ///< of the counter that the request met
  std::int64_t remaining = 0;  ///< what is left there after it, rounded down
  /// Until that counter recovers, exactly: the window ends, or what BucketReset and LogReset say.
  Duration resets_in = Duration::zero();
  /// Until that counter admits the next request, exactly; zero if it would at once.
  Duration retry_in = Duration::zero();
};

/// Counts requests against a limit. Time comes in as an argument, the service's own, and does not go back.
/// @threadsafety  a plain value: reading it from many threads is safe, counting is not.
class NOUN_API SimulatedLimit {
 public:
  /// Nothing counted yet.
  explicit SimulatedLimit(const LimitOptions& options = {});

  /// Counts a request that the service meets at `at`.
  LimitVerdict count(WallTime at);
  /// Until the next request would be admitted if none came before, exactly; zero if it would at once.
  Duration admits_in(WallTime at) const;

 private:
  struct Counter {
    std::optional<WallTime> begin = {};
    std::int64_t used = 0;
    std::int64_t before = 0;
  };

  std::size_t server_of(std::uint64_t request) const noexcept;
  WallTime window_begin(WallTime at, std::size_t server) const noexcept;
  std::int64_t limit_of_one() const noexcept;
  void pass(WallTime at, std::size_t server);
  bool take(WallTime at, std::size_t server);
  std::int64_t remaining(WallTime at, std::size_t server) const;
  Duration resets_in(WallTime at, std::size_t server) const;
  Duration log_resets_in(WallTime at) const;
  Duration recovers_in(WallTime at, std::size_t server) const;
  Duration counter_recovers_in(WallTime at) const;
  std::int64_t weighed(WallTime at) const;
  Duration block_left(WallTime at) const noexcept;

  LimitOptions options_;
  std::uint64_t requests_ = 0;
  std::array<Counter, 2> counters_;
  std::deque<WallTime> log_;
  std::int64_t credit_ = 0;  // of a bucket: a token is `period` of it, and a nanosecond brings `limit`
  std::optional<WallTime> credited_at_ = {};
  std::optional<WallTime> blocked_until_ = {};
};

}}}  // namespace noun::testing
