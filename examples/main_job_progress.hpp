#pragma once
// The progress of the main job: what it shows, and its summary.

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <noun/event.hpp>
#include <noun/listing_plan.hpp>

#include "progress_screen.hpp"

namespace main_job {

/// Updated by the client's observer and by the job, on any thread.
class Progress {
 public:
  /// The listing of so many items starts, received more pages, or is finished.
  void start(std::size_t expected);
  void page(std::size_t items, std::size_t pages, const noun::ListingPlan& plan);
  void finish();
  void observe(const noun::Event& event);
  /// Prints a line of its own.
  void say(std::string_view line) { screen_.say(line); }
  /// Ends the live line.
  void stop() { screen_.stop(); }
  /// The job as one line of JSON.
  std::string summary(std::size_t items, std::size_t requests, std::size_t rejected) const;

 private:
  using Clock = std::chrono::steady_clock;

  progress::Screen screen_{progress::Screen::style_of(false)};
  mutable std::mutex mutex_;
  Clock::time_point began_ = Clock::now();
  /// When the current wait began.
  std::optional<Clock::time_point> holds_since_ = {};
  std::chrono::duration<double> held_{0};
  std::size_t expected_ = 0;
  std::size_t pages_ = 0;
};

}  // namespace main_job
