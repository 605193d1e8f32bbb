#include "main_job_progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <noun/format.hpp>

namespace main_job {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr auto repaint = std::chrono::milliseconds(100);
constexpr auto worth_a_line = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {
  if (terminal_) painter_ = std::thread([this] { draw(); });
}

Progress::~Progress() { stop(); }

void Progress::stop() {
  if (!painter_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  painter_.join();
}

void Progress::start(std::size_t expected) {
  const std::lock_guard lock(mutex_);
  expected_ = expected;
  draining_ = true;
  began_ = Clock::now();
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  draining_ = false;
  drained_pages_ = pages_;
  fmt::print(stderr, "{}{}\n", terminal_ ? "\r\033[K" : "", line(Clock::now()));
}

void Progress::item() {
  const std::lock_guard lock(mutex_);
  ++items_;
}

void Progress::say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}{}\n", terminal_ ? "\r\033[K" : "", text);
}

void Progress::observe(const noun::Event& event) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (event.quota.limit) quota_ = event.quota;
  if (event.kind == noun::EventKind::sent) {
    ++requests_;
    end_hold(now);
  } else if (event.kind == noun::EventKind::holding || event.kind == noun::EventKind::retrying) {
    end_hold(now);
    holding_ = event.reason;
    hold_began_ = now;
    hold_ends_ = now + event.wait;
    if (!terminal_ && event.wait >= worth_a_line)
      fmt::print(stderr, "holding {:.1f} s: {} ({} items so far)\n", Seconds(event.wait).count(), event.reason, items_);
  } else if (event.kind == noun::EventKind::page_delivered) {
    ++pages_;
    constexpr std::size_t each = 20;
    if (!terminal_ && draining_ && pages_ % each == 0) fmt::print(stderr, "{}\n", line(now));
  }
}

void Progress::end_hold(Clock::time_point now) {
  if (std::exchange(holding_, noun::WaitReason::none) != noun::WaitReason::none) held_ += now - hold_began_;
}

std::string Progress::line(Clock::time_point now) const {
  const Seconds elapsed = now - began_;
  auto text = fmt::format("{}/{} items  {} pages  {} requests", items_, expected_, pages_, requests_);
  if (quota_.limit) text += fmt::format("  quota {}/{}", quota_.remaining.value_or(0), *quota_.limit);
  text += fmt::format("  {:.0f} items/s", static_cast<double>(items_) / std::max(elapsed.count(), 0.001));
  if (holding_ != noun::WaitReason::none)
    text += fmt::format("  holding {:.1f} s: {}", std::max(Seconds(hold_ends_ - now).count(), 0.0), holding_);
  if (draining_) text += "  " + time_left(now);
  return text;
}

std::string Progress::time_left(Clock::time_point now) const {
  if (items_ == 0) return "";
  const Seconds elapsed = now - began_;
  const auto left = static_cast<double>(expected_ - std::min(items_, expected_)) / static_cast<double>(items_);
  return fmt::format("{:.0f} s left", elapsed.count() * left);
}

void Progress::draw() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (draining_) fmt::print(stderr, "\r\033[K{}", line(Clock::now()));
    changed_.wait_for(lock, repaint, [this] { return stopped_; });
  }
}

std::string Progress::summary(std::size_t items, std::size_t requests, std::size_t rejected) const {
  const std::lock_guard lock(mutex_);
  return fmt::format(R"({{"items":{},"pages":{},"requests":{},"rejected":{},"held_s":{:.3f},"elapsed_s":{:.3f}}})",
                     items, drained_pages_, requests, rejected, held_.count(), Seconds(Clock::now() - began_).count());
}

}  // namespace main_job
