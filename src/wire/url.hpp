#pragma once
/// @file
/// URLs: splitting, resolving references against a base, dot segments, and the origin of a connection.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The five parts of a URI reference, as views of it. An undefined part is empty and its flag is false; the path is
/// always defined.
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

/// Bounds the URLs that servers name, which further requests would carry, in bytes.
constexpr std::size_t longest_named_url = std::size_t{16} * 1024;

/// Splits a URI reference; every text has parts.
/// @source RFC 3986, appendix B, with the scheme's own grammar of section 3.1.
NOUN_API UrlParts split_url(std::string_view url);

/// Resolves `reference` against `base`; does not re-encode.
/// @source RFC 3986, section 5.2, strict: a scheme in the reference is never ignored.
std::string resolve_reference(std::string_view base, std::string_view reference);

/// Resolves a reference as a server wrote it, in Location, Link or a body: spaces around it are ignored, and what no URI
/// contains in its path, query and fragment is percent-encoded (append_written()).
std::string resolve_written(std::string_view base, std::string_view reference);

/// Whether a server, or a proxy before it, may find a dot segment in a path, with which it leads out of the folder that
/// it names; some decode it twice. For every path that is not composed of names and ids.
bool has_dot_segment(std::string_view path);

/// The endpoint of a connection: scheme and host in lower case, an IPv6 host in brackets.
struct UrlOrigin {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const UrlOrigin&, const UrlOrigin&) = default;
};

/// The origin of an absolute http or https URL, parsed by libcurl, so that the origin that is checked is the one that
/// is connected to. Nothing for another scheme, userinfo, an IPv6 zone, a host that is not ASCII or percent-encoded, and
/// a URL with a space, a control character or a backslash.
NOUN_API std::optional<UrlOrigin> origin_of(std::string_view url);

/// Whether the URL has this scheme, in any case.
bool is_of_scheme(std::string_view url, std::string_view scheme) noexcept;

/// Scheme and authority of an absolute URL, as written; all of a text that is none.
NOUN_API std::string_view written_origin(std::string_view url) noexcept;

/// Whether `written` is the written_origin() of the URL. Does not parse the URL, which would cost more.
bool leads_to(std::string_view url, std::string_view written) noexcept;

/// `https://host`, followed by `:port` unless it is the scheme's default port.
NOUN_API std::string to_string(const UrlOrigin& origin);

/// Host and port of an absolute URL as a server knows itself: in lower case, without the scheme's default port.
/// @source RFC 9110, section 4.2.3.
std::string normalized_authority(std::string_view url);

/// Whether the host of the origin is this machine: localhost, *.localhost (RFC 6761, section 6.3), 127.0.0.0/8 or ::1.
NOUN_API bool is_loopback(const UrlOrigin& origin);

}}}  // namespace noun::wire
