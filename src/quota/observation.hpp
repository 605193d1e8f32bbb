#pragma once
/// @file
/// The result of one request, for one quota policy: the only input of the estimators.

#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/retry.hpp>
#include <noun/time.hpp>

#include "quota/time/reset_interval.hpp"
#include "wire/reported_quota.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// Hash of a request's method and path without its ids; 0 for no particular route.
using RouteKey = std::uint64_t;

/// The result of a request.
enum class Outcome : std::uint8_t {
  served,    ///< a response that is not a rejection, or one that another quota policy rejected
  rejected,  ///< 429, or the dialect's equivalent
  /// 503 without a reason: a rejection, if other requests are served.
  unavailable,
  lost,  ///< no response: the server may have counted the request
  end_of_values
};

/// How a response relates to the window that was reported last.
enum class WindowNews : std::uint8_t {
  stale,   ///< about a window that has ended
  same,    ///< about this window
  either,  ///< about this window or the next: treated as the next, with no more remaining than in this one
  opened,  ///< about a later window, which is now the reported one
  end_of_values
};

/// Whether a deserialized number is one of requests or permits that can be calculated with.
constexpr bool is_count(std::int64_t value) noexcept { return value >= 0 && value <= wire::largest_count; }

/// A number of requests, and their total cost.
struct Sums {
  std::int64_t requests = 0;
  std::int64_t cost = 0;

  constexpr Sums& operator+=(const Sums& more) noexcept { return *this = *this + more; }
  constexpr Sums& operator-=(const Sums& less) noexcept { return *this = *this - less; }
  friend constexpr Sums operator+(const Sums& left, const Sums& right) noexcept {
    return {left.requests + right.requests, left.cost + right.cost};
  }
  friend constexpr Sums operator-(const Sums& left, const Sums& right) noexcept {
    return {left.requests - right.requests, left.cost - right.cost};
  }

  static void fields(auto& self, auto& archive) { archive(self.requests, self.cost); }
};

/// An instant, and the number of requests sent by then, which orders events at the same instant.
struct Moment {
  Instant at = Instant::min();
  std::int64_t sent = 0;

  /// Whether a request was sent after this moment.
  /// @param number  how many requests were sent before it.
  bool is_before(Instant sent_at, std::int64_t number) const noexcept {
    return sent_at > at || (sent_at == at && number >= sent);
  }

  static void fields(auto& self, auto& archive) { archive(self.at, self.sent); }
};

/// One request and its response. Admission completes it; estimators only read it.
struct Observation {
  Instant sent_at = {};
  Instant received_at = {};  ///< of `lost`: when the request was given up
  Outcome outcome = Outcome::served;
  bool healthy = true;  ///< the response is not a 5xx
  bool counted = true;  ///< as in Report; otherwise its cost is 0
  RouteKey route = 0;
  std::int64_t cost = 1;  ///< expected cost of the request
  bool probe = false;     ///< sent alone, to learn from its response
  bool guessed = false;   ///< admitted by a claim that is not proven

  // Reported by the server; empty if not reported or not readable.
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::optional<ResetInterval> reset = {};
  std::optional<std::chrono::sys_seconds> date = {};
  std::optional<Duration> window = {};           ///< length of a window
  std::optional<double> refill_per_second = {};  ///< refill rate of a token bucket
  std::optional<std::int64_t> reported_cost = {};  ///< of the request; at least 0
  std::optional<Duration> retry_after = {};
  std::optional<Duration> pause = {};        ///< how long all calls wait after this success, as it reports
  Duration default_wait = Duration::zero();  ///< as in Rejection
  RetryPolicy retry = {};                    ///< as in Rejection

  std::int64_t open = 0;  ///< streams that are open

  // What the server may, or must, have counted of our other requests.
  Sums in_flight = {};           ///< without a response when this response was received
  Sums perhaps_after = {};       ///< may have been counted after it: in flight when it was sent, or sent since
  std::int64_t sent_before = 0;  ///< requests sent before this one
  Sums sent = {};                ///< all requests sent until this one was recorded
  Sums served = {};              ///< of those, requests served, including this one
  Sums served_before = {};       ///< of those, requests served before this one was sent

  // How the reported window classified it.
  WindowNews news = WindowNews::stale;
  std::optional<Instant> ends_by = {};  ///< when that window has certainly ended
  /// One of our requests started its window as soon as the previous one had ended.
  bool began_at_once = false;

  /// Whether it was sent after the moment.
  bool is_after(const Moment& moment) const noexcept { return moment.is_before(sent_at, sent_before); }
  /// Whether no other request was in flight together with it.
  bool alone() const noexcept { return perhaps_after.requests == 0 && in_flight.requests == 0; }
  /// The cost that the server has counted, as it reports. Only if limit and remaining were reported.
  std::int64_t used() const noexcept { return *limit - *remaining; }
  /// The reset, if it is near enough for calculations.
  std::optional<ResetInterval> near_reset() const noexcept {
    return reset && reset->is_near(sent_at, received_at) ? reset : std::nullopt;
  }
};

}}}  // namespace noun::quota
