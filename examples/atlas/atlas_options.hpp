// The options of a server, and their validation.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace atlas {

/// The format of X-RateLimit-Reset, which reports the end of the current window.
enum class ResetForm {
  epoch,       ///< whole seconds since 1970 by the server's clock, rounded up
  delta,       ///< whole seconds from now, rounded up
  fractional,  ///< seconds from now with three decimals, rounded up
  none,        ///< the field is omitted; limit and remaining are still sent
};

/// The options of one server. By default there is no rate limit, no latency and no fault.
struct Options {
  /// TCP port, 0 to 65535. 0 selects any free port, which Service::port() returns.
  std::uint16_t port = 0;

  /// Numeric address of the interface to listen on.
  std::string address = "127.0.0.1";

  /// The folder of iso_639-3.json, iso_3166-1.json, iso_3166-2.json, iso_4217.json and iso_15924.json.
  std::string data = "/usr/share/iso-codes/json";

  /// Path prefix of every collection, such as "/v1"; empty for none. Letters, digits, - . _ ~ and /.
  std::string prefix = {};

  /// Requests admitted per window. 0: no limit, and no rate limit fields.
  std::uint64_t limit = 0;

  /// Length of a window, 1 ms to 24 h. Windows reset at multiples of it since 1970, by the server's clock.
  std::chrono::milliseconds period = std::chrono::seconds{10};

  /// Delay of each window reset, 0 ms to 24 h: a window can so reset within a second.
  std::chrono::milliseconds window_phase{0};

  /// Whether X-RateLimit-Limit, -Remaining and -Reset are sent at all.
  bool rate_headers = true;

  /// The format of X-RateLimit-Reset.
  ResetForm reset = ResetForm::epoch;

  /// Whether a 429 carries Retry-After (whole seconds, rounded up, at least 1).
  bool retry_after = true;

  /// Delay of every response except that of /_stats, 0 ms to 1 h. The request is applied before the delay.
  std::chrono::milliseconds latency{0};

  /// Share of requests, 0 to 1, whose connection is reset before the request is applied.
  double drop = 0.0;

  /// Share of requests, 0 to 1, that are applied and whose connection is then closed without a response.
  double drop_after = 0.0;

  /// Share of requests, 0 to 1, that are rejected with 503 and not applied.
  double unavailable = 0.0;

  /// Share of requests, 0 to 1, that are applied and whose response is cut: the connection is closed after the head and
  /// half of the body, or after half of the head if there is no body. The sum of the four shares is at most 1.
  double truncate = 0.0;

  /// Seed of the random generator for the four shares: equal seeds give sequential requests equal faults.
  std::uint64_t seed = 1;

  /// How far the server's clock (Date, windows, epoch resets) is ahead of the system clock, -1000 h to 1000 h.
  std::chrono::milliseconds clock_offset{0};
};

/// Throws std::runtime_error that names the first option out of its range.
void check(const Options& options);

}  // namespace atlas
