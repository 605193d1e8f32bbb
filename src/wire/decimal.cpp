#include "wire/decimal.hpp"

#include <charconv>

#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace wire {

std::optional<double> read_decimal(std::string_view text) noexcept {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}}}  // namespace noun::wire
