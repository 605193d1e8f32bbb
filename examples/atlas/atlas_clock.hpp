// The server's wall clock, and HTTP dates.
#pragma once

#include <chrono>
#include <string>

namespace atlas {

/// A time of the server's clock.
using WallTime = std::chrono::system_clock::time_point;

/// The system clock plus a fixed offset. Thread-safe.
class WallClock {
 public:
  explicit WallClock(std::chrono::milliseconds offset) : offset_(offset) {}

  WallTime now() const { return std::chrono::system_clock::now() + offset_; }

 private:
  std::chrono::milliseconds offset_;
};

/// The value of a Date field, such as "Sun, 06 Nov 1994 08:49:37 GMT", rounded down to seconds.
/// @source RFC 9110, section 5.6.7 (IMF-fixdate).
std::string http_date_text(WallTime moment);

}  // namespace atlas
