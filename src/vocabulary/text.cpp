#include <noun/text.hpp>

#include <charconv>

namespace noun { inline namespace v0 { namespace detail {
namespace {

template <class N>
std::string shortest(N value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

}  // namespace

std::string text_of(float value) { return shortest(value); }
std::string text_of(double value) { return shortest(value); }
std::string text_of(long double value) { return shortest(value); }

}}}  // namespace noun::detail
