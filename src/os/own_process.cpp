#include "os/own_process.hpp"

#include <atomic>

#include "os/process.hpp"

namespace noun { inline namespace v0 {
namespace {

constinit std::atomic<unsigned long> fork_count = 0;
// Before the handlers of the program, which may destroy objects.
[[maybe_unused]] const bool registered =
    call_at_fork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

unsigned long OwnProcess::forks() noexcept { return fork_count.load(std::memory_order_relaxed); }

}}  // namespace noun
