#pragma once
/// @file
/// Objects of which each process has its own.

#include <atomic>
#include <memory>
#include <utility>

#include "os/abandon.hpp"
#include "os/own_process.hpp"

namespace noun { inline namespace v0 {

/// A child of fork() has none of the threads of its parent's object, and may inherit a locked lock. So it makes an object
/// of its own, and abandons the other one, which stays reachable for leak checkers. Not destroyed by its destructor.
/// @threadsafety  safe, except for destroy() and abandon().
template <class T>
class PerProcess {
 public:
  /// This process's object; `make()` makes one if there is none, and throws what it throws. If two threads do so at once,
  /// one of the objects is destroyed unused.
  template <class Make>
  T& get(Make make) {
    auto* known = own_.load(std::memory_order_acquire);
    if (known != nullptr && known->process.is_current()) return known->value;
    auto fresh = std::make_unique<Own>(make);
    auto* const inherited = known;
    if (!own_.compare_exchange_strong(known, fresh.get())) return known->value;
    noun::abandon(std::unique_ptr<Own>(inherited));
    return fresh.release()->value;
  }
  T& get() {
    return get([] { return T(); });
  }
  /// This process's object, or null.
  T* find() const noexcept {
    auto* const known = own_.load(std::memory_order_acquire);
    return known != nullptr && known->process.is_current() ? &known->value : nullptr;
  }
  /// Destroys the object, unless it is the parent's.
  void destroy() noexcept {
    std::unique_ptr<Own> known(own_.exchange(nullptr));
    if (known && !known->process.is_current()) noun::abandon(std::move(known));
  }
  /// Leaves the object as it is.
  void abandon() noexcept { noun::abandon(std::unique_ptr<Own>(own_.exchange(nullptr))); }

 private:
  struct Own {
    template <class Make>
    explicit Own(Make& make) : value(make()) {}

    const OwnProcess process;
    T value;
  };

  std::atomic<Own*> own_ = nullptr;
};

}}  // namespace noun
