#include "os/process.hpp"

#include <limits>

#include <windows.h>

namespace noun { inline namespace v0 {

std::uint64_t process_id() noexcept { return ::GetCurrentProcessId(); }

std::size_t most_descriptors() noexcept { return std::numeric_limits<std::size_t>::max(); }

/// There is no fork().
bool call_at_fork(void (*)(), void (*)(), void (*)()) noexcept { return true; }

}}  // namespace noun
