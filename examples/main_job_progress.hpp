#pragma once
// The progress of the main job: on a terminal one live line, ten times a second; into a pipe, plain lines.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <noun/event.hpp>

namespace main_job {

/// Updated by the client's observer and by the job, on any thread.
class Progress {
 public:
  Progress();
  ~Progress();

  /// The listing of so many items starts, or is finished.
  void start(std::size_t expected);
  void finish();
  /// Stops the live line.
  void stop();
  /// One more item was delivered.
  void item();
  void observe(const noun::Event& event);
  /// Prints a line of its own.
  void say(std::string_view line);
  /// The job as one line of JSON.
  std::string summary(std::size_t items, std::size_t requests, std::size_t rejected) const;

 private:
  using Clock = std::chrono::steady_clock;

  void draw();
  std::string line(Clock::time_point now) const;
  std::string time_left(Clock::time_point now) const;
  void end_hold(Clock::time_point now);

  const bool terminal_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point hold_began_ = {};
  Clock::time_point hold_ends_ = {};
  noun::WaitReason holding_ = noun::WaitReason::none;
  std::chrono::duration<double> held_{0};
  noun::QuotaReading quota_;
  std::size_t expected_ = 0;
  std::size_t items_ = 0;
  std::size_t pages_ = 0;
  std::size_t drained_pages_ = 0;
  std::size_t requests_ = 0;
  bool draining_ = false;
  bool stopped_ = false;
  std::thread painter_;
};

}  // namespace main_job
