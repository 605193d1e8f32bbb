#include "os/process.hpp"

#include <cstdlib>
#include <limits>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace noun { inline namespace v0 {

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(::getpid()); }

std::string environment_variable(const char* name) {
  const auto* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::size_t most_descriptors() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(limit.rlim_cur);
}

bool call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return ::pthread_atfork(before, in_parent, in_child) == 0;
}

}}  // namespace noun
