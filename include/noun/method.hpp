#pragma once
/// @file
/// The HTTP methods: noun's verbs.

#include <concepts>
#include <iosfwd>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// An HTTP method (RFC 9110, section 9; PATCH: RFC 5789).
enum class Method { get, head, post, put, patch, delete_, options };

/// The method as it is written on the wire: `GET`, `DELETE`, ….
/// @threadsafety  safe, as is everything in this file.
NOUN_API std::string_view to_string(Method method) noexcept;

/// Whether the method is safe, that is, requests no change of state: GET, HEAD, OPTIONS.
/// @source RFC 9110, section 9.2.1.
constexpr bool is_safe(Method method) noexcept {
  return method == Method::get || method == Method::head || method == Method::options;
}

/// Whether the method is idempotent: every method but POST and PATCH.
/// @source RFC 9110, section 9.2.2; RFC 5789, section 2.
constexpr bool is_idempotent(Method method) noexcept { return method != Method::post && method != Method::patch; }

/// How GoogleTest shows a method: by its name.
template <std::same_as<Method> M>
void PrintTo(const M& method, std::ostream* out) {
  *out << to_string(method);
}

}}  // namespace noun
