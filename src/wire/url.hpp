#pragma once
/// @file
/// URLs: their parts, references resolved against a base, and the origin that a connection would go to. Whether an
/// origin may be talked to is policy and not decided here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// The five parts of a URI reference, as views of it. An undefined part is empty and its flag is false; a path is
/// always there.
struct UrlParts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
  bool has_scheme = false;
  bool has_authority = false;
  bool has_query = false;
  bool has_fragment = false;
};

/// Takes a URI reference apart; any text has parts.
/// @source RFC 3986, appendix B, with the scheme's own grammar of section 3.1.
UrlParts split_url(std::string_view url);

/// The URI that `reference` means where `base` was read; not re-encoded.
/// @source RFC 3986, section 5.2, strict: a scheme in the reference is never ignored.
std::string resolve_reference(std::string_view base, std::string_view reference);

/// Where a connection goes: scheme and host in lower case, an IPv6 host in its brackets.
struct UrlOrigin {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const UrlOrigin&, const UrlOrigin&) = default;
};

/// The origin of an absolute http or https URL, as libcurl reads it: the parser that judges is the parser that
/// connects. Nothing for another scheme, userinfo, an IPv6 zone, a host that is not ASCII, and for a space, a control
/// character or a backslash anywhere.
std::optional<UrlOrigin> origin_of(std::string_view url);

/// `https://host`, and `:port` unless it is the scheme's own.
std::string to_string(const UrlOrigin& origin);

/// Whether the origin is this machine: localhost, *.localhost (RFC 6761, section 6.3), 127.0.0.0/8 or ::1.
bool is_loopback(const UrlOrigin& origin);

}}}  // namespace noun::wire
