#pragma once
/// @file
/// Reads JSON text as typed values, and writes them as JSON text.
///
/// An integer beyond 64 bits is the error `decode`. So is a number that does not fit, if T is a number, an enum without
/// a from_json, or an array, a std::pair, a std::tuple or a standard container of these. So is an array of another size
/// than T always has. Members of a struct that nlohmann's own macros read are converted silently:
/// - Into an integer, 3.7 becomes 3. A number that is too large wraps: 300 becomes 44 in a std::uint8_t, and -1 the
///   largest unsigned. One beyond the range that is written as a float (1e300) gives an undefined value.
/// - true becomes 1, except in a std::int64_t, std::uint64_t or double.
/// - Elements beyond the size of an array, a std::pair or a std::tuple are left out.
/// - A float or double rounds.
///
/// NOUN_DESCRIBE refuses all of these but rounding; noun::checked does so for one number. <noun/as_text.hpp> has the
/// types of what JSON has as text.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <noun/checked.hpp>
#include <noun/detail/json_layout.hpp>
#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/limits.hpp>
#include <noun/result.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The body of a request without a body: `lock.replace(noun::no_body)`.
struct NoBody {};
/// The value of NoBody.
inline constexpr NoBody no_body{};

namespace detail {

/// Why a body cannot be decoded or encoded, before it is written as an Error.
struct DecodeFault {
  /// `decode`, `too_large`, `no_content` or `resource`; when encoding, `resource` if memory ran out.
  Errc code = Errc::decode;
  /// What is wrong, as a clause: `the body cannot be decoded: key 'name' not found`.
  std::string what = {};
  /// What to do, as a clause.
  std::string advice = {};
  /// The invalid text, for an excerpt in the message; a view of what was decoded.
  std::string_view text = {};
};

/// Why JSON text is not parsed: more nesting or more values than the limits allow. Nothing if it is within them.
/// @param subject  what the text is, for the message: `page 3`.
NOUN_API std::optional<DecodeFault> beyond_limits(std::string_view subject, std::string_view json_text,
                                                  const Limits& limits);
/// The elements of an array of two, as views of its text; nothing if the text is something else.
NOUN_API std::optional<std::pair<std::string_view, std::string_view>> halves_of(std::string_view json_text);
/// Whether the bytes are UTF-8 (RFC 3629).
NOUN_API bool is_utf8(std::string_view text) noexcept;

/// Whether nlohmann can report errors: it throws, and compiled with -fno-exceptions it ends the program.
#if defined(__cpp_exceptions)
inline constexpr bool has_exceptions = true;
#else
inline constexpr bool has_exceptions = false;
#endif

/// Types that are read without a function of nlohmann that throws.
template <class T>
concept PlainlyRead = std::same_as<T, Json> || std::same_as<T, bool> || std::same_as<T, std::string> || JsonNumber<T>;

/// Types that nlohmann can read: those with a from_json, and those that it supports itself.
template <class T>
concept JsonReadable = std::same_as<T, Json> || requires(const Json& json) {
  json.template get<T>();
};

/// Runs `work`, and turns an exception into a fault.
/// @param fault  receives `what` and, if memory ran out, the code.
/// @param other  the clause for an exception that is not a std::exception.
/// @param work   called once, without arguments; compiled without exceptions it must not fail.
template <class Work>
void guarded([[maybe_unused]] DecodeFault& fault, [[maybe_unused]] const char* other, Work work) {
#if defined(__cpp_exceptions)
  try {
    work();
  } catch (const std::bad_alloc&) {
    fault.code = Errc::resource;
  } catch (const std::exception& exception) {
    fault.what = plain_what(exception.what());
  } catch (...) {
    fault.what = other;
  }
#else
  work();
#endif
}

}  // namespace detail

/// Reads a T from JSON text. Specialize it, with the same decode(), for a type with a faster decoder, or for one that
/// is read in a program without exceptions.
template <class T>
struct Codec {
  static_assert(!std::is_default_constructible_v<T> || detail::JsonReadable<T>,
                "noun: this type cannot be read from JSON: give it a from_json (NOUN_DESCRIBE makes one)");
  static_assert(std::is_default_constructible_v<T> || std::same_as<T, Json>,
                "noun: a decoded type needs a default constructor, for nlohmann's get<T>()");
  static_assert(
      detail::has_exceptions || detail::PlainlyRead<T>,
      "noun: without exceptions nlohmann's from_json cannot report errors: use a noun::Json, a number, a bool or a "
      "std::string, or specialize noun::Codec for the type");

  /// Reads a body, or one item of a page.
  /// @param text  as the server sent it.
  /// @returns     the value, or an error whose what() is what is wrong with the text, as a clause; its advice() may be
  ///              empty. The error of the call has the code `resource` if this error has it, otherwise `decode`.
  /// @throws      what nlohmann's get and the type's from_json throw; the call turns it into such an error.
  static Result<T> decode(std::string_view text) {
    if (auto value = detail::read_directly<T>(text)) return *std::move(value);
    Json json;
    constexpr auto integers = std::floating_point<T> ? detail::BeyondBits::rounded : detail::BeyondBits::refused;
    if (auto wrong = detail::parse_json(text, json, integers)) return Error(Errc::decode, *std::move(wrong));
    if (auto wrong = detail::LossCheck<T>::fault(json)) return Error(Errc::decode, *wrong);
    if constexpr (std::same_as<T, Json>) {
      return json;
    } else {
      if (auto other = detail::has_exceptions ? std::nullopt : kind_that_does_not_fit(json))
        return Error(Errc::decode, *other);
      return json.template get<T>();
    }
  }

 private:
  static std::optional<std::string> kind_that_does_not_fit(const Json& json) {
    if (std::same_as<T, bool> && !json.is_boolean())
      return std::string("type must be boolean, but is ") + json.type_name();
    if (std::same_as<T, std::string> && !json.is_string())
      return std::string("type must be string, but is ") + json.type_name();
    return std::nullopt;
  }
};

/// Reads null as an empty optional, and any other text as a T.
template <class T>
struct Codec<std::optional<T>> {
  /// As Codec<T>::decode.
  static Result<std::optional<T>> decode(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(space), text.size());
    if (text.substr(first, text.find_last_not_of(space) + 1 - first) == "null") return std::optional<T>();
    return Codec<T>::decode(text).transform([](T&& value) { return std::optional<T>(std::move(value)); });
  }
};

/// Reads an array of a text and a T: an item of a listing with Paging::items_are_members.
template <class T>
struct Codec<std::pair<std::string, T>> {
  /// As Codec<T>::decode.
  static Result<std::pair<std::string, T>> decode(std::string_view text) {
    const auto halves = detail::halves_of(text);
    if (!halves) return Error(Errc::decode, "an array of a text and a value is expected");
    auto name = Codec<std::string>::decode(halves->first);
    if (!name) return std::move(name).error();
    return Codec<T>::decode(halves->second).transform([&](T&& value) {
      return std::pair<std::string, T>(*std::move(name), std::move(value));
    });
  }
};

namespace detail {

/// Completes the fault of a body, or of an item, that cannot be decoded.
NOUN_API void complete(DecodeFault& fault, std::string_view text);

/// Decodes a body, or one item of a page.
/// @param text    JSON, as the server sent it.
/// @param limits  the client's.
/// @param fault   why there is no value; unchanged if there is one.
/// @returns       the value, or nothing.
template <class T>
std::optional<T> decode_value(std::string_view text, const Limits& limits, DecodeFault& fault) {
  if (auto excess = beyond_limits("the JSON", text, limits)) {
    fault = *std::move(excess);
    return std::nullopt;
  }
  std::optional<T> value;
  guarded(fault, "from_json threw something other than a std::exception", [&] {
    auto decoded = Codec<T>::decode(text);
    if (decoded) {
      value.emplace(*std::move(decoded));
    } else {
      if (decoded.error().code() == Errc::resource) fault.code = Errc::resource;
      fault.what = decoded.error().what();
      fault.advice = decoded.error().advice();
    }
  });
  if (!value) complete(fault, text);
  return value;
}

/// Whether a response has a body to decode. The only success outside 2xx is a 404 to a DELETE: its body is not a T.
inline bool has_value(const Response& response) noexcept {
  return response.status != 204 && response.status != 205 && response.status < 300 && !response.body.empty();
}

/// The fault of a response without the body that is needed.
/// @param done  whether it is the response of a success.
NOUN_API DecodeFault without_body(const Response& response, bool done);

/// Decodes `body`, the value in the response of a verb. Without a value it is null for a Json, and `no_content` for any
/// other type.
template <class T>
std::optional<T> decode_response(const Response& response, std::string_view body, const Limits& limits,
                                 DecodeFault& fault) {
  if (!has_value(response)) {
    if constexpr (std::same_as<T, Json>) {
      return std::optional<T>(std::in_place, nullptr);
    } else {
      fault = without_body(response, true);
      return std::nullopt;
    }
  }
  return decode_value<T>(body, limits, fault);
}

/// Whether arrays and objects are nested deeper than `limit`. Not recursive, unlike the copy constructor of Json.
template <std::same_as<Json> J>
bool deeper_than(std::size_t limit, const J& body) {
  std::vector<std::pair<const J*, std::size_t>> open{{&body, 1}};
  while (!open.empty()) {
    const auto [json, level] = open.back();
    open.pop_back();
    if (!json->is_structured()) continue;
    if (level > limit) return true;
    for (const auto& element : *json) open.emplace_back(&element, level + 1);
  }
  return false;
}

/// Returns what JSON cannot represent in a body, as a clause, or nothing.
template <std::same_as<Json> J>
std::optional<std::string> fault_of_body(const J& body) {
  std::vector<const J*> open{&body};
  while (!open.empty()) {
    const auto& json = *open.back();
    open.pop_back();
    if (json.is_discarded()) return "it contains a discarded value, which JSON cannot represent";
    if (json.is_binary()) return "it contains binary data, which JSON cannot represent";
    if (!has_exceptions && json.is_string() && !is_utf8(json.template get_ref<const std::string&>()))
      return "it contains text that is not UTF-8";
    if (json.is_number_float() && !std::isfinite(json.template get<double>()))
      return "it contains a number that is not finite, which JSON cannot represent";
    if (!json.is_structured()) continue;
    for (const auto& element : json) open.push_back(&element);
  }
  return std::nullopt;
}

/// Types that nlohmann can write: those with a to_json, and those that it supports itself.
template <class T>
concept JsonWritable = requires(Json& json, const T& value) {
  json = Json(value);
};

/// Writes `json` as text, or why that cannot be done into the fault.
template <std::same_as<Json> J>
void write_json(const J& json, std::size_t depth, DecodeFault& fault, std::string& text) {
  if (deeper_than(depth, json))
    fault.what = "it is nested deeper than ClientOptions::limits.json_depth (" + std::to_string(depth) + ")";
  else if (auto wrong = fault_of_body(json))
    fault.what = *std::move(wrong);
  else
    text = json.dump();
}
/// The text, or the error of a body that cannot be written.
NOUN_API Result<std::string> written(const DecodeFault& fault, std::string text);

/// Encodes the body of a request as JSON text.
/// @returns  the text; `invalid_argument` for what JSON cannot represent (text that is not UTF-8, a number that is not
///           finite), for nesting deeper than `depth` and a to_json that throws; `resource` if memory runs out.
template <class T>
Result<std::string> encode_body(const T& body, std::size_t depth) {
  static_assert(JsonWritable<T>,
                "noun: this body cannot be written as JSON: give its type a to_json (NOUN_DESCRIBE makes one)");
  DecodeFault fault;
  std::string text;
  guarded(fault, "to_json threw something other than a std::exception", [&] {
    if constexpr (std::same_as<T, Json>) {
      // Not copied: the copy of a very deep one would overflow the stack.
      write_json(body, depth, fault, text);
    } else {
      const Json json = body;
      write_json(json, depth, fault, text);
    }
  });
  return written(fault, std::move(text));
}

}  // namespace detail

template <class R>
Result<R> Error::body_as() const {
  const auto& response = details().response;
  if (!response) return Error(Errc::no_content, "there was no response");
  auto own = details();
  if (response->body.empty()) {
    own.code = Errc::no_content;
    own.what = detail::without_body(*response, false).what;
    own.advice.clear();
    return Error(std::move(own));
  }
  detail::DecodeFault fault;
  if (auto value = detail::decode_value<R>(response->body, Limits(), fault)) return {*std::move(value), response};
  own.code = fault.code;
  own.what = std::move(fault.what);
  // The option that decode_value() names does not change these limits.
  own.advice.clear();
  if (fault.code == Errc::decode) {
    // What is wrong with the body may repeat a secret of the request, which is not known here.
    own.what = "the body of the response cannot be decoded as this type";
    own.advice = "compare the type with Error::response()";
  }
  return Error(std::move(own));
}

}}  // namespace noun
