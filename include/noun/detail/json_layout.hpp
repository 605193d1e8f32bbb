#pragma once
/// @file
/// How values are written into memory while JSON text is read: a table for each type, which the parser follows. Not for
/// programs: noun::Codec is made of it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <noun/checked.hpp>
#include <noun/detail/json_parser.hpp>
#include <noun/detail/json_tree.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// The argument of noun_members(), which NOUN_DESCRIBE defines: it selects exactly T, not a class that T derives from.
template <class T>
struct Described {};

/// Types with NOUN_DESCRIBE.
template <class T>
concept HasMembers = requires {
  noun_members(Described<T>());
};

/// The members of T, in the order of NOUN_DESCRIBE.
template <HasMembers T>
inline constexpr auto members_of = noun_members(Described<T>());

/// How a T is laid out: other, unless a specialization says more.
template <class T>
inline constexpr auto kind_of = HasMembers<T> ? Layout::Kind::object : Layout::Kind::other;
/// @{
/// The types that are read without nlohmann.
template <>
inline constexpr auto kind_of<bool> = Layout::Kind::boolean;
template <>
inline constexpr auto kind_of<std::string> = Layout::Kind::text;
template <JsonNumber N>
inline constexpr auto kind_of<N> = Layout::Kind::number;
template <JsonNumber N>
inline constexpr auto kind_of<checked<N>> = Layout::Kind::number;
template <std::default_initializable T>
inline constexpr auto kind_of<std::vector<T>> = Layout::Kind::list;
/// Its elements have no address.
template <>
inline constexpr auto kind_of<std::vector<bool>> = Layout::Kind::other;
/// @}

/// Whether a body that is a T is read by its layout: objects, and lists of what is not read by from_json.
template <class T>
inline constexpr bool is_laid_out = HasMembers<T>;
/// Lists.
template <class T>
inline constexpr bool is_laid_out<std::vector<T>> = kind_of<std::vector<T>> == Layout::Kind::list &&
                                                    (is_laid_out<T> || kind_of<T> == Layout::Kind::number ||
                                                     kind_of<T> == Layout::Kind::text);

/// @{
/// The plain number of a number or a noun::checked.
template <class T>
struct PlainNumber {
  using type = T;
};
template <class N>
struct PlainNumber<checked<N>> {
  using type = N;
};
/// @}

/// Assigns `value` to the T at `number`, if it fits.
template <class T, class Value>
bool assign_number(void* number, Value value) {
  using N = typename PlainNumber<T>::type;
  if (!represents<N>(value)) return false;
  *static_cast<T*>(number) = static_cast<N>(value);
  return true;
}

/// @{
/// Whether T is a std::optional.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
/// @}

/// Reads a value by its from_json.
template <class T>
void read_by_nlohmann(const Json& json, T& value) {
  if constexpr (is_optional<T>)
    value.emplace(json.template get<typename T::value_type>());
  else
    json.get_to(value);
}

/// Makes a Json of a parsed value.
/// @param json  null; the result.
template <std::same_as<Json> J>
void copy_parsed(const ParsedJson& parsed, J& json) {
  JsonTree<J> tree(json);
  parsed.report(tree);
}

/// Reads the T at `value` by its from_json.
template <class T>
bool read_other(void* value, const ParsedJson& parsed) {
  Json json;
  copy_parsed(parsed, json);
  if (LossCheck<T>::fault(json)) return false;
#if defined(__cpp_exceptions)
  try {
    read_by_nlohmann(json, *static_cast<T*>(value));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    // It is read again by nlohmann, whose error names the member.
    return false;
  }
#else
  read_by_nlohmann(json, *static_cast<T*>(value));
#endif
  return true;
}

/// How a T is laid out. A function, so that a type may contain lists of itself.
template <class T>
const Layout& layout_of();

/// Makes the table of layout_of().
template <class T>
constexpr Layout make_layout() noexcept {
  Layout layout{.kind = kind_of<T>};
  if constexpr (kind_of<T> == Layout::Kind::number) {
    layout.assign_integer = assign_number<T, std::int64_t>;
    layout.assign_positive = assign_number<T, std::uint64_t>;
    layout.assign_real = assign_number<T, double>;
  } else if constexpr (kind_of<T> == Layout::Kind::list) {
    layout.clear = [](void* list, std::size_t size) {
      static_cast<T*>(list)->clear();
      static_cast<T*>(list)->reserve(size);
    };
    layout.append = [](void* list) -> void* { return &static_cast<T*>(list)->emplace_back(); };
    layout.element = layout_of<typename T::value_type>;
  } else if constexpr (kind_of<T> == Layout::Kind::object) {
    layout.members = members_of<T>;
  } else if constexpr (kind_of<T> == Layout::Kind::other) {
    layout.read = read_other<T>;
  }
  return layout;
}

template <class T>
const Layout& layout_of() {
  static constexpr Layout layout = make_layout<T>();
  return layout;
}

/// @{
/// The type of a member.
template <class M>
struct MemberType;
template <class C, class T>
struct MemberType<T C::*> {
  using type = T;
};
/// @}

/// How `member` of T is reached.
/// @param name  in JSON.
template <class T, auto member>
constexpr MemberLayout member_layout(std::string_view name) noexcept {
  using M = typename MemberType<decltype(member)>::type;
  const auto at = [](void* object) -> void* { return &(static_cast<T*>(object)->*member); };
  if constexpr (is_optional<M>) {
    const auto reset = [](void* object) { (static_cast<T*>(object)->*member).reset(); };
    if constexpr (std::default_initializable<typename M::value_type>)
      return {name, [](void* object) -> void* { return &(static_cast<T*>(object)->*member).emplace(); }, reset,
              layout_of<typename M::value_type>};
    else
      return {name, at, reset, layout_of<M>};
  } else {
    return {name, at, nullptr, layout_of<M>};
  }
}

/// Reads a T without nlohmann.
/// @returns  nothing if it is to be read by its from_json.
template <class T>
std::optional<T> read_directly(std::string_view text) {
  if constexpr (is_laid_out<T>) {
    std::optional<T> value(std::in_place);
    if (read_by_layout(text, layout_of<T>(), &*value)) return value;
  }
  return std::nullopt;
}

}}}  // namespace noun::detail
