#pragma once
/// @file
/// Argument types for text: what callers may pass where noun takes text or a field's value. For parameters only; noun
/// stores std::string.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// Integer types, without bool and the character types.
template <class T>
concept IntegerNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                        !std::same_as<T, signed char> && !std::same_as<T, unsigned char> && !std::same_as<T, wchar_t> &&
                        !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// @{
/// The shortest text that reads back as the same value.
NOUN_API std::string text_of(float value);
NOUN_API std::string text_of(double value);
NOUN_API std::string text_of(long double value);
/// @}

}  // namespace detail

/// Text as an argument: a literal, a `const char*` (null is empty text, so that `bearer(std::getenv("TOKEN"))` is
/// defined), a std::string or a std::string_view. A view: never store it.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Text {
 public:
  /// Empty.
  constexpr Text() noexcept = default;
  /// @{
  /// A view of the text; null is empty.
  constexpr Text(const char* text) noexcept : view_(text == nullptr ? std::string_view{} : std::string_view{text}) {}
  constexpr Text(std::string_view text) noexcept : view_(text) {}
  Text(const std::string& text) noexcept : view_(text) {}
  /// @}
  Text(std::nullptr_t) = delete;

  /// The characters, valid as long as the argument.
  constexpr std::string_view view() const noexcept { return view_; }
  /// A copy of the characters.
  std::string str() const { return std::string(view_); }

 private:
  std::string_view view_;
};

/// A short list of texts, from one text or several: `"/next"`, `{"/next", "/links/next"}`. Empty by default.
/// @threadsafety  as a std::vector.
class TextList {
 public:
  /// @{
  /// One text (none if it is empty), or several.
  TextList() = default;
  template <std::convertible_to<Text> T>
  TextList(const T& text) {
    if (const Text one = text; !one.view().empty()) texts_.push_back(one.str());
  }
  TextList(std::initializer_list<Text> texts) {
    for (const auto text : texts) texts_.push_back(text.str());
  }
  template <std::same_as<std::vector<std::string>> V>
  TextList(V texts) : texts_(std::move(texts)) {}
  /// @}
  TextList(std::nullptr_t) = delete;

  /// @{
  /// As of a std::vector<std::string>.
  auto begin() const noexcept { return texts_.begin(); }
  auto end() const noexcept { return texts_.end(); }
  std::size_t size() const noexcept { return texts_.size(); }
  bool empty() const noexcept { return texts_.empty(); }
  void push_back(Text text) { texts_.push_back(text.str()); }
  friend bool operator==(const TextList&, const TextList&) = default;
  /// @}

 private:
  std::vector<std::string> texts_;
};

/// The value of a query parameter or a header as an argument: bool (`true`, `false`), an integer, a floating-point
/// number (shortest form that reads back as the same value), or text.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class FieldValue {
 public:
  /// @{
  /// A bool, a number, or text; a null `const char*` is empty.
  template <std::same_as<bool> B>
  FieldValue(B value) : text_(value ? "true" : "false") {}
  template <detail::IntegerNumber N>
  FieldValue(N value) : text_(std::to_string(value)) {}
  template <std::floating_point N>
  FieldValue(N value) : text_(detail::text_of(value)) {}
  FieldValue(const char* text) : text_(Text(text).view()) {}
  FieldValue(std::string_view text) : text_(text) {}
  FieldValue(std::string text) noexcept : text_(std::move(text)) {}
  /// @}
  FieldValue(std::nullptr_t) = delete;

  /// @{
  /// The value as text.
  std::string& str() & noexcept { return text_; }
  const std::string& str() const& noexcept { return text_; }
  std::string str() && noexcept { return std::move(text_); }
  /// @}

 private:
  std::string text_;
};

}}  // namespace noun
