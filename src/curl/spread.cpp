#include "curl/spread.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace curl {
namespace {

/// Connections of one handle to one origin. By hand, a call costs the same with 16 and with 64 in flight.
constexpr std::size_t most_in_part = 64;

}  // namespace

std::size_t Spread::choose(Use use, bool fresh) const {
  if (use == Use::shared) return 0;
  const auto first = [&](auto is_right) {
    return static_cast<std::size_t>(std::find_if(parts_.begin(), parts_.end(), is_right) - parts_.begin());
  };
  const auto with_idle = fresh ? parts_.size() : first([](const Part& part) { return part.spare() > 0; });
  if (with_idle < parts_.size()) return with_idle;
  return first([](const Part& part) { return part.attempts + part.spare() < most_in_part; });
}

bool Spread::any_silent() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.silent > 0; });
}

bool Spread::is_empty() const noexcept {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.attempts == 0 && part.open == 0; });
}

Spread::Part& Spread::part(std::size_t number) {
  while (parts_.size() <= number) parts_.emplace_back();
  return parts_[number];
}

}}}  // namespace noun::curl
