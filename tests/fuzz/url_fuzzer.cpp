// URLs: the lines of the input are a base, a reference, and the name and the value of a query parameter. libcurl must
// see the origins that noun sees.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>

#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace {

using namespace noun::wire;
using noun_fuzz::require;

std::string joined(const UrlParts& parts) {
  std::string url;
  if (parts.has_scheme) (url += parts.scheme) += ':';
  if (parts.has_authority) (url += "//") += parts.authority;
  url += parts.path;
  if (parts.has_query) (url += '?') += parts.query;
  if (parts.has_fragment) (url += '#') += parts.fragment;
  return url;
}

/// The host and the port to which libcurl connects for a reference on a page at `base`; nothing if it refuses.
std::optional<std::string> endpoint_by_curl(const std::string& base, const std::string& reference) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK) return std::nullopt;
  if (curl_url_set(url.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK) return std::nullopt;
  std::string endpoint;
  for (const auto part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT}) {
    char* text = nullptr;
    if (curl_url_get(url.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return std::nullopt;
    endpoint += lowered(text) + ' ';
    curl_free(text);
  }
  return endpoint;
}

std::string endpoint_of(const UrlOrigin& origin) {
  return origin.scheme + ' ' + origin.host + ' ' + std::to_string(origin.port) + ' ';
}

/// Whether libcurl may write the host in another way: as an IPv4 address in four parts.
bool may_be_rewritten(std::string_view host) {
  const auto is_numeric = [](char c) { return hex_value(c) >= 0 || c == 'x' || c == 'X' || c == '.'; };
  return host.starts_with('[') || std::all_of(host.begin(), host.end(), is_numeric);
}

void check_origin(const std::string& url) {
  const auto origin = origin_of(url);
  if (!origin) return;
  require(origin_of(to_string(*origin)) == origin, "an origin is its own origin");
  const auto authority = split_url(url).authority;
  // Without its port.
  const auto host = authority.starts_with('[') ? authority : authority.substr(0, authority.find(':'));
  require(may_be_rewritten(host) || lowered(host) == origin->host, "the host is the one of RFC 3986");
  require(endpoint_by_curl(url, url) == endpoint_of(*origin), "libcurl connects to the origin");
  is_loopback(*origin);
}

void check_parameter(const std::string& url, std::string_view name, std::string_view value) {
  const auto changed = with_parameter(url, name, value);
  const auto encoded = parameter_of(changed, name);
  require(encoded && percent_decode(*encoded) == value, "a parameter is found as it was set");
  require(with_parameter(changed, name, value) == changed, "setting a parameter twice is setting it once");
  const auto origin = origin_of(url);
  require(!origin || origin_of(changed) == origin, "a parameter does not change the origin");
  require(!parameter_of(url, name) || split_url(url).has_query, "a parameter is in the query");
  // A name may be given encoded.
  if (name.find('%') != std::string_view::npos) return;
  const auto all = decoded_query(changed);
  const auto is_it = [&](const auto& each) { return each.name == name && each.value == value; };
  require(std::any_of(all.begin(), all.end(), is_it), "a parameter is decoded as it was set");
}

void check_encoding(std::string_view text) {
  std::string segment;
  append_segment(segment, text);
  require(percent_decode(segment) == text, "a segment decodes to its text");
  require(segment.find_first_of("/?#&") == std::string::npos, "a segment does not end the segment");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = noun_fuzz::text_of(data, size);
  const std::string base(noun_fuzz::take_part(text));
  const std::string reference(noun_fuzz::take_part(text));
  const auto name = noun_fuzz::take_part(text);

  require(joined(split_url(reference)) == reference, "the parts of a URL are the URL");
  const auto resolved = resolve_reference(base, reference);
  const auto parts = split_url(resolved);
  if (parts.has_scheme && parts.has_authority && split_url(reference).path.size() > 0)
    require(resolve_reference("https://x/", resolved) == resolved, "a resolved URL resolves to itself");
  for (const auto& url : {base, reference, resolved}) check_origin(url);
  if (origin_of(base))
    if (const auto origin = origin_of(resolved))
      if (const auto by_curl = endpoint_by_curl(base, reference))
        require(by_curl == endpoint_of(*origin), "libcurl resolves to the same origin");
  check_parameter(base, name, text);
  check_encoding(reference);
  check_encoding(text);
  return 0;
}
