// What a service can be told when it is started, and the check that it makes sense.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace atlas {

/// How X-RateLimit-Reset spells the end of the current window.
enum class ResetForm {
  epoch,       ///< whole seconds since 1970 by the service's clock, rounded up
  delta,       ///< whole seconds from now, rounded up
  fractional,  ///< seconds from now with three decimals, rounded up
  none,        ///< the field is left out; limit and remaining are still sent
};

/// The settings of one service. Every default is harmless: no limit, no latency, no faults.
struct Options {
  /// TCP port, 0 to 65535; 0 takes any free one, which Service::port() then tells.
  std::uint16_t port = 0;

  /// Numeric address of the interface to listen on.
  std::string address = "127.0.0.1";

  /// Folder that holds iso_639-3.json, iso_3166-1.json, iso_3166-2.json, iso_4217.json, iso_15924.json.
  std::string data = "/usr/share/iso-codes/json";

  /// Path in front of every collection, such as "/v1"; empty for none. Letters, digits, - . _ ~ and /.
  std::string prefix = {};

  /// Requests admitted in one window; 0 for no limit, and then no rate fields either.
  std::uint64_t limit = 0;

  /// Length of a window, 1 ms to 24 h. Windows turn at multiples of it since 1970, by the service's clock.
  std::chrono::milliseconds period = std::chrono::seconds{10};

  /// Added to each turn of the window, 0 ms to 24 h, so that a window can turn inside a second.
  std::chrono::milliseconds window_phase{0};

  /// Whether X-RateLimit-Limit, -Remaining and -Reset are sent at all.
  bool rate_headers = true;

  /// The form of X-RateLimit-Reset.
  ResetForm reset = ResetForm::epoch;

  /// Whether a 429 carries Retry-After (whole seconds, rounded up, at least 1).
  bool retry_after = true;

  /// Waited before every answer except that of /_stats, 0 ms to 1 h. The request takes effect before the wait.
  std::chrono::milliseconds latency{0};

  /// Share of requests, 0 to 1, whose connection is reset before the request takes effect.
  double drop = 0.0;

  /// Share of requests, 0 to 1, that take effect and whose connection is then closed without an answer.
  double drop_after = 0.0;

  /// Share of requests, 0 to 1, answered 503 without effect.
  double unavailable = 0.0;

  /// Share of requests, 0 to 1, that take effect and whose answer is cut: the connection is closed behind the head and
  /// half of the body, or half of the head where there is no body. The four shares add up to at most 1.
  double truncate = 0.0;

  /// Seeds the one generator behind the four shares: sequential requests meet the same faults again.
  std::uint64_t seed = 1;

  /// By how much the service's own clock (Date, windows, epoch resets) is ahead of the machine's;
  /// -1000 h to 1000 h.
  std::chrono::milliseconds clock_offset{0};
};

/// Throws std::runtime_error with a sentence that names the first member out of its range.
void check(const Options& options);

}  // namespace atlas
