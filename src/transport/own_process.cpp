#include "transport/own_process.hpp"

#include <atomic>

#include <pthread.h>
#include <unistd.h>

namespace noun { inline namespace v0 {
namespace {

constinit std::atomic<unsigned long> fork_count = 0;

}  // namespace

unsigned long OwnProcess::forks() noexcept {
  static const bool is_counted =
      pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); }) == 0;
  return is_counted ? fork_count.load(std::memory_order_relaxed) : static_cast<unsigned long>(::getpid());
}

}}  // namespace noun
