#include "wire/keep_alive.hpp"

#include <algorithm>
#include <cstdint>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 { namespace wire {

std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value) {
  constexpr std::uint32_t a_day = 86'400;
  std::optional<std::uint32_t> shortest;
  while (!value.empty()) {
    auto parameter = take_element(value, ",");
    if (!same_ignoring_case(take_element(parameter, "="), "timeout")) continue;
    if (const auto seconds = read_integer<std::uint32_t>(parameter))
      shortest = std::min(*seconds, shortest.value_or(a_day));
  }
  return shortest ? std::optional(std::chrono::seconds(*shortest)) : std::nullopt;
}

}}}  // namespace noun::wire
