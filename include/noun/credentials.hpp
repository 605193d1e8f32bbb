#pragma once
/// @file
/// Header fields that identify the caller.

#include <concepts>
#include <functional>
#include <memory>
#include <utility>

#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Header fields that every attempt carries, to the client's own origin and the trusted ones only. From bearer(),
/// basic(), header(), or a function that is called before each attempt and once more after a 401.
///
/// The function takes the number of the attempt (from 1) and returns Headers or an Error; an exception or an error
/// becomes `credentials`. It is called on the thread of the call, never under a lock, by many threads at once, and may
/// call noun.
class NOUN_API Credentials {
 public:
  /// Returns the fields for the attempt with this number, from 1.
  using Function = std::function<Result<Headers>(int attempt)>;

  /// None.
  Credentials() = default;
  /// A function.
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Credentials> && std::invocable<F&, int> &&
           std::convertible_to<std::invoke_result_t<F&, int>, Result<Headers>>) Credentials(F function)
      : function_(std::move(function)), may_change_(true) {}

  /// The same fields for every attempt. A field that is not valid is refused when the client is made.
  static Credentials fixed(Headers fields);
  /// Credentials that make Client::create() fail with this text.
  static Credentials refused(Text why);

  /// Whether there are none.
  bool empty() const noexcept { return !function_; }
  /// Whether other fields may be returned after a 401.
  bool may_change() const noexcept { return may_change_; }
  /// The fields of attempt number `attempt`, from 1.
  Result<Headers> fields(int attempt) const;

 private:
  Function function_;
  bool may_change_ = false;
};

/// `Authorization: Bearer <token>` (RFC 6750). An empty or null token is refused when the client is made.
NOUN_API Credentials bearer(Text token);
/// `Authorization: Basic …` (RFC 7617). The user must not contain a colon.
NOUN_API Credentials basic(Text user, Text password);
/// A header of the API's own, such as `X-Api-Key`. An empty or null value is refused when the client is made.
NOUN_API Credentials header(Text name, Text value);

}}  // namespace noun
