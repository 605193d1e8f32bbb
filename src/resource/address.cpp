#include <noun/address.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "quota/routes.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

/// Characters of a name that are not percent-encoded: pchar and the slash (RFC 3986, section 3.3).
constexpr std::string_view plain_in_names = "/-._~!$&'()*+,;=:@";

void append_name(std::string& path, std::string_view name) {
  path += '/';
  for (const char c : name) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (alphanumeric || plain_in_names.find(c) != std::string_view::npos)
      path += c;
    else
      wire::append_segment(path, std::string_view(&c, 1));
  }
}

/// A path, for a message.
std::string_view shown_path(std::string_view path) { return path.empty() ? "the base URL" : path; }

}  // namespace

// Clang 16 emits a consteval constructor that a default argument calls, and then asks for these.
namespace detail::name_errors {
NOUN_API void a_name_must_not_be_empty() {}
NOUN_API void a_name_must_not_have_an_empty_segment_or_a_slash_at_an_end() {}
NOUN_API void a_name_must_not_have_a_dot_segment() {}
NOUN_API void a_name_must_not_contain_a_percent_sign_write_the_character_itself_or_use_an_id() {}
NOUN_API void a_name_must_not_contain_a_query_a_fragment_a_backslash_a_space_or_a_control_character() {}
}  // namespace detail::name_errors

const char* Id::fault() const noexcept {
  if (fault_ != nullptr) return fault_;
  if (text_.empty()) return "is empty";
  if (text_ == "." || text_ == "..") return "is a dot segment";
  return nullptr;
}

Address::Address(std::shared_ptr<detail::ClientCore> core) noexcept : core_(std::move(core)) {}
Address::Address(const Address&) = default;
Address::Address(Address&&) noexcept = default;
Address& Address::operator=(const Address&) = default;
Address& Address::operator=(Address&&) noexcept = default;
Address::~Address() = default;

Address Address::below(Name name) const {
  auto child = *this;
  child.ending_.reset();
  append_name(child.path_, name.view());
  child.route_ = quota::route_below(route_, name.view());
  child.collection_ = child.path_.size();
  return child;
}

Address Address::below(const RuntimeName& name) const {
  auto child = *this;
  child.ending_.reset();
  if (const auto* fault = detail::fault_of_name(name.view()); fault != nullptr && child.fault_.empty())
    child.fault_ = fmt::format("the name \"{}\" below {} {}", wire::printable_excerpt(name.view(), 60),
                               shown_path(path_), fault);
  else
    append_name(child.path_, name.view());
  child.route_ = quota::route_below(route_, name.view());
  child.collection_ = child.path_.size();
  return child;
}

Address Address::member(const Id& id) const {
  auto child = *this;
  child.ending_.reset();
  if (const auto* fault = id.fault()) {
    if (child.fault_.empty()) child.fault_ = fmt::format("the id below {} {}", shown_path(path_), fault);
    return child;
  }
  const auto segment = static_cast<std::size_t>(std::count(child.path_.begin(), child.path_.end(), '/'));
  if (segment < 64) child.ids_ |= std::uint64_t{1} << segment;
  child.path_ += '/';
  wire::append_segment(child.path_, id.view());
  child.route_ = quota::route_below(route_, "{}");
  return child;
}

}}  // namespace noun
