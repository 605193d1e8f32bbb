#pragma once
/// @file
/// What is reported to the observer of a client once.

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>

#include <noun/http.hpp>

#include "decision/classify.hpp"
#include "quota/observation.hpp"

namespace noun { inline namespace v0 {

/// The unusual statuses of success that were reported to the observer, so that each is reported once. Safe to use from
/// many threads.
class NoticedStatuses {
 public:
  /// Adds a 2xx to the method's. Returns whether it is new; another status always is.
  bool add(Method method, int status) noexcept {
    if (!is_success(status)) return true;
    return !noticed_[static_cast<std::size_t>(method)][static_cast<std::size_t>(status - 200)].exchange(true);
  }

 private:
  std::array<std::array<std::atomic<bool>, 100>, static_cast<std::size_t>(Method::query) + 1> noticed_ = {};
};

/// The routes whose deprecation was reported to the observer, so that each is reported once: the first 1,024. Safe to
/// use from many threads.
class NoticedRoutes {
 public:
  /// Returns whether the route is new.
  bool add(quota::RouteKey route) {
    constexpr std::size_t most = 1024;
    const std::lock_guard lock(mutex_);
    return noticed_.size() < most && noticed_.insert(route).second;
  }

 private:
  std::mutex mutex_;
  std::set<quota::RouteKey> noticed_;
};

}}  // namespace noun
