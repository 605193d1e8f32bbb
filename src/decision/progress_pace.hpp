#pragma once
/// @file
/// How often the bytes of a transfer are reported.

#include <chrono>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// At once, and then ten times a second at most.
class ProgressPace {
 public:
  /// Whether a report is due. The caller must then make it.
  bool is_due(Instant now) noexcept {
    if (last_ && now - *last_ < std::chrono::milliseconds(100)) return false;
    last_ = now;
    return true;
  }

 private:
  std::optional<Instant> last_;
};

}}  // namespace noun
