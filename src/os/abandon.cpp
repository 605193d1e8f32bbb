#include "os/abandon.hpp"

#include <atomic>
#include <new>

namespace noun { inline namespace v0 {
namespace {

struct Abandoned {
  const void* object;
  Abandoned* next;
};

constinit std::atomic<Abandoned*> last_abandoned = nullptr;

}  // namespace

void keep_reachable(const void* object) noexcept {
  auto* const abandoned = new (std::nothrow) Abandoned{object, last_abandoned.load()};
  if (abandoned == nullptr) return;
  while (!last_abandoned.compare_exchange_weak(abandoned->next, abandoned)) {
  }
}

}}  // namespace noun
