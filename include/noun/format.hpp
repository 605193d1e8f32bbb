#pragma once
/// @file
/// Formatters for fmt: `fmt::print("{}", result.error())`. An enumerator or an Event is written as by to_string(), an
/// Error as its code and message, a Result as its error or its value (a Json as JSON text, and a type that fmt cannot
/// write as "a value").

#include <concepts>
#include <string_view>

#include <fmt/format.h>

#include <noun/dialect.hpp>
#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/http.hpp>
#include <noun/json.hpp>
#include <noun/log.hpp>
#include <noun/options.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/streaming.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// noun's enumerations that have names.
template <class T>
concept Named = std::same_as<T, Errc> || std::same_as<T, Sent> || std::same_as<T, StopReason> ||
                std::same_as<T, Method> || std::same_as<T, EventKind> || std::same_as<T, WaitReason> ||
                std::same_as<T, WhenExhausted> || std::same_as<T, Priority> || std::same_as<T, Inference> ||
                std::same_as<T, ResetForm> || std::same_as<T, BadItems> || std::same_as<T, Retryable> ||
                std::same_as<T, CacheStatus> || std::same_as<T, CacheMode> || std::same_as<T, UseCache> ||
                std::same_as<T, StreamFormat> || std::same_as<T, StreamEnd> || std::same_as<T, MonitorForm> ||
                std::same_as<T, ResultFrom>;

}}}  // namespace noun::detail

/// @cond
// Enumerators by their names.
template <class T>
  requires noun::detail::Named<T>
struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(T value, Context& context) const {
    const std::string_view name = to_string(value);
    return fmt::formatter<fmt::string_view>::format({name.data(), name.size()}, context);
  }
};

// An error as `not_found: GET https://… `.
template <>
struct fmt::formatter<noun::Error> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const noun::Error& error, Context& context) const {
    const auto code = to_string(error.code());
    return fmt::format_to(context.out(), "{}: {}", fmt::string_view(code.data(), code.size()), error.message());
  }
};

// An event as one line.
template <>
struct fmt::formatter<noun::Event> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const noun::Event& event, Context& context) const {
    return fmt::formatter<std::string>::format(to_string(event), context);
  }
};

// A result as its value, if fmt can write that, or its error.
template <class T>
struct fmt::formatter<noun::Result<T>> {
  template <class Context>
  constexpr auto parse(Context& context) {
    return context.begin();
  }
  template <class Context>
  auto format(const noun::Result<T>& result, Context& context) const {
    if (!result) return fmt::format_to(context.out(), "{}", result.error());
    if constexpr (std::is_void_v<T>)
      return fmt::format_to(context.out(), "done");
    else if constexpr (std::same_as<T, noun::Json>)  // fmt would convert it to text
      return fmt::format_to(context.out(), "{}", result->dump(-1, ' ', false, noun::Json::error_handler_t::replace));
    else if constexpr (fmt::is_formattable<T>::value)
      return fmt::format_to(context.out(), "{}", *result);
    else
      return fmt::format_to(context.out(), "a value");
  }
};
/// @endcond
