#include "wire/url.hpp"

#include <curl/urlapi.h>

#include <algorithm>
#include <memory>
#include <new>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
bool is_scheme(std::string_view text) {
  return !text.empty() && is_alpha(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// RFC 3986, section 5.2.4. Linear: dropping a segment reads only that segment.
std::string remove_dot_segments(std::string_view in) {
  std::string out;
  out.reserve(in.size());
  const auto drop_last_segment = [&out] {
    const auto slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!in.empty()) {
    // At the end of the path, "." and ".." name a directory, as they do before a slash.
    if (in == "/.") in = "/./";
    if (in == "/..") in = "/../";
    if (in.starts_with("../")) {
      in.remove_prefix(3);
    } else if (in.starts_with("./") || in.starts_with("/./")) {
      in.remove_prefix(2);
    } else if (in.starts_with("/../")) {
      in.remove_prefix(3);
      drop_last_segment();
    } else if (in == "." || in == "..") {
      break;
    } else {
      const auto end = std::min(in.find('/', 1), in.size());
      out += in.substr(0, end);
      in.remove_prefix(end);
    }
  }
  return out;
}

/// RFC 3986, section 5.2.3.
std::string merged_path(const UrlParts& base, std::string_view path) {
  if (base.has_authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  std::string merged(slash == std::string_view::npos ? std::string_view{} : base.path.substr(0, slash + 1));
  return merged += path;
}

/// RFC 3986, section 5.3, with another path. Without an authority a path cannot begin with two slashes (section 3.3).
std::string recomposed(const UrlParts& parts, std::string_view path) {
  std::string out;
  out.reserve(parts.scheme.size() + parts.authority.size() + path.size() + parts.query.size() + parts.fragment.size() +
              5);
  if (parts.has_scheme) (out += parts.scheme) += ':';
  if (parts.has_authority)
    (out += "//") += parts.authority;
  else if (path.starts_with("//"))
    out += "/.";
  out += path;
  if (parts.has_query) (out += '?') += parts.query;
  if (parts.has_fragment) (out += '#') += parts.fragment;
  return out;
}

using CurlUrl = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// Whether all readers understand the host in the same way. libcurl's conversion of non-ASCII names depends on the
/// locale (the caller can write `xn--…`).
bool is_plain_host(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Whether libcurl did it. If memory ran out, nothing is known about the URL: throws std::bad_alloc.
bool is_done(CURLUcode code) {
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  return code == CURLUE_OK;
}

std::optional<std::string> part_of(const CurlUrl& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (!is_done(curl_url_get(url.get(), part, &text, flags))) return std::nullopt;
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return std::string(text);
}

/// Whether the URL has a character that noun rejects before any parser sees it.
bool has_forbidden_character(std::string_view url) {
  return std::any_of(url.begin(), url.end(), [](char c) { return is_control(c) || c == ' ' || c == '\\'; });
}

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

/// IPv4address in 127.0.0.0/8: four decimal octets; curl normalizes all other spellings to this form.
bool is_loopback_v4(std::string_view host) {
  Cursor cursor(host);
  if (cursor.take_number(1, 3) != 127) return false;
  for (int i = 0; i < 3; ++i)
    if (!cursor.take('.') || cursor.take_number(1, 3).value_or(256) > 255) return false;
  return cursor.done();
}

bool has_plain_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find_first_of("/\\"));
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    // Some servers take parameters (`..;a=b`) off a segment first, or end the path at a query, a blank or a NUL.
    const auto* const end = std::find_if(segment.begin(), segment.end(), [](char c) {
      return c == ';' || c == '?' || c == '#' || static_cast<unsigned char>(c) <= ' ';
    });
    const std::string_view name(segment.begin(), end);
    if (name == "." || name == "..") return true;
  }
  return false;
}

constexpr bool ends_authority(char c) noexcept { return c == '/' || c == '?' || c == '#'; }

}  // namespace

UrlParts split_url(std::string_view url) {
  UrlParts parts;
  if (const auto hash = url.find('#'); hash != std::string_view::npos) {
    parts.has_fragment = true;
    parts.fragment = url.substr(hash + 1);
    url = url.substr(0, hash);
  }
  if (const auto mark = url.find('?'); mark != std::string_view::npos) {
    parts.has_query = true;
    parts.query = url.substr(mark + 1);
    url = url.substr(0, mark);
  }
  if (const auto colon = url.find(':'); colon != std::string_view::npos && is_scheme(url.substr(0, colon))) {
    parts.has_scheme = true;
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 1);
  }
  if (url.starts_with("//")) {
    const auto end = std::min(url.find('/', 2), url.size());
    parts.has_authority = true;
    parts.authority = url.substr(2, end - 2);
    url.remove_prefix(end);
  }
  parts.path = url;
  return parts;
}

std::string resolve_reference(std::string_view base, std::string_view reference) {
  UrlParts target = split_url(reference);
  if (target.has_scheme) return recomposed(target, remove_dot_segments(target.path));

  const UrlParts from = split_url(base);
  target.scheme = from.scheme;
  target.has_scheme = from.has_scheme;
  if (target.has_authority) return recomposed(target, remove_dot_segments(target.path));

  target.authority = from.authority;
  target.has_authority = from.has_authority;
  if (target.path.empty()) {
    if (!target.has_query) {
      target.query = from.query;
      target.has_query = from.has_query;
    }
    return recomposed(target, from.path);
  }
  if (target.path.starts_with('/')) return recomposed(target, remove_dot_segments(target.path));
  return recomposed(target, remove_dot_segments(merged_path(from, target.path)));
}

std::string resolve_written(std::string_view base, std::string_view reference) {
  auto parts = split_url(trimmed(reference));
  std::string path;
  std::string query;
  std::string fragment;
  append_written(path, parts.path);
  append_written(query, parts.query);
  append_written(fragment, parts.fragment);
  parts.query = query;
  parts.fragment = fragment;
  return resolve_reference(base, recomposed(parts, path));
}

bool has_dot_segment(std::string_view path) {
  constexpr int times = 3;
  std::string decoded(path);
  for (int time = 0; time < times && !has_plain_dot_segment(decoded); ++time) decoded = decoded_where_possible(decoded);
  return has_plain_dot_segment(decoded);
}

std::optional<UrlOrigin> origin_of(std::string_view url) {
  const UrlParts parts = split_url(url);
  // curl accepts missing and extra slashes, which RFC 3986 parses as a different URL.
  if (!parts.has_scheme || parts.authority.empty()) return std::nullopt;
  // A host that is percent-encoded has other spellings, which would not be the same origin.
  if (has_forbidden_character(url) || parts.authority.find_first_of("@%") != std::string_view::npos) return std::nullopt;

  const CurlUrl parsed(curl_url(), &curl_url_cleanup);
  if (!parsed) throw std::bad_alloc();
  if (!is_done(curl_url_set(parsed.get(), CURLUPART_URL, std::string(url).c_str(), 0))) return std::nullopt;
  auto scheme = part_of(parsed, CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return std::nullopt;
  if (part_of(parsed, CURLUPART_USER)) return std::nullopt;

  const auto host = part_of(parsed, CURLUPART_HOST);
  const auto port = part_of(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (!host || !port || !is_plain_host(*host)) return std::nullopt;
  UrlOrigin origin{std::move(*scheme), lowered(*host), read_integer<std::uint16_t>(*port).value_or(0)};
  if (origin.port == 0) return std::nullopt;
  return origin;
}

bool is_of_scheme(std::string_view url, std::string_view scheme) noexcept {
  return url.size() > scheme.size() && url[scheme.size()] == ':' &&
         same_ignoring_case(url.substr(0, scheme.size()), scheme);
}

std::string_view written_origin(std::string_view url) noexcept {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return url;
  // find_first_of() would call memchr() for each byte.
  const auto end = std::find_if(url.begin() + static_cast<std::ptrdiff_t>(scheme) + 3, url.end(), ends_authority);
  return url.substr(0, static_cast<std::size_t>(end - url.begin()));
}

bool leads_to(std::string_view url, std::string_view written) noexcept {
  if (written.empty() || !url.starts_with(written)) return false;
  return url.size() == written.size() || ends_authority(url[written.size()]);
}

std::string to_string(const UrlOrigin& origin) {
  std::string text = origin.scheme + "://" + origin.host;
  if (origin.port != default_port(origin.scheme)) text += ":" + std::to_string(origin.port);
  return text;
}

std::string normalized_authority(std::string_view url) {
  const auto origin = origin_of(url);
  const auto text = origin ? to_string(*origin) : std::string(written_origin(url));
  return text.substr(text.find("//") + 2);
}

bool is_loopback(const UrlOrigin& origin) {
  const std::string_view host = origin.host;
  return host == "localhost" || host.ends_with(".localhost") || host == "[::1]" || is_loopback_v4(host);
}

}}}  // namespace noun::wire
