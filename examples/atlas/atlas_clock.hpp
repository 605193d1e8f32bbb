// The service's own wall clock, and how HTTP spells a moment of it.
#pragma once

#include <chrono>
#include <string>

namespace atlas {

/// A moment by the service's clock.
using WallTime = std::chrono::system_clock::time_point;

/// The machine's clock, put ahead or back. Safe to use from many threads.
class WallClock {
 public:
  explicit WallClock(std::chrono::milliseconds offset) : offset_(offset) {}

  WallTime now() const { return std::chrono::system_clock::now() + offset_; }

 private:
  std::chrono::milliseconds offset_;
};

/// The value of a Date field, such as "Sun, 06 Nov 1994 08:49:37 GMT"; fractions of a second are cut.
/// @source RFC 9110, section 5.6.7 (IMF-fixdate).
std::string http_date_text(WallTime moment);

}  // namespace atlas
