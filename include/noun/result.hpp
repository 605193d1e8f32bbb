#pragma once
/// @file
/// The result of a call: a value or an Error, and the response. Its interface is that of std::expected, in C++20 too.
///
///     auto language = languages["deu"].get();            // noun::Result<Language>
///     if (!language) return report(language.error());
///     use(language->name);

#include <concepts>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <noun/error.hpp>
#include <noun/http.hpp>

namespace noun { inline namespace v0 {

template <class T>
class Result;

namespace detail {

/// @{
/// Whether T is a Result.
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;
/// @}

inline bool equal(const std::shared_ptr<const Response>& left, const std::shared_ptr<const Response>& right) {
  return left == right || (left && right && *left == *right);
}

}  // namespace detail

/// A T or an Error, and the response that it was made from. A regular value: a copy equals its original. A moved-from
/// result holds the same alternative as before, moved from.
/// @threadsafety  as a std::optional<T>.
template <class T>
class [[nodiscard]] Result {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !detail::is_result<T> && !std::same_as<T, Error>,
                "noun::Result<T> needs an object type");

 public:
  /// @{
  /// As in std::expected.
  using value_type = T;
  using error_type = Error;
  /// @}

  /// Success.
  template <class U = T>
    requires(!std::same_as<std::remove_cvref_t<U>, Result> && !std::same_as<std::remove_cvref_t<U>, Error> &&
             !detail::is_result<std::remove_cvref_t<U>> && std::constructible_from<T, U>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves the copies out.
  explicit(!std::convertible_to<U, T>) Result(U&& value, std::shared_ptr<const Response> response = nullptr)
      : response_(std::move(response)), state_(std::in_place_index<0>, std::forward<U>(value)) {}
  /// Failure; response() is the error's.
  Result(Error error) : response_(error.details().response), state_(std::in_place_index<1>, std::move(error)) {}

  /// @{
  /// Whether it is a success.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}

  /// @{
  /// The value; of an rvalue, by value. Undefined if there is none, as in std::expected.
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) { return std::move(*std::get_if<0>(&state_)); }
  T operator*() const&& { return *std::get_if<0>(&state_); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }
  /// @}

  /// @{
  /// The value; throws noun::Exception with the error if there is none.
  T& value() & { return require(), **this; }
  const T& value() const& { return require(), **this; }
  T value() && { return require(), *std::move(*this); }
  T value() const&& { return require(), *std::move(*this); }
  /// @}

  /// @{
  /// The error; of an rvalue, by value. Undefined if there is a value, as in std::expected.
  const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  Error error() && noexcept { return std::move(*std::get_if<1>(&state_)); }
  Error error() const&& noexcept { return *std::get_if<1>(&state_); }
  /// @}

  /// @{
  /// The status, headers and body; null if there was no response. Valid as long as the result; of an rvalue, shared.
  const Response* response() const& noexcept { return response_.get(); }
  std::shared_ptr<const Response> response() && noexcept { return std::move(response_); }
  std::shared_ptr<const Response> response() const&& noexcept { return response_; }
  /// @}
  /// The response, shared, to keep it longer than the result.
  const std::shared_ptr<const Response>& shared_response() const noexcept { return response_; }

  /// @{
  /// The value, or `other` if there is none.
  template <class U = T>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  template <class U = T>
  T value_or(U&& other) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
  }
  /// @}

  /// @{
  /// Applies `function` to the value; keeps the error and the response.
  template <class F>
  auto transform(F&& function) const& -> Result<std::remove_cv_t<std::invoke_result_t<F, const T&>>> {
    if (!has_value()) return error();
    return applied(std::forward<F>(function), **this);
  }
  template <class F>
  auto transform(F&& function) && -> Result<std::remove_cv_t<std::invoke_result_t<F, T&&>>> {
    if (!has_value()) return std::move(*this).error();
    return applied(std::forward<F>(function), std::move(**this));
  }
  /// @}

  /// @{
  /// Continues with a function that returns a Result; keeps the error.
  template <class F>
  auto and_then(F&& function) const& -> std::remove_cvref_t<std::invoke_result_t<F, const T&>> {
    if (!has_value()) return error();
    return std::invoke(std::forward<F>(function), **this);
  }
  template <class F>
  auto and_then(F&& function) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(*this).error();
    return std::invoke(std::forward<F>(function), std::move(**this));
  }
  /// @}

  /// @{
  /// Recovers from a failure with a function that returns a Result<T>; keeps the value.
  template <class F>
  Result or_else(F&& function) const& {
    if (has_value()) return *this;
    return std::invoke(std::forward<F>(function), error());
  }
  template <class F>
  Result or_else(F&& function) && {
    if (has_value()) return std::move(*this);
    return std::invoke(std::forward<F>(function), std::move(*this).error());
  }
  /// @}

  /// Whether both have equal values or equal errors, and equal responses. Compare a value alone as `*result == value`.
  template <std::same_as<Result> Other>
    requires std::equality_comparable<T>
  bool operator==(const Other& other) const {
    return state_ == other.state_ && detail::equal(response_, other.response_);
  }

 private:
  void require() const {
    if (!has_value()) detail::throw_exception(error());
  }

  template <class F, class V>
  auto applied(F&& function, V&& value) const {
    using U = std::remove_cv_t<std::invoke_result_t<F, V>>;
    if constexpr (std::is_void_v<U>) {
      std::invoke(std::forward<F>(function), std::forward<V>(value));
      return Result<void>(response_);
    } else {
      return Result<U>(std::invoke(std::forward<F>(function), std::forward<V>(value)), response_);
    }
  }

  std::shared_ptr<const Response> response_;
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
/// @threadsafety  as a std::optional<Error>.
template <>
class [[nodiscard]] Result<void> {
 public:
  /// @{
  /// As in std::expected.
  using value_type = void;
  using error_type = Error;
  /// @}

  /// Success.
  Result() = default;
  /// Success, with its response.
  explicit Result(std::shared_ptr<const Response> response) noexcept : response_(std::move(response)) {}
  /// Failure; response() is the error's.
  Result(Error error) : response_(error.details().response), error_(std::move(error)) {}

  /// @{
  /// Whether it is a success.
  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}

  /// Nothing, as in std::expected.
  void operator*() const noexcept {}
  /// Throws noun::Exception with the error if there is one.
  void value() const {
    if (error_) detail::throw_exception(*error_);
  }

  /// @{
  /// The error; of an rvalue, by value. Undefined on success, as in std::expected.
  const Error& error() const& noexcept { return *error_; }
  Error error() && noexcept { return std::move(*error_); }
  Error error() const&& noexcept { return *error_; }
  /// @}

  /// @{
  /// The status, headers and body; null if there was no response. Valid as long as the result; of an rvalue, shared.
  const Response* response() const& noexcept { return response_.get(); }
  std::shared_ptr<const Response> response() && noexcept { return std::move(response_); }
  std::shared_ptr<const Response> response() const&& noexcept { return response_; }
  /// @}
  /// The response, shared, to keep it longer than the result.
  const std::shared_ptr<const Response>& shared_response() const noexcept { return response_; }

  /// Calls `function` on success; keeps the error and the response.
  template <class F>
  auto transform(F&& function) const -> Result<std::remove_cv_t<std::invoke_result_t<F>>> {
    using U = std::remove_cv_t<std::invoke_result_t<F>>;
    if (error_) return *error_;
    if constexpr (std::is_void_v<U>) {
      std::invoke(std::forward<F>(function));
      return Result<void>(response_);
    } else {
      return Result<U>(std::invoke(std::forward<F>(function)), response_);
    }
  }
  /// Continues with a function that returns a Result; keeps the error.
  template <class F>
  auto and_then(F&& function) const -> std::remove_cvref_t<std::invoke_result_t<F>> {
    if (error_) return *error_;
    return std::invoke(std::forward<F>(function));
  }
  /// Recovers from a failure with a function that returns a Result<void>; keeps success.
  template <class F>
  Result or_else(F&& function) const {
    if (!error_) return *this;
    return std::invoke(std::forward<F>(function), *error_);
  }

  /// Whether both are successes or have equal errors, and equal responses.
  template <std::same_as<Result> Other>
  bool operator==(const Other& other) const {
    return error_ == other.error_ && detail::equal(response_, other.response_);
  }

 private:
  std::shared_ptr<const Response> response_;
  std::optional<Error> error_;
};

/// How GoogleTest shows a result: its error, or its value if that has a `<<`. A Json is shown even if its text is not
/// UTF-8.
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  // The class of the stream is only declared here; the caller has its definition.
  const auto write = [](auto& stream, const auto& text) { stream << text; };
  if (!result)
    PrintTo(result.error(), out);
  else if constexpr (std::is_void_v<T>)
    write(*out, "done");
  else if constexpr (requires(const T& json) { json.dump(-1, ' ', false, T::error_handler_t::replace); })
    write(*out, result->dump(-1, ' ', false, T::error_handler_t::replace));
  else if constexpr (requires(const T& value) { *out << value; })
    write(*out, *result);
  else
    write(*out, "a value");
}

/// Writes a result as GoogleTest shows it: its error, or its value if that has a `<<`.
template <class T>
std::ostream& operator<<(std::ostream& out, const Result<T>& result) {
  PrintTo(result, &out);
  return out;
}

}}  // namespace noun
