#include "os/process.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>

#include <windows.h>

namespace noun { inline namespace v0 {

std::uint64_t process_id() noexcept { return ::GetCurrentProcessId(); }

std::string environment_variable(const char* name) {
  const auto start = std::string(name) + "=";
  for (auto* const* one = _environ; one != nullptr && *one != nullptr; ++one)
    if (const std::string_view entry(*one); entry.starts_with(start)) return std::string(entry.substr(start.size()));
  return {};
}

std::size_t most_descriptors() noexcept { return std::numeric_limits<std::size_t>::max(); }

/// There is no fork().
bool call_at_fork(void (*)(), void (*)(), void (*)()) noexcept { return true; }

}}  // namespace noun
