#pragma once
/// @file
/// Simulated rate limits for tests: windows, logs, counters and token buckets, as plain values.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include <noun/time.hpp>

namespace laboratory {

using noun::Duration;
using noun::WallTime;

/// The quotient of two numbers that are not negative, rounded up.
std::int64_t divided_up(std::int64_t value, std::int64_t by);

/// How requests are counted.
enum class LimitKind {
  aligned_window,   ///< windows aligned to the server's clock; each starts with a full count
  first_window,     ///< a window starts with the first request after the previous window has ended
  sliding_log,      ///< a request counts for a period after it was admitted
  sliding_counter,  ///< the count of an aligned window, plus the previous one weighted by its part of the last period
  token_bucket,     ///< starts full; refilled evenly, `limit` tokens per period
  two_counters,     ///< two servers, each with its own aligned window and one half of the limit, rounded up
  extended_window,  ///< as first_window, but each request, even a rejected one, restarts the period
};

/// The reset that a sliding log reports.
enum class LogReset {
  oldest_expires,   ///< when the oldest request stops counting
  window_ends,      ///< a period after the first request since the last such instant
  period_from_now,  ///< a period after the request
};

/// The reset that a token bucket reports.
enum class BucketReset {
  until_full,  ///< when the bucket is full
  until_next,  ///< when the next token is added
};

/// Which of the `two_counters` a request reaches.
enum class ServerTurn {
  alternate,  ///< the one that the previous request did not reach
  chance,     ///< a random one, determined by the seed
};

/// The options of a SimulatedLimit.
struct LimitOptions {
  LimitKind kind = LimitKind::aligned_window;  ///< how requests are counted
  std::int64_t limit = 60;                     ///< requests per period; 0 to 10^6
  /// Greater than zero; for a sliding counter or a token bucket `limit * period` is at most 2,500,000 hours.
  Duration period = std::chrono::seconds(60);
  Duration phase = Duration::zero();  ///< where in the period an aligned window starts
  /// How long a rejection blocks all requests; zero for no block.
  Duration blocks_for = Duration::zero();
  bool blocks_anew = true;                             ///< whether a request during the block restarts it
  BucketReset bucket_reset = BucketReset::until_full;  ///< what a token bucket reports
  LogReset log_reset = LogReset::oldest_expires;       ///< what a sliding log reports
  ServerTurn server_turn = ServerTurn::alternate;      ///< which of two counters a request reaches
  Duration servers_apart = Duration::zero();           ///< how much later the second counter's windows start
  std::uint64_t seed = 1;                              ///< of the random choices
};

/// The result of counting one request.
struct LimitVerdict {
  bool admitted = false;       ///< whether it was counted; otherwise it was rejected
  std::int64_t limit = 0;      ///< of the counter that the request reached
  std::int64_t remaining = 0;  ///< what remains there after the request, rounded down
  /// The exact time until that counter recovers: the window ends, or as BucketReset and LogReset define.
  Duration resets_in = Duration::zero();
  /// The exact time until that counter admits the next request; zero if it would at once.
  Duration retry_in = Duration::zero();
};

/// Counts requests against a limit. The caller passes the server's time, which must not go back.
/// @threadsafety  a plain value: reading it from many threads is safe, counting is not.
class SimulatedLimit {
 public:
  /// Starts with nothing counted.
  explicit SimulatedLimit(const LimitOptions& options = {});

  /// Counts a request that reaches the server at `at`.
  LimitVerdict count(WallTime at);
  /// The exact time until the next request would be admitted if none came before; zero if it would at once.
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
  std::int64_t credit_ = 0;  // of a token bucket: a token is `period` units, and a nanosecond adds `limit`
  std::optional<WallTime> credited_at_ = {};
  std::optional<WallTime> blocked_until_ = {};
};

}  // namespace laboratory
