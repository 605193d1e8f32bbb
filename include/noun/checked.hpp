#pragma once
/// @file
/// JSON values, and numbers that are read from them without silent changes: noun::checked.

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <noun/text.hpp>

namespace noun { inline namespace v0 {

/// A JSON value. Never brace-initialize one from an argument: `Json{x}` wraps `x` in an array with some compilers.
using Json = nlohmann::json;

namespace detail {

/// Types that JSON writes as a number, including std::int8_t and std::uint8_t.
template <class N>
concept JsonNumber =
    IntegerNumber<N> || std::same_as<N, signed char> || std::same_as<N, unsigned char> || std::floating_point<N>;

/// Whether N can represent a number of JSON, which was read as an integer or a double, exactly; a floating-point N
/// rounds. A number with a fraction fits no integer; a whole number that is written as a float (`3.0`) fits.
template <JsonNumber N, class Number>
bool represents(Number number) noexcept {
  if constexpr (std::floating_point<N>) {
    return std::abs(static_cast<double>(number)) <= static_cast<double>(std::numeric_limits<N>::max());
  } else if constexpr (std::floating_point<Number>) {
    // Above 2^53 a double cannot represent every integer.
    constexpr double exact = 9007199254740992.0;
    return std::trunc(number) == number && std::abs(number) <= exact &&
           std::in_range<N>(static_cast<std::int64_t>(number));
  } else {
    return std::in_range<N>(number);
  }
}

/// Whether `json` is a number that N can represent. Never throws.
template <JsonNumber N>
bool fits(const Json& json) noexcept {
  // A positive integer is also an integer.
  if (const auto* positive = json.template get_ptr<const Json::number_unsigned_t*>()) return represents<N>(*positive);
  if (const auto* integer = json.template get_ptr<const Json::number_integer_t*>()) return represents<N>(*integer);
  const auto* real = json.template get_ptr<const Json::number_float_t*>();
  return real != nullptr && represents<N>(*real);
}

/// Ends the reading of a value, as nlohmann does for its own types.
/// @throws nlohmann::json::other_error  (number 600); without exceptions it ends the program.
[[noreturn]] inline void refuse([[maybe_unused]] const Json& json, [[maybe_unused]] const std::string& what) {
#if defined(__cpp_exceptions)
  throw Json::other_error::create(600, what, &json);
#else
  std::abort();
#endif
}

}  // namespace detail

/// A number as a struct's field: decodes only numbers that fit N, and otherwise behaves like an N.
///
///     struct Server { std::string name; noun::checked<std::uint16_t> port; };
///     NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Server, name, port)
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
template <detail::JsonNumber N>
class checked {
 public:
  /// Zero.
  constexpr checked() noexcept = default;
  /// `value`.
  constexpr checked(N value) noexcept : value_(value) {}

  /// Converts to N.
  constexpr operator N() const noexcept { return value_; }
  /// The number.
  constexpr N value() const noexcept { return value_; }

  /// Writes the plain number, as nlohmann's hook.
  friend void to_json(Json& json, const checked& number) { json = number.value_; }
  /// Reads a number, as nlohmann's hook.
  /// @throws nlohmann::json::other_error  (number 600) if it is not a number that N can represent; without exceptions
  ///           it ends the program, as nlohmann does.
  friend void from_json(const Json& json, checked& number) {
    if (!detail::fits<N>(json))
      detail::refuse(json, json.is_number() ? "the number " + json.dump() + " does not fit its field"
                                            : std::string("a number is expected, not ") + json.type_name());
    number.value_ = json.template get<N>();
  }

 private:
  N value_ = {};
};

namespace detail {

/// Finds the first number in `json` that decoding as T would change. Supports T itself and standard containers of
/// numbers.
/// @returns  the fault as a clause, or nothing.
template <class T>
struct NumberCheck {
  /// Whether T contains numbers to check.
  static constexpr bool sees_numbers = false;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json&) { return std::nullopt; }
};

/// A number itself.
template <JsonNumber N>
struct NumberCheck<N> {
  /// True: there is a number to check.
  static constexpr bool sees_numbers = true;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    if (!json.is_number()) return std::string("a number is expected, not ") + json.type_name();
    if (!fits<N>(json)) return "the number " + json.dump() + " does not fit the type";
    return std::nullopt;
  }
};

/// Containers of T: sequences, and maps with string keys.
template <class T>
struct ContainedNumberCheck {
  /// Whether an element contains numbers to check.
  static constexpr bool sees_numbers = NumberCheck<T>::sees_numbers;
  /// The first fault of an element, as a clause with the element's place, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    if constexpr (sees_numbers) {
      if (!json.is_structured()) return std::nullopt;
      for (const auto& [key, value] : json.items())
        if (auto found = NumberCheck<T>::fault(value)) return "at " + key + ": " + *found;
    }
    return std::nullopt;
  }
};

/// A number that may be null.
template <class T>
struct NumberCheck<std::optional<T>> {
  /// Whether a value contains numbers to check.
  static constexpr bool sees_numbers = NumberCheck<T>::sees_numbers;
  /// The fault as a clause, or nothing; null is valid.
  static std::optional<std::string> fault(const Json& json) {
    return json.is_null() ? std::nullopt : NumberCheck<T>::fault(json);
  }
};

/// @{
/// Each element of a standard container: of an array, or of a map with string keys. Not of a class that derives from
/// one: it may have a from_json of its own.
template <template <class...> class Container, class T, class... More>
  requires requires { typename Container<T, More...>::allocator_type; } &&
           (!requires { typename Container<T, More...>::mapped_type; })
struct NumberCheck<Container<T, More...>> : ContainedNumberCheck<T> {};
template <template <class...> class Map, class T, class... More>
  requires requires {
    typename Map<std::string, T, More...>::allocator_type;
    typename Map<std::string, T, More...>::mapped_type;
  }
struct NumberCheck<Map<std::string, T, More...>> : ContainedNumberCheck<T> {};
template <class T, std::size_t n>
struct NumberCheck<std::array<T, n>> : ContainedNumberCheck<T> {};
/// @}

}  // namespace detail

}}  // namespace noun
