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
#include <tuple>
#include <type_traits>
#include <utility>
#include <valarray>

#include <nlohmann/json.hpp>

#include <noun/text.hpp>

namespace noun { inline namespace v0 {

/// A JSON value. Never brace-initialize one from an argument: `Json{x}` wraps `x` in an array with some compilers.
using Json = nlohmann::json;

namespace detail {

/// Types that JSON writes as a number, including std::uint8_t and char.
template <class N>
concept JsonNumber = std::floating_point<N> || (std::integral<N> && !std::same_as<N, bool>);

/// Whether N can represent a number of JSON, which was read as an integer or a double, exactly; a floating-point N
/// rounds. A number with a fraction fits no integer; a whole number that is written as a float (`3.0`) fits.
template <JsonNumber N, class Number>
bool represents(Number number) noexcept {
  if constexpr (std::floating_point<N>) {
    // What would round to more than the largest N is infinite.
    return std::isfinite(static_cast<N>(number));
  } else if constexpr (std::floating_point<Number>) {
    // Above 2^53 a double cannot represent every integer.
    constexpr double exact = 9007199254740992.0;
    return std::trunc(number) == number && std::abs(number) <= exact &&
           represents<N>(static_cast<std::int64_t>(number));
  } else {
    // std::in_range takes no character types: promoted, they are integers.
    using Bounds = std::numeric_limits<N>;
    return std::cmp_greater_equal(number, +Bounds::min()) && std::cmp_less_equal(number, +Bounds::max());
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

/// Finds the first value in `json` that decoding as T would change silently: a number that does not fit, or an array of
/// another size than T always has. Supports what nlohmann reads itself: numbers, enums, arrays, std::pair, std::tuple
/// and the standard containers.
template <class T>
struct LossCheck {
  /// Whether T contains something to check.
  static constexpr bool may_lose = false;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json&) { return std::nullopt; }
};

/// The fault of a number that N cannot represent, as a clause, or nothing.
template <JsonNumber N>
std::optional<std::string> fault_of_number(const Json& json) {
  if (fits<N>(json)) return std::nullopt;
  return "the number " + json.dump() + " does not fit the type";
}

/// A number itself.
template <JsonNumber N>
struct LossCheck<N> {
  /// True: there is a number to check.
  static constexpr bool may_lose = true;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    if (!json.is_number()) return std::string("a number is expected, not ") + json.type_name();
    return fault_of_number<N>(json);
  }
};

/// Converts to a Json, and is no type of nlohmann, whose own from_json() of enums is found otherwise from 3.11.3 on.
struct AsJson {
  operator const Json&() const;  ///< never called
};

/// An enum that nlohmann reads as its underlying integer, for want of a from_json such as
/// NLOHMANN_JSON_SERIALIZE_ENUM defines.
template <class E>
concept NumberedEnum = std::is_enum_v<E> && JsonNumber<std::underlying_type_t<E>> &&
                       !requires(const AsJson& json, E& value) { from_json(json, value); };

/// The number of an enumerator, or one that is none but fits.
template <NumberedEnum E>
struct LossCheck<E> {
  /// True: there is a number to check.
  static constexpr bool may_lose = true;
  /// The fault as a clause, or nothing. What is not a number is left to nlohmann, or to a serializer of the program.
  static std::optional<std::string> fault(const Json& json) {
    return json.is_number() ? fault_of_number<std::underlying_type_t<E>>(json) : std::nullopt;
  }
};

/// Containers of T: sequences, and maps with keys that are text.
template <class T>
struct ContainedLossCheck {
  /// Whether an element contains something to check.
  static constexpr bool may_lose = LossCheck<T>::may_lose;
  /// The first fault of an element, as a clause with the element's place, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    if constexpr (may_lose) {
      if (!json.is_structured()) return std::nullopt;
      for (const auto& [key, value] : json.items())
        if (auto found = LossCheck<T>::fault(value)) return "at " + key + ": " + *found;
    }
    return std::nullopt;
  }
};

/// The fault of an array of another size, as a clause, or nothing. What is not an array is left to nlohmann.
inline std::optional<std::string> fault_of_size(const Json& json, std::size_t size) {
  if (!json.is_array() || json.size() == size) return std::nullopt;
  return "an array of size " + std::to_string(size) + " is expected, not of size " + std::to_string(json.size());
}

/// Arrays of n elements T.
template <class T, std::size_t n>
struct SizedLossCheck {
  /// True: there is a size to check.
  static constexpr bool may_lose = true;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    auto wrong = fault_of_size(json, n);
    return wrong ? wrong : ContainedLossCheck<T>::fault(json);
  }
};

/// Arrays of an element of each type.
template <class... Elements>
struct EachLossCheck {
  /// True: there is a size to check.
  static constexpr bool may_lose = true;
  /// The fault as a clause, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    auto found = fault_of_size(json, sizeof...(Elements));
    if (found || !json.is_array()) return found;
    [[maybe_unused]] std::size_t place = 0;
    static_cast<void>(((found = fault_at<Elements>(json, place++)) || ...));
    return found;
  }

 private:
  template <class T>
  static std::optional<std::string> fault_at(const Json& json, std::size_t place) {
    auto found = LossCheck<T>::fault(json[place]);
    if (found) found->insert(0, "at " + std::to_string(place) + ": ");
    return found;
  }
};

/// Maps with other keys: arrays of pairs. A program may have given them another shape.
template <class Key, class T>
struct PairsLossCheck {
  /// True: the sizes of the pairs are to be checked.
  static constexpr bool may_lose = true;
  /// The first fault of a pair, as a clause with its place, or nothing.
  static std::optional<std::string> fault(const Json& json) {
    return json.is_array() ? ContainedLossCheck<std::pair<Key, T>>::fault(json) : std::nullopt;
  }
};

/// A value that may be null.
template <class T>
struct LossCheck<std::optional<T>> {
  /// Whether a value contains something to check.
  static constexpr bool may_lose = LossCheck<T>::may_lose;
  /// The fault as a clause, or nothing; null is valid.
  static std::optional<std::string> fault(const Json& json) {
    return json.is_null() ? std::nullopt : LossCheck<T>::fault(json);
  }
};

/// @{
/// Each element of a standard container, but for strings. Not of a class that derives from one: it may have a from_json
/// of its own.
template <template <class...> class Container, class T, class... More>
  requires requires { typename Container<T, More...>::allocator_type; } &&
           (!requires { typename Container<T, More...>::mapped_type; }) &&
           (!std::is_assignable_v<Container<T, More...>&, const std::string&>)
struct LossCheck<Container<T, More...>> : ContainedLossCheck<T> {};
template <template <class...> class Map, class Key, class T, class... More>
  requires requires {
    typename Map<Key, T, More...>::allocator_type;
    typename Map<Key, T, More...>::mapped_type;
  }
struct LossCheck<Map<Key, T, More...>>
    : std::conditional_t<std::is_constructible_v<std::string, Key>, ContainedLossCheck<T>, PairsLossCheck<Key, T>> {};
template <class T>
struct LossCheck<std::valarray<T>> : ContainedLossCheck<T> {};
/// @}

/// @{
/// Each element of an array, a pair or a tuple, and how many there are.
template <class T, std::size_t n>
struct LossCheck<T[n]> : SizedLossCheck<T, n> {};
template <class T, std::size_t n>
struct LossCheck<std::array<T, n>> : SizedLossCheck<T, n> {};
template <class T, class U>
struct LossCheck<std::pair<T, U>> : EachLossCheck<T, U> {};
template <class... Elements>
struct LossCheck<std::tuple<Elements...>> : EachLossCheck<Elements...> {};
/// @}

}  // namespace detail

}}  // namespace noun
