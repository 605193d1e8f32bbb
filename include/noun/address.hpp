#pragma once
/// @file
/// Addresses: names that the programmer writes, ids that are data, and the path that they make. Building an address
/// never fails and sends nothing; an invalid address is the error of the call that uses it.

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <noun/error.hpp>
#include <noun/json.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// The compiler's message for an invalid Name is the name of one of these functions.
namespace name_errors {
/// @{
/// Never called at run time: calling a function that is not constexpr in a constant expression is the error.
void a_name_must_not_be_empty();
void a_name_must_not_have_an_empty_segment_or_a_slash_at_an_end();
void a_name_must_not_have_a_dot_segment();
void a_name_must_not_contain_a_percent_sign_write_the_character_itself_or_use_an_id();
void a_name_must_not_contain_a_query_a_fragment_a_backslash_a_space_or_a_control_character();
/// @}
}  // namespace name_errors

/// Checks a name as a part of a path; at compile time for literals, at run time for runtime().
/// @returns  null, or what is wrong, as a clause.
constexpr const char* fault_of_name(std::string_view name) noexcept {
  if (name.empty()) return "is empty";
  std::size_t start = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '/') {
      const char c = name[i];
      if (c == '%')
        return "contains a percent sign (write the character itself, which noun encodes, or use an id, which may have "
               "any)";
      if (c == '?' || c == '#' || c == '\\' || static_cast<unsigned char>(c) <= ' ' || c == '\x7f')
        return "contains a query, a fragment, a backslash, a space or a control character";
      continue;
    }
    const auto segment = name.substr(start, i - start);
    if (segment.empty()) return "has an empty segment, or a slash at its start or end";
    if (segment == "." || segment == "..") return "has a dot segment";
    start = i + 1;
  }
  return nullptr;
}

}  // namespace detail

/// A name written by the programmer: a string literal, checked by the compiler. A `/` inside separates segments
/// (`"search/issues"`). For text that is known only at run time, use runtime().
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Name {
 public:
  /// From a literal. An invalid one does not compile, and the message names the fault.
  consteval Name(const char* literal) : text_(literal) {
    const auto* fault = detail::fault_of_name(text_);
    if (fault == nullptr) return;
    using namespace detail::name_errors;
    const std::string_view text(fault);
    if (text.starts_with("is empty")) a_name_must_not_be_empty();
    if (text.starts_with("has an empty")) a_name_must_not_have_an_empty_segment_or_a_slash_at_an_end();
    if (text.starts_with("has a dot")) a_name_must_not_have_a_dot_segment();
    if (text.starts_with("contains a percent"))
      a_name_must_not_contain_a_percent_sign_write_the_character_itself_or_use_an_id();
    a_name_must_not_contain_a_query_a_fragment_a_backslash_a_space_or_a_control_character();
  }
  Name(std::nullptr_t) = delete;
  /// Does not compile, and says why.
  template <class T>
    requires(std::same_as<T, std::string> || std::same_as<T, std::string_view>)
  Name(const T&) {
    static_assert(sizeof(T) == 0, "noun: write noun::runtime(text) for a name that is known only at run time");
  }

  /// The name as written; valid as long as the program.
  constexpr std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// A name that is known only at run time; checked when a call uses it.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class RuntimeName {
 public:
  /// From any text; nothing is checked yet.
  explicit RuntimeName(Text text) : text_(text.str()) {}

  /// The name as given; valid as long as this object.
  std::string_view view() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Makes a name from run-time text. An invalid one is `invalid_argument` in the result of the call.
/// @threadsafety  safe.
inline RuntimeName runtime(Text text) { return RuntimeName(text); }

/// The id of a member, as an argument: an integer, text, or a Json that is one of these. Percent-encoded as one
/// segment, so `a/b?c` names one member. Not even encoding makes an empty id, `.` or `..` safe: for these the call
/// returns `invalid_argument` and sends nothing.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API Id {
 public:
  /// @{
  /// From an integer, text, or a Json that is one of these. A null `const char*` is empty text, which the call refuses.
  template <detail::IntegerNumber N>
  Id(N number) : text_(FieldValue(number).str()) {}
  Id(const char* text) : text_(Text(text).view()) {}
  Id(std::string_view text) : text_(text) {}
  Id(std::string text) noexcept : text_(std::move(text)) {}
  template <std::same_as<Json> J>
  Id(const J& json) {
    if (json.is_string())
      text_ = json.template get_ref<const std::string&>();
    else if (json.is_number_integer())
      text_ = json.dump();
    else
      fault_ = "is a Json that is neither a string nor an integer";
  }
  /// @}
  Id(std::nullptr_t) = delete;

  /// The id as text, not encoded; valid as long as this object.
  std::string_view view() const noexcept { return text_; }
  /// What is wrong with the id, as a clause, or null.
  const char* fault() const noexcept;

 private:
  std::string text_;
  const char* fault_ = nullptr;
};

namespace detail {
class ClientCore;
struct AddressAccess;
}  // namespace detail

/// A client and a path below its base URL. Collection and Item hold one.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API Address {
 public:
  /// The client's base URL itself.
  explicit Address(std::shared_ptr<detail::ClientCore> core) noexcept;
  /// @{
  /// Copies and moves; a copy shares the client.
  Address(const Address&);
  Address(Address&&) noexcept;
  Address& operator=(const Address&);
  Address& operator=(Address&&) noexcept;
  ~Address();
  /// @}

  /// @{
  /// The address of a collection or singleton below this one.
  Address below(Name name) const;
  Address below(const RuntimeName& name) const;
  /// @}
  /// The address of a member of this one.
  Address member(const Id& id) const;

  /// The path, percent-encoded, relative to the base URL: `/languages/deu`. Not complete if there is a fault().
  const std::string& path() const noexcept { return path_; }
  /// What is wrong with a name or id in the address, as a clause; empty if it is valid.
  const std::string& fault() const noexcept { return fault_; }

 private:
  friend struct detail::AddressAccess;

  std::shared_ptr<detail::ClientCore> core_;
  std::string path_;
  std::string fault_;
  std::uint64_t route_ = 0;
  /// A bit for each of the first 64 segments of the path: whether it is an id.
  std::uint64_t ids_ = 0;
  /// The length of the path of the collection or singleton.
  std::size_t collection_ = 0;
  std::optional<std::string> ending_;
  std::shared_ptr<const Error> refused_;
};

namespace detail {

/// Access to an address for the library.
struct AddressAccess {
  /// The client that the address belongs to.
  static const std::shared_ptr<ClientCore>& core_of(const Address& address) noexcept { return address.core_; }
  /// The route: the same for addresses that differ only in their ids. The gate learns the partition of each route.
  static std::uint64_t route_of(const Address& address) noexcept { return address.route_; }
  /// The segments of the path that are ids: bit 0 for the first one.
  static std::uint64_t ids_of(const Address& address) noexcept { return address.ids_; }
  /// The path of the collection that contains the item; empty if it is no item.
  static std::string_view collection_of(const Address& address) noexcept {
    const auto size = address.collection_;
    return size < address.path_.size() ? std::string_view(address.path_).substr(0, size) : std::string_view();
  }
  /// What a server's URL has after the path: a slash, a query. Nothing if noun composed the path.
  static const std::optional<std::string>& ending_of(const Address& address) noexcept { return address.ending_; }
  /// The error of every call with the address, or null: the Location of a response that is not followed.
  static const std::shared_ptr<const Error>& refusal_of(const Address& address) noexcept { return address.refused_; }
  /// An address that a server gave as a URL.
  static Address with_url(Address base, std::string path, std::string ending, std::uint64_t route,
                          std::uint64_t ids) {
    base.path_ = std::move(path);
    base.collection_ = std::min(base.path_.rfind('/'), base.path_.size());
    base.ending_ = std::move(ending);
    base.route_ = route;
    base.ids_ = ids;
    return base;
  }
  /// An address whose calls return `error`.
  static Address refused(Address base, Error error) {
    base.refused_ = std::make_shared<const Error>(std::move(error));
    return base;
  }
};

}  // namespace detail

}}  // namespace noun
