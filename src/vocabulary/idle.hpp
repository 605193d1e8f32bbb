#pragma once
/// @file
/// Objects that are costly to make, kept for whoever needs one next.

#include <array>
#include <atomic>
#include <memory>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A few objects of the process, of which each is used by one thread at a time. None is destroyed, as threads may outlive
/// statics. Not a thread's: where memory runs out, glibc ends the process if it cannot note the destructor.
/// @threadsafety  safe.
template <class T, class Free = std::default_delete<T>>
class Idle {
 public:
  using Owner = std::unique_ptr<T, Free>;

  constexpr Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;

  /// One that nobody uses now, or null.
  Owner take() noexcept {
    for (auto& place : places_)
      if (place.load(std::memory_order_relaxed) != nullptr)
        if (auto* const one = place.exchange(nullptr)) return Owner(one);
    return nullptr;
  }
  /// Keeps it, or destroys it if there are enough.
  void keep(Owner one) noexcept {
    for (auto& place : places_) {
      T* none = nullptr;
      if (!place.compare_exchange_strong(none, one.get())) continue;
      static_cast<void>(one.release());
      return;
    }
  }

 private:
  std::array<std::atomic<T*>, 16> places_{};
};

}}  // namespace noun
