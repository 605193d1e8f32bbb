#pragma once
/// @file
/// What came of one request, as far as one quota policy is concerned: the only input of the estimators.

#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

#include "quota/time/reset_interval.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// A request's method and path without its ids, as a hash; 0 for none in particular.
using RouteKey = std::uint64_t;

/// What came of a request.
enum class Outcome : std::uint8_t {
  served,    ///< a response that is not a rejection, or one that another quota policy rejected
  rejected,  ///< 429, or the dialect's spelling of it
  /// 503 without a reason: a rejection, where others are served.
  unavailable,
  lost,  ///< no response: the server may have counted the request
  end_of_values
};

/// What a response is to the window that was reported last.
enum class WindowNews : std::uint8_t {
  stale,   ///< it is about a window that has ended
  same,    ///< it is about this window
  either,  ///< about this window or the next: read as the next, with no more left than in this one
  opened,  ///< it is about a later window, which is now the reported one
  end_of_values
};

/// Numbers of requests, and what they cost together.
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

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.requests, self.cost);
  }
};

/// When something was known; and how many requests had been sent by then, which tells those of the same instant apart.
struct Moment {
  Instant at = Instant::min();
  std::int64_t sent = 0;

  /// Whether a request was sent later.
  /// @param number  how many were sent before it.
  bool is_before(Instant sent_at, std::int64_t number) const noexcept {
    return sent_at > at || (sent_at == at && number >= sent);
  }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.at, self.sent);
  }
};

/// One request and its response. Admission completes it; estimators only read it.
struct Observation {
  Instant sent_at = {};
  Instant received_at = {};  ///< of `lost`, when it was given up
  Outcome outcome = Outcome::served;
  bool healthy = true;  ///< the response is no 5xx
  RouteKey route = 0;
  std::int64_t cost = 1;  ///< what the request was expected to take
  bool probe = false;     ///< it was sent alone, to learn from its response
  bool guessed = false;   ///< it went by a guess

  // Reported by the server; empty where it reported nothing that can be read.
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::optional<ResetInterval> reset = {};
  std::optional<std::chrono::sys_seconds> date = {};
  std::optional<Duration> window = {};           ///< how long windows are
  std::optional<double> refill_per_second = {};  ///< of a token bucket
  std::optional<Duration> retry_after = {};
  std::optional<Duration> pause = {};        ///< how long a success asks everybody to wait
  Duration default_wait = Duration::zero();  ///< the first wait after a rejection that reports none; zero is a second

  // What the server may, or must, have counted of our other requests.
  Sums in_flight = {};          ///< without a response when this one was received
  Sums perhaps_after = {};      ///< may have been counted after this one: in flight when it was sent, or sent since
  std::int64_t sent_since = 0;  ///< requests sent after this one
  Sums sent = {};               ///< all that was sent until this one was recorded
  Sums served = {};             ///< of those, served, this one included
  Sums served_before = {};      ///< of those, served before this one was sent

  // What the reported window made of it.
  WindowNews news = WindowNews::stale;
  std::optional<Instant> ends_by = {};  ///< when that window has certainly ended
  bool began_at_once = false;  ///< its window was begun by one of our requests as soon as the one before had ended

  /// Whether it was sent after the moment.
  bool is_after(const Moment& moment) const noexcept {
    return moment.is_before(sent_at, sent.requests - sent_since - 1);
  }
  /// Whether no other request was under way with it.
  bool alone() const noexcept { return perhaps_after.requests == 0 && in_flight.requests == 0; }
  /// What the server has counted by its own report. Only if both numbers were reported.
  std::int64_t used() const noexcept { return *limit - *remaining; }
  /// The reset, if it can be calculated with.
  std::optional<ResetInterval> near_reset() const noexcept {
    return reset && reset->is_near(sent_at, received_at) ? reset : std::nullopt;
  }
};

}}}  // namespace noun::quota
