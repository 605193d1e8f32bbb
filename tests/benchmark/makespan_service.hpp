#pragma once
// A service on loopback that counts: a listing at /things in pages of one, linked, and /things/N; each answer 5 ms
// after its request was counted. What it serves with is the sample service's server.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <atlas_clock.hpp>
#include <atlas_server.hpp>

#include "makespan_limiter.hpp"

namespace makespan {

constexpr std::chrono::milliseconds latency{5};

/// How X-RateLimit-Reset is spelled: whole seconds are rounded up.
enum class ResetSpelling { epoch, delta, fractional };

struct Conventions {
  Mode mode = Mode::aligned;
  ResetSpelling reset = ResetSpelling::epoch;
  bool retry_after = true;              ///< on a 429, in whole seconds, rounded up
  std::chrono::milliseconds offset{0};  ///< how far its clock is ahead
  std::size_t things = 0;               ///< how many there are
};

/// What was counted.
struct Counts {
  std::size_t requests = 0;
  std::size_t rejected = 0;
  /// When the first one came, and how long it was then to the next turn of a window that is aligned to the clock.
  std::chrono::steady_clock::time_point first{};
  Span to_turn{};
  /// When the last response was sent that is not a rejection.
  std::chrono::steady_clock::time_point last{};
};

class CountingService {
 public:
  explicit CountingService(Conventions conventions);

  std::string base_url() const;
  Counts counts() const;
  /// By its own clock.
  Moment now() const;

 private:
  atlas::Response respond(const std::string& target);
  Verdict count(Moment now);
  std::string reset_text(Moment now, Span resets_in) const;
  atlas::Response thing(const std::string& target) const;

  Conventions conventions_;
  atlas::WallClock clock_;
  mutable std::mutex mutex_;
  Limiter limiter_;
  Counts counts_;
  atlas::Server server_;
};

}  // namespace makespan
