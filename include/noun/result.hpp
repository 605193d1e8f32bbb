#pragma once
/// @file
/// A value or an Error, with the answer that it came from. The shape of std::expected, the same under every -std.
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
#include <noun/message.hpp>

namespace noun { inline namespace v0 {

template <class T>
class Result;

/// @{
/// Whether T is a Result.
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;
/// @}

/// Says that a result lives in a listing: its response() is its page's and stays behind when the result is copied or
/// moved out, so that a million kept items do not keep ten thousand pages.
struct Lent {};

/// The answer's part of every Result: what the service said, on success and on failure alike.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class ResultBase {
 public:
  /// @{
  /// The answered status, headers and body; null if nothing was answered. Lives as long as the result.
  const Response* response() const& noexcept { return response_.get(); }
  std::shared_ptr<const Response> response() && noexcept { return std::move(response_); }
  std::shared_ptr<const Response> response() const&& noexcept { return response_; }
  /// @}
  /// The answer as shared property, to keep it longer than the result.
  const std::shared_ptr<const Response>& shared_response() const noexcept { return response_; }

 protected:
  /// @{
  /// Of an answer, or of none; copies and moves leave a lent one behind.
  ResultBase() = default;
  explicit ResultBase(std::shared_ptr<const Response> response) noexcept : response_(std::move(response)) {}
  ResultBase(std::shared_ptr<const Response> response, Lent) noexcept : response_(std::move(response)), lent_(true) {}
  ResultBase(const ResultBase& other) noexcept : response_(other.lent_ ? nullptr : other.response_) {}
  ResultBase(ResultBase&& other) noexcept : response_(other.lent_ ? nullptr : std::move(other.response_)) {}
  ResultBase& operator=(const ResultBase& other) noexcept {
    if (this == &other) return *this;
    response_ = other.lent_ ? nullptr : other.response_;
    lent_ = false;
    return *this;
  }
  ResultBase& operator=(ResultBase&& other) noexcept {
    if (this == &other) return *this;
    response_ = other.lent_ ? nullptr : std::move(other.response_);
    lent_ = false;
    return *this;
  }
  ~ResultBase() = default;
  /// @}

  /// What a result that follows from this one keeps.
  std::shared_ptr<const Response> kept_response() const noexcept { return lent_ ? nullptr : response_; }

  /// Null if nothing was answered.
  std::shared_ptr<const Response> response_;

 private:
  bool lent_ = false;
};

/// A T or an Error. Never empty: a moved-from result still holds its (moved-from) alternative.
/// @threadsafety  as a std::optional<T>.
template <class T>
class [[nodiscard]] Result : public ResultBase {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !is_result<T> && !std::same_as<T, Error>,
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
             !is_result<std::remove_cvref_t<U>> && std::constructible_from<T, U>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves the copies out.
  explicit(!std::convertible_to<U, T>) Result(U&& value, std::shared_ptr<const Response> response = nullptr)
      : ResultBase(std::move(response)), state_(std::in_place_index<0>, std::forward<U>(value)) {}
  /// Success, in a listing.
  Result(T value, std::shared_ptr<const Response> response, Lent lent)
      : ResultBase(std::move(response), lent), state_(std::in_place_index<0>, std::move(value)) {}
  /// Failure; response() is the error's.
  Result(Error error) : ResultBase(error.details().response), state_(std::in_place_index<1>, std::move(error)) {}

  /// @{
  /// Whether it is a success.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}

  /// @{
  /// The value. Undefined if there is none, as in std::expected.
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }
  /// @}

  /// @{
  /// The value; throws noun::Exception with the error if there is none.
  T& value() & { return require(), **this; }
  const T& value() const& { return require(), **this; }
  T value() && { return require(), *std::move(*this); }
  /// @}

  /// @{
  /// The error. Undefined if there is a value, as in std::expected.
  const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  Error error() && noexcept { return std::move(*std::get_if<1>(&state_)); }
  /// @}

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
  /// Applies `function` to the value; keeps the error and the answer.
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
  /// Goes on with a function that answers a Result; keeps the error.
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
  /// Mends a failure with a function that answers a Result<T>; keeps the value.
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

 private:
  void require() const {
    if (!has_value()) throw_exception(error());
  }

  template <class F, class V>
  auto applied(F&& function, V&& value) const {
    using U = std::remove_cv_t<std::invoke_result_t<F, V>>;
    if constexpr (std::is_void_v<U>) {
      std::invoke(std::forward<F>(function), std::forward<V>(value));
      return Result<void>(kept_response());
    } else {
      return Result<U>(std::invoke(std::forward<F>(function), std::forward<V>(value)), kept_response());
    }
  }

  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
/// @threadsafety  as a std::optional<Error>.
template <>
class [[nodiscard]] Result<void> : public ResultBase {
 public:
  /// @{
  /// As in std::expected.
  using value_type = void;
  using error_type = Error;
  /// @}

  /// Success.
  Result() = default;
  /// Success, with its answer.
  explicit Result(std::shared_ptr<const Response> response) noexcept : ResultBase(std::move(response)) {}
  /// Failure; response() is the error's.
  Result(Error error) : ResultBase(error.details().response), error_(std::move(error)) {}

  /// @{
  /// Whether it is a success.
  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}

  /// Nothing, as in std::expected.
  void operator*() const noexcept {}
  /// Throws noun::Exception with the error if there is one.
  void value() const {
    if (error_) throw_exception(*error_);
  }

  /// @{
  /// The error. Undefined on success, as in std::expected.
  const Error& error() const& noexcept { return *error_; }
  Error error() && noexcept { return std::move(*error_); }
  /// @}

  /// Calls `function` on success; keeps the error and the answer.
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
  /// Goes on with a function that answers a Result; keeps the error.
  template <class F>
  auto and_then(F&& function) const -> std::remove_cvref_t<std::invoke_result_t<F>> {
    if (error_) return *error_;
    return std::invoke(std::forward<F>(function));
  }
  /// Mends a failure with a function that answers a Result<void>; keeps success.
  template <class F>
  Result or_else(F&& function) const {
    if (!error_) return *this;
    return std::invoke(std::forward<F>(function), *error_);
  }

 private:
  std::optional<Error> error_;
};

/// How GoogleTest shows a result: its error, or its value where that has a `<<`.
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  // The stream's class is only declared here; whoever calls this has it whole.
  const auto write = [](auto& stream, const auto& words) { stream << words; };
  if (!result)
    PrintTo(result.error(), out);
  else if constexpr (std::is_void_v<T>)
    write(*out, "done");
  else if constexpr (requires(const T& value) { *out << value; })
    write(*out, *result);
  else
    write(*out, "a value");
}

}}  // namespace noun
