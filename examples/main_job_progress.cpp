#include "main_job_progress.hpp"

#include <fmt/format.h>

#include "progress_view.hpp"

namespace main_job {

void Progress::start(std::size_t expected) {
  const std::lock_guard lock(mutex_);
  expected_ = expected;
  began_ = Clock::now();
}

void Progress::page(std::size_t items, std::size_t pages, const noun::ListingPlan& plan) {
  const std::lock_guard lock(mutex_);
  pages_ = pages;
  screen_.progress(items, pages, expected_, plan);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  say(fmt::format("{} items on {} pages in {}", progress::grouped(expected_), progress::grouped(pages_),
                  progress::in_words(Clock::now() - began_)));
}

void Progress::observe(const noun::Event& event) {
  screen_.observe(event);
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const bool waits = event.kind == noun::EventKind::holding || event.kind == noun::EventKind::retrying;
  if (!waits && event.kind != noun::EventKind::sent) return;
  if (holds_since_) held_ += now - *holds_since_;
  holds_since_ = waits ? std::optional(now) : std::nullopt;
}

std::string Progress::summary(std::size_t items, std::size_t requests, std::size_t rejected) const {
  const std::lock_guard lock(mutex_);
  const std::chrono::duration<double> elapsed = Clock::now() - began_;
  return fmt::format(R"({{"items":{},"pages":{},"requests":{},"rejected":{},"held_s":{:.3f},"elapsed_s":{:.3f}}})",
                     items, pages_, requests, rejected, held_.count(), elapsed.count());
}

}  // namespace main_job
