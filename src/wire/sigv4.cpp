#include "wire/sigv4.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/digest.hpp"
#include "wire/http_date.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view scope_end = "aws4_request";

/// Fields that belong to one connection, that proxies change, or that noun adds after the signature.
constexpr std::string_view unsigned_fields[] = {
    "accept-encoding", "authorization", "cache-control",  "connection",
    "expect",          "keep-alive",    "pragma",         "te",
    "traceparent",     "tracestate",    "trailer",        "transfer-encoding",
    "upgrade",         "user-agent",    "x-amzn-trace-id"};

bool is_signed(std::string_view name) {
  return std::find(std::begin(unsigned_fields), std::end(unsigned_fields), name) == std::end(unsigned_fields);
}

/// The value without spaces at its ends, and with one where it has several.
std::string collapsed(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (!is_space(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// The value of Host. libcurl sends a name in the case that the URL has, and an address in its usual form.
std::string sent_host(std::string_view url) {
  auto host = normalized_authority(url);
  const auto written = split_url(url).authority.substr(0, host.size());
  if (!host.starts_with('[') && same_ignoring_case(written, host)) host = written;
  return host;
}

/// The signed fields by their names in lower case; several of a name are one.
std::map<std::string, std::string> signed_fields(const Sigv4Request& request) {
  std::map<std::string, std::string> fields{{"host", sent_host(request.url)}};
  for (const auto& [name, value] : request.headers) {
    auto key = lowered(name);
    if (!is_signed(key)) continue;
    const auto [at, is_new] = fields.try_emplace(std::move(key), collapsed(value));
    if (!is_new) at->second += "," + collapsed(value);
  }
  return fields;
}

std::string names_of(const std::map<std::string, std::string>& fields) {
  std::string names;
  for (const auto& field : fields) names.append(names.empty() ? "" : ";").append(field.first);
  return names;
}

void append_path(std::string& out, std::string_view path) {
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find('/'));
    append_segment(out, segment);
    if (segment.size() < path.size()) out += '/';
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
  }
}

/// The path without dot segments and without empty ones.
std::string normalized(std::string_view path) {
  std::vector<std::string_view> segments;
  const bool is_folder = path.ends_with('/');
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  }
  return fmt::format("/{}{}", fmt::join(segments, "/"), is_folder && !segments.empty() ? "/" : "");
}

std::string canonical_path(std::string_view path, Sigv4Path how) {
  std::string out;
  append_path(out, how == Sigv4Path::normalized ? normalized(path) : decoded_where_possible(path));
  return out.empty() ? "/" : out;
}

std::string recoded(std::string_view part) {
  std::string out;
  append_query(out, decoded_where_possible(part));
  return out;
}

/// The parameters, encoded in the same way and in the order of their names and values.
std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const auto [name, value] = take_parameter(query);
    if (!name.empty() || !value.empty()) parameters.emplace_back(recoded(name), recoded(value));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string out;
  for (const auto& [name, value] : parameters) out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
  return out;
}

std::string canonical(const Sigv4Request& request, const std::map<std::string, std::string>& fields) {
  const auto parts = split_url(request.url);
  std::string lines;
  for (const auto& [name, value] : fields) lines += fmt::format("{}:{}\n", name, value);
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, canonical_path(parts.path, request.path),
                     canonical_query(parts.query), lines, names_of(fields), request.payload_hash);
}

}  // namespace

std::string sigv4_date(std::chrono::sys_seconds when) {
  auto date = format_rfc3339(when);
  std::erase_if(date, [](char c) { return c == '-' || c == ':'; });
  return date;
}

std::string sigv4_canonical_request(const Sigv4Request& request) { return canonical(request, signed_fields(request)); }

std::string sigv4_authorization(const Sigv4Request& request, const Sigv4Key& key, std::string_view date) {
  const auto fields = signed_fields(request);
  const auto day = date.substr(0, date.find('T'));
  const auto scope = fmt::format("{}/{}/{}/{}", day, key.region, key.service, scope_end);
  const auto text =
      fmt::format("{}\n{}\n{}\n{}", algorithm, date, scope, hexadecimal(sha256(canonical(request, fields))));
  auto signing_key = hmac_sha256(fmt::format("AWS4{}", key.secret_key), day);
  for (const auto part : {key.region, key.service, scope_end}) signing_key = hmac_sha256(signing_key, part);
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", algorithm, key.access_key, scope,
                     names_of(fields), hexadecimal(hmac_sha256(signing_key, text)));
}

}}}  // namespace noun::wire
