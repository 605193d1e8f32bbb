#include "call/redaction.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/percent.hpp"
#include "wire/spelling.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view hidden = "***";

constexpr std::string_view shown_parameters[] = {
    "$skip",       "$top",    "after",    "before", "count",      "cursor",   "direction",   "limit",     "maxResults",
    "max_results", "offset",  "order",    "page",   "pageNumber", "pageSize", "page_number", "page_size", "pagelen",
    "pagesize",    "perPage", "per_page", "rows",   "scope",      "since",    "size",        "skip",      "sort",
    "start",       "startAt", "state",    "status", "top",        "type",     "until"};
/// In lower case, without separators between words.
constexpr std::string_view secret_words[] = {"token",   "secret", "passw", "pwd",    "credential", "signature",
                                             "session", "jwt",    "oauth", "bearer", "authoriz"};
constexpr std::string_view secret_names[] = {"auth", "sig", "sid", "pass"};
constexpr std::string_view shown_headers[] = {"Accept",          "Accept-Encoding", "Accept-Language",
                                              "Content-Type",    "If-Match",        "If-None-Match",
                                              "Idempotency-Key", "Prefer",          "User-Agent"};

bool may_be_shown(const Field& header) noexcept {
  constexpr std::string_view version = "-Version";
  const std::string_view name = header.name;
  if (name.size() > version.size() && same_name(name.substr(name.size() - version.size()), version)) return true;
  return std::any_of(std::begin(shown_headers), std::end(shown_headers),
                     [&](std::string_view shown) { return same_name(shown, header.name); });
}

bool may_be_shown(std::string_view parameter) noexcept {
  return std::find(std::begin(shown_parameters), std::end(shown_parameters), parameter) != std::end(shown_parameters);
}

template <class Visit>
void for_each_parameter(std::string_view query, Visit visit) {
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    const auto equals = pair.find('=');
    visit(pair.substr(0, equals), equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted += '\'';
}

void hide(std::string& text, std::string_view secret) {
  const char beginnings[] = {secret.front(), '\\', '%'};
  const std::string_view may_begin(beginnings, std::size(beginnings));
  std::string without;
  std::size_t copied = 0;
  for (auto at = text.find_first_of(may_begin); at != std::string::npos;) {
    const auto length = wire::length_of_spelling(std::string_view(text).substr(at), secret);
    if (length > 0) {
      without.append(text, copied, at - copied).append(hidden);
      copied = at + length;
    }
    at = text.find_first_of(may_begin, at + std::max<std::size_t>(length, 1));
  }
  if (copied > 0) text = without.append(text, copied);
}

/// Visits the secrets in a header's value: the whole value, the part after the scheme, and the values in
/// `name=value; …`.
template <class Visit>
void for_each_secret(std::string_view value, Visit visit) {
  visit(value);
  if (const auto space = value.find(' '); space != std::string_view::npos) {
    const auto credential = value.substr(space + 1);
    visit(credential);
    if (const auto plain = wire::base64_decode(credential); plain && same_name(value.substr(0, space), "Basic")) {
      visit(*plain);
      visit(std::string_view(*plain).substr(plain->find(':') + 1));
    }
  }
  constexpr std::string_view between = " ,;";
  while (!value.empty()) {
    auto part = value.substr(0, value.find_first_of(between));
    value.remove_prefix(std::min(value.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    part.remove_prefix(equals + 1);
    if (part.size() > 1 && part.front() == '"' && part.back() == '"') part = part.substr(1, part.size() - 2);
    visit(part);
  }
}

/// Texts to hide, each once, longer ones first: one may be the start of another.
class Secrets {
 public:
  void add(std::string_view secret) {
    if (secret.size() >= shortest_secret) all_.emplace(secret);
  }
  void add(const Headers& headers) {
    for (auto& secret : secrets_in(headers)) all_.insert(std::move(secret.text));
  }
  std::string hidden_in(std::string text) const {
    for (const auto& secret : all_) hide(text, secret);
    return text;
  }

 private:
  struct LongerFirst {
    bool operator()(const std::string& left, const std::string& right) const noexcept {
      return left.size() != right.size() ? left.size() > right.size() : left < right;
    }
  };
  std::set<std::string, LongerFirst> all_;
};

}  // namespace

std::string shown_url(std::string_view url, const Headers& headers) {
  auto shown = shown_url(url);
  const auto parts = wire::split_url(shown);
  const auto host_end = static_cast<std::size_t>(parts.path.data() - shown.data());
  Secrets secrets;
  secrets.add(headers);
  return shown.replace(host_end, std::string::npos, secrets.hidden_in(shown.substr(host_end)));
}

std::string shown_url(std::string_view url) {
  const auto parts = wire::split_url(url);
  std::string shown(url.substr(0, url.find_first_of("?#")));
  if (const auto at = parts.authority.rfind('@'); parts.has_authority && at != std::string_view::npos)
    shown = fmt::format("{}://{}@{}{}", parts.scheme, hidden, parts.authority.substr(at + 1), parts.path);
  char separator = '?';
  for_each_parameter(parts.query, [&](std::string_view name, std::string_view value) {
    shown += std::exchange(separator, '&');
    shown += name;
    if (value.empty()) return;
    shown += '=';
    shown += may_be_shown(name) ? value : hidden;
  });
  return shown;
}

bool names_secret(std::string_view parameter) {
  auto name = wire::lowered(parameter);
  std::erase_if(name, [](char letter) { return letter == '_' || letter == '-' || letter == '.'; });
  const auto is_in_name = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  return name.ends_with("key") || std::any_of(std::begin(secret_words), std::end(secret_words), is_in_name) ||
         std::find(std::begin(secret_names), std::end(secret_names), name) != std::end(secret_names);
}

std::string curl_command(Method method, std::string_view url, const Headers& headers, bool has_body) {
  std::string command = "curl";
  if (method == Method::head)
    command += " --head";
  else if (method != Method::get)
    command += fmt::format(" -X {}", to_string(method));
  command += ' ' + shell_quoted(shown_url(url, headers));
  for (const auto& header : headers)
    command += " -H " + shell_quoted(fmt::format("{}: {}", header.name, may_be_shown(header) ? header.value : hidden));
  if (has_body) command += " --data-binary @body";
  return command;
}

std::string scrubbed(std::string text, std::string_view url, const Headers& headers) {
  Secrets secrets;
  secrets.add(headers);
  for_each_parameter(wire::split_url(url).query, [&](std::string_view name, std::string_view value) {
    if (may_be_shown(name)) return;
    secrets.add(value);
    if (const auto plain = wire::percent_decode(value)) secrets.add(*plain);
  });
  return secrets.hidden_in(std::move(text));
}

std::vector<HeaderSecret> secrets_in(const Headers& headers) {
  std::vector<HeaderSecret> secrets;
  for (const auto& header : headers) {
    if (may_be_shown(header)) continue;
    std::size_t part = 0;
    for_each_secret(header.value, [&](std::string_view text) {
      if (text.size() >= shortest_secret) secrets.push_back({wire::lowered(header.name), part, std::string(text)});
      ++part;
    });
  }
  return secrets;
}

}}  // namespace noun
