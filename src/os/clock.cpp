#include <noun/clock.hpp>

#include <array>
#include <cstdint>
#include <mutex>

#include "os/steady_now.hpp"
#include "os/stoppable_condition.hpp"

namespace noun { inline namespace v0 {
namespace {

/// Each waiter has a condition variable of its own, found by the address of its counter, so that waking one does not
/// wake the others.
class SystemClock final : public Clock {
 public:
  Now now() noexcept override { return {steady_now(), std::chrono::system_clock::now()}; }

  void wait(Instant until, const WakeTicket& ticket, const StopToken& stop) override {
    auto& lot = lot_of(ticket.counter);
    std::unique_lock lock(lot.mutex);
    Parked parked{.counter = ticket.counter, .next = lot.first};
    lot.first = &parked;
    parked.woken.wait_until(lock, stop, until, [&] { return ticket.overtaken(); });
    for (Parked** at = &lot.first; *at != nullptr; at = &(*at)->next)
      if (*at == &parked) {
        *at = parked.next;
        break;
      }
  }

  void wake(const WakeCounter& counter) noexcept override {
    auto& lot = lot_of(&counter);
    // The lock waits for a waiter that has checked its counter but does not sleep yet.
    const std::lock_guard lock(lot.mutex);
    for (Parked* at = lot.first; at != nullptr; at = at->next)
      if (at->counter == &counter) at->woken.notify_one();
  }

 private:
  struct Parked {
    const WakeCounter* counter;
    Parked* next;
    StoppableCondition woken = {};
  };
  struct Lot {
    std::mutex mutex;
    Parked* first = nullptr;
  };

  Lot& lot_of(const WakeCounter* counter) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(counter);
    return lots_[(address >> 6U) % lots_.size()];
  }

  std::array<Lot, 64> lots_;
};

}  // namespace

Clock::~Clock() = default;

std::shared_ptr<Clock> system_clock() {
  // Never destroyed: a global client may outlive this file's statics.
  static const auto* clock = new std::shared_ptr<Clock>(std::make_shared<SystemClock>());
  return *clock;
}

}}  // namespace noun
