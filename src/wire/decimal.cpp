#include "wire/decimal.hpp"

#include <version>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 { namespace wire {

std::optional<double> read_decimal(std::string_view text) noexcept {
#ifdef __cpp_lib_to_chars
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
#else
  return read_decimal_with_strtod(text);
#endif
}

std::optional<double> read_decimal_with_strtod(std::string_view text) noexcept try {
  Cursor at(text);
  const auto whole = at.take_until(not_digit);
  if (whole.empty()) return std::nullopt;
  const auto fraction = at.take('.') ? at.take_until(not_digit) : std::string_view();
  // No text has so many digits that they could outweigh this exponent.
  constexpr std::int64_t huge = std::int64_t(1) << 40;
  std::int64_t exponent = 0;
  if (at.take('e') || at.take('E')) {
    const bool is_negative = at.take('-');
    if (!is_negative) at.take('+');
    const auto digits = at.take_until(not_digit);
    if (digits.empty()) return std::nullopt;
    exponent = std::min(read_integer<std::int64_t>(digits).value_or(huge), huge);
    if (is_negative) exponent = -exponent;
  }
  if (!at.done()) return std::nullopt;

  // Without a decimal point, which depends on the locale.
  auto digits = std::string(whole).append(fraction);
  const bool is_zero = digits.find_first_not_of('0') == std::string::npos;
  digits += 'e' + std::to_string(exponent - static_cast<std::int64_t>(fraction.size()));
  const double value = std::strtod(digits.c_str(), nullptr);
  if (!std::isfinite(value) || (value == 0 && !is_zero)) return std::nullopt;
  return value;
} catch (...) {
  // No memory.
  return std::nullopt;
}

}}}  // namespace noun::wire
