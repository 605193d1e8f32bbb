#pragma once
/// @file
/// Structs as JSON objects: NOUN_DESCRIBE. Unlike nlohmann's macros it refuses numbers that do not fit and arrays of
/// another size than their member, and takes members that are a std::optional. An empty one is not written: null would
/// delete a field in a merge patch.
///
///     struct Task {
///       int id = 0;
///       std::string title;
///       std::optional<std::string> due;
///     };
///     NOUN_DESCRIBE(Task, id, title, due)

#include <array>
#include <exception>
#include <optional>
#include <string>

#include <noun/detail/json_layout.hpp>
#include <noun/json.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// Reads a T with `read`; an error names the member.
template <class T, class Read>
void read_named(const Json& json, const char* name, Read read) {
  if (auto wrong = LossCheck<T>::fault(json)) refuse(json, std::string("at ") + name + ": " + *wrong);
#if defined(__cpp_exceptions)
  try {
    read();
  } catch (const Json::exception& exception) {
    refuse(json, std::string("at ") + name + ": " + plain_what(exception.what()));
  }
#else
  read();
#endif
}

}  // namespace detail

/// Writes a struct's member into a JSON object, for a to_json written by hand. An empty optional is left out, as for a
/// PATCH; a std::optional<noun::Json> that holds null is written as null.
/// @param object  the struct's object.
/// @param name    of the member in JSON.
/// @param value   the member.
template <class T>
void write_member(Json& object, const char* name, const T& value) {
  if constexpr (detail::is_optional<T>) {
    if (value) object[name] = *value;
  } else {
    object[name] = value;
  }
}

/// Reads a struct's member from a JSON object, for a from_json written by hand. An optional that is absent or null is
/// empty. A number that the member's type cannot hold is refused, also in an array, a std::pair, a std::tuple or a
/// standard container, and as an enum; so is an array of another size than the member always has.
/// @param object  the struct's object.
/// @param name    of the member in JSON.
/// @param value   the member.
/// @throws nlohmann::json::exception  if the member is absent and not optional, or does not fit its type; without
///           exceptions it ends the program, as nlohmann does.
template <class T>
void read_member(const Json& object, const char* name, T& value) {
  if (!object.is_object()) detail::refuse(object, std::string("an object is expected, not ") + object.type_name());
  if constexpr (detail::is_optional<T>) {
    using Held = typename T::value_type;
    const auto found = object.find(name);
    if (found == object.end() || found->is_null())
      value.reset();
    else
      detail::read_named<Held>(*found, name, [&] { value.emplace(found->template get<Held>()); });
  } else {
    const auto& member = object.at(name);
    detail::read_named<T>(member, name, [&] { member.get_to(value); });
  }
}

}}  // namespace noun

/// @cond
#define NOUN_DETAIL_EXPAND(...) NOUN_DETAIL_EXPAND4(NOUN_DETAIL_EXPAND4(NOUN_DETAIL_EXPAND4(__VA_ARGS__)))
#define NOUN_DETAIL_EXPAND4(...) NOUN_DETAIL_EXPAND3(NOUN_DETAIL_EXPAND3(NOUN_DETAIL_EXPAND3(__VA_ARGS__)))
#define NOUN_DETAIL_EXPAND3(...) NOUN_DETAIL_EXPAND2(NOUN_DETAIL_EXPAND2(NOUN_DETAIL_EXPAND2(__VA_ARGS__)))
#define NOUN_DETAIL_EXPAND2(...) NOUN_DETAIL_EXPAND1(NOUN_DETAIL_EXPAND1(NOUN_DETAIL_EXPAND1(__VA_ARGS__)))
#define NOUN_DETAIL_EXPAND1(...) __VA_ARGS__
#define NOUN_DETAIL_NO_ARGUMENTS ()
#define NOUN_DETAIL_EACH(macro, first, ...) \
  macro(first) __VA_OPT__(NOUN_DETAIL_EACH_AGAIN NOUN_DETAIL_NO_ARGUMENTS(macro, __VA_ARGS__))
#define NOUN_DETAIL_EACH_AGAIN() NOUN_DETAIL_EACH
#define NOUN_DETAIL_WRITE_MEMBER(member) ::noun::write_member(noun_json, #member, noun_value.member);
#define NOUN_DETAIL_READ_MEMBER(member) ::noun::read_member(noun_json, #member, noun_value.member);
#define NOUN_DETAIL_LAY_OUT_MEMBER(member) ::noun::detail::member_layout<noun_type, &noun_type::member>(#member),
/// @endcond

/// Defines to_json and from_json for a struct from the names of its public members (at most 80), which are also their
/// names in JSON. Use it in the struct's namespace. Members are written by noun::write_member and read by
/// noun::read_member, or without a noun::Json in between and to the same values.
#define NOUN_DESCRIBE(Type, ...)                                                                        \
  [[maybe_unused]] inline void to_json(::noun::Json& noun_json, const Type& noun_value) {               \
    noun_json = ::noun::Json::object();                                                                 \
    NOUN_DETAIL_EXPAND(NOUN_DETAIL_EACH(NOUN_DETAIL_WRITE_MEMBER, __VA_ARGS__))                         \
  }                                                                                                     \
  [[maybe_unused]] inline void from_json(const ::noun::Json& noun_json, Type& noun_value) {             \
    NOUN_DETAIL_EXPAND(NOUN_DETAIL_EACH(NOUN_DETAIL_READ_MEMBER, __VA_ARGS__))                          \
  }                                                                                                     \
  [[maybe_unused]] constexpr auto noun_members(::noun::detail::Described<Type>) noexcept {              \
    using noun_type = Type;                                                                             \
    return ::std::array{NOUN_DETAIL_EXPAND(NOUN_DETAIL_EACH(NOUN_DETAIL_LAY_OUT_MEMBER, __VA_ARGS__))}; \
  }
