#include "os/process.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include <windows.h>

namespace noun { inline namespace v0 {

std::uint64_t process_id() noexcept { return ::GetCurrentProcessId(); }

/// getenv() ignores case here, so the variable is looked at: one in upper case is not found by a name in lower case.
std::string environment_variable(const char* name) {
  const auto* const value = std::getenv(name);
  if (value == nullptr) return {};
  const std::string_view asked(name);
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool asks_lower = std::any_of(asked.begin(), asked.end(), is_lower);
  for (auto* const* one = _environ; asks_lower && one != nullptr && *one != nullptr; ++one) {
    const auto known = std::string_view(*one).substr(0, asked.size());
    const bool is_it = (*one)[known.size()] == '=' && ::_strnicmp(known.data(), name, asked.size()) == 0;
    if (is_it && std::none_of(known.begin(), known.end(), is_lower)) return {};
  }
  return value;
}

std::size_t most_descriptors() noexcept { return std::numeric_limits<std::size_t>::max(); }

/// There is no fork().
bool call_at_fork(void (*)(), void (*)(), void (*)()) noexcept { return true; }

}}  // namespace noun
