#pragma once
/// @file
/// Estimator of a sliding counter: windows that follow each other, where the count of the previous window is added,
/// weighted by the part of it that the last period still covers. No permit is freed by the reset. While a window passes,
/// those that the previous one used are refilled.

#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"
#include "quota/estimators/permit_level.hpp"

namespace noun { inline namespace v0 { namespace quota {

class SlidingCounter : public EstimatorDefaults {
 public:
  static constexpr Effect effect = Effect::replaces;
  static constexpr bool needs_report = true;

  void on_sent(Instant, const PermitRequest& request) noexcept { level_.take(request.cost); }
  void on_unsent(const PermitRequest& request) noexcept { level_.take(-request.cost); }
  void on_response(const Observation& seen, const Account& account);
  void on_refuted() noexcept { refuted_ = true; }
  bool is_doubtful() const noexcept { return !fits_; }
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  /// Whether it is a sliding counter: it explains the responses, and windows that start empty do not.
  bool is_known() const noexcept { return fits_ && !refuted_ && level_.is_known(); }
  std::optional<Instant> free_at() const noexcept { return is_known() ? when(1) : std::nullopt; }
  bool is_whole() const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.window_, self.before_, self.expected_before_, self.period_, self.fits_, self.refuted_, self.level_);
  }

 private:
  // What the server counted of our own requests: at least, at most.
  struct Count {
    std::int64_t least = 0;
    std::int64_t most = 0;

    static void fields(auto& self, auto& archive) { archive(self.least, self.most); }
  };
  struct Window {
    ResetInterval end = {};
    std::int64_t served = 0;         // requests whose responses reported this window
    std::int64_t sent_before = 0;    // cost of the requests done before its first response
    std::int64_t served_before = 0;  // of those, and of late responses about other windows
    std::int64_t carried = 0;        // the most that was counted and is not ours
    bool expected = false;           // it was as much as a sliding counter would have counted
    bool ruled_out = false;          // its counts are not those of a sliding counter

    static void fields(auto& self, auto& archive) {
      archive(self.end, self.served, self.sent_before, self.served_before, self.carried, self.expected, self.ruled_out);
    }
  };

  /// When at least `permits` are there; nothing if that is not known. Only if is_known().
  std::optional<Instant> when(std::int64_t permits) const noexcept;
  void open(const Observation& seen) noexcept;
  void compare(const Observation& seen) noexcept;
  void rule_out() noexcept {
    window_->ruled_out = true;
    window_->expected = false;
    fits_ = false;
  }
  /// Permits that are refilled in a span of time.
  double refilled(Instant from, Instant to) const noexcept;

  std::optional<Window> window_ = {};
  Count before_ = {};             // in the previous window
  bool expected_before_ = false;  // Window::expected of that window
  Duration period_ = {};  // length of a window; zero if unknown
  bool fits_ = false;
  bool refuted_ = false;
  PermitLevel level_;
};

}}}  // namespace noun::quota
