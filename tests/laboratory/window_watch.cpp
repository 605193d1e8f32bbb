#include "laboratory/window_watch.hpp"

#include <algorithm>

namespace laboratory {

using noun::Duration;
using noun::WallTime;

void WindowWatch::see(const LimitVerdict& verdict, WallTime at) {
  if (!first_) {
    first_ = at;
    first_window_ = verdict.resets_in;
  }
  if (renewal_ && at >= *renewal_) {
    probe_error_ = std::max<Duration>(probe_error_, at - *renewal_);
    renewal_.reset();
  }
  const bool one_counter = limit_.kind != LimitKind::two_counters;
  if (verdict.admitted && verdict.retry_in > Duration::zero() && one_counter) renewal_ = at + verdict.retry_in;
  if (verdict.admitted) ++admitted_[number_of(verdict, at)];
}

bool WindowWatch::has_windows() const {
  return limit_.kind == LimitKind::aligned_window || limit_.kind == LimitKind::first_window;
}

std::int64_t WindowWatch::number_of(const LimitVerdict& verdict, WallTime at) {
  if (limit_.kind != LimitKind::first_window) {
    const Duration into_first = has_windows() ? limit_.period - first_window_ : Duration::zero();
    return (at - *first_ + into_first) / limit_.period;
  }
  if (at >= end_) {
    end_ = at + verdict.resets_in;
    ++number_;
  }
  return number_;
}

std::vector<double> WindowWatch::utilisation() const {
  std::vector<double> utilisation;
  if (admitted_.empty()) return utilisation;
  double used = 0;
  double could = limit_.kind == LimitKind::token_bucket ? static_cast<double>(limit_.limit) : 0;
  for (std::int64_t number = 0; number < admitted_.rbegin()->first; ++number) {
    const Duration length = has_windows() && number == 0 ? first_window_ : limit_.period;
    const double sendable = sendable_per_second_ * std::chrono::duration<double>(length).count() - 1;
    if (has_windows()) used = could = 0;
    const auto found = admitted_.find(number);
    used += found == admitted_.end() ? 0 : static_cast<double>(found->second);
    could += std::min(static_cast<double>(limit_.limit), sendable);
    utilisation.push_back(std::min(used / could, 1.0));
  }
  return utilisation;
}

}  // namespace laboratory
