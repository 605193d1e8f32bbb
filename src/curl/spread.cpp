#include "curl/spread.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace curl {
namespace {

/// Connections of one handle to one origin. By hand, a call costs the same with 16 and with 64 in flight.
constexpr std::size_t most_in_part = 64;

}  // namespace

std::size_t Spread::choose(bool shares) {
  if (parts_.empty()) parts_.emplace_back();
  if (shares) return 0;
  const auto number_of = [&](auto place) { return static_cast<std::size_t>(place - parts_.begin()); };
  const auto last_used = std::max_element(parts_.begin(), parts_.end(), [](const Part& left, const Part& right) {
    if (left.has_idle() != right.has_idle()) return right.has_idle();
    return left.idle_since < right.idle_since;
  });
  if (last_used->has_idle()) return number_of(last_used);
  const auto roomy = std::find_if(parts_.begin(), parts_.end(),
                                  [](const Part& part) { return part.attempts < most_in_part; });
  const auto number = number_of(roomy);
  if (roomy == parts_.end()) parts_.emplace_back();
  return number;
}

Spread::Part& Spread::part(std::size_t number) {
  while (parts_.size() <= number) parts_.emplace_back();
  return parts_[number];
}

}}}  // namespace noun::curl
