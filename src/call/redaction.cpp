#include "call/redaction.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/spelling.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view asterisks = "***";

/// In lower case, without separators between words.
constexpr std::string_view secret_words[] = {"token",     "secret",     "passw",    "pwd",    "credential",
                                             "signature", "session",    "jwt",      "oauth",  "bearer",
                                             "authoriz",  "passphrase", "passcode", "sessid", "connectionstring"};
constexpr std::string_view secret_names[] = {
    "auth", "sig",     "sid",     "pass",             "pin",        "pincode",     "otp",
    "totp", "otpcode", "mfacode", "verificationcode", "devicecode", "samlresponse"};
constexpr std::string_view secret_ends[] = {"key", "creds", "assertion"};
/// Ends of names that are called tokens or keys, and say which part of a list or of a table is meant, or of which kind
/// a token is; and keys that anybody may know.
constexpr std::string_view harmless_ends[] = {
    "pagetoken", "nexttoken", "continuationtoken", "skiptoken",  "tokentype", "startkey",  "endkey", "sortkey",
    "pagekey",   "lastkey",   "rowkey",            "partitionkey", "routingkey", "publickey", "foreignkey"};
constexpr std::string_view shown_headers[] = {
    "Accept",           "User-Agent",       "Accept-Encoding",   "Accept-Language", "Cache-Control", "Content-Digest",
    "Content-Encoding", "Content-Language", "Content-Type",      "If-Match",        "If-None-Match", "If-Range",
    "Idempotency-Key",  "Prefer",           "If-Modified-Since", "Signature-Input", "X-Amz-Date",    "Range"};

/// Of responses. Most are those of RFC 9110.
constexpr std::string_view shown_response_headers[] = {
    "Accept-Patch", "Accept-Post", "Accept-Ranges", "Age", "Allow", "Cache-Status", "Connection", "Content-Disposition",
    "Content-Length", "Content-Location", "Content-MD5", "Date", "Deprecation", "Digest", "ETag", "Expires",
    "Keep-Alive", "Last-Modified", "Link", "Location", "Operation-Location", "Azure-AsyncOperation", "Original-Request",
    "Pragma", "Preference-Applied", "Referrer-Policy", "Server", "Server-Timing", "Strict-Transport-Security", "Sunset",
    "Trailer", "Transfer-Encoding", "Upgrade", "Vary", "Via", "Warning", "WWW-Authenticate", "X-Cache",
    "X-Content-Type-Options", "X-Elastic-Product", "X-Frame-Options", "X-Powered-By", "X-Runtime", "X-Served-By",
    "X-XSS-Protection"};
/// Words of names, between hyphens, of response headers that report quotas and media.
constexpr std::string_view shown_response_words[] = {"limit", "limited", "remaining", "quota", "usage", "retry",
                                                     "poll",  "total",   "count",     "range", "media", "digest"};
constexpr std::string_view shown_response_starts[] = {"access-control-", "cross-origin-"};
/// Ends of names, without hyphens, of response headers that report pages and requests.
constexpr std::string_view shown_response_ends[] = {"page",       "pages",     "pagesize",      "pagenumber",
                                                    "pagetoken",  "requestid", "requestcharge", "traceid",
                                                    "tracecontext", "correlationid"};

bool may_be_shown(std::string_view name) noexcept {
  constexpr std::string_view version = "-Version";
  if (name.size() > version.size() && wire::same_ignoring_case(name.substr(name.size() - version.size()), version))
    return true;
  return std::any_of(std::begin(shown_headers), std::end(shown_headers),
                     [&](std::string_view shown) { return wire::same_ignoring_case(shown, name); });
}

/// @param written  the parameter's name as it is in the URL.
bool is_hidden(std::string_view written, const KnownSecrets& known) {
  return names_secret(wire::decoded_where_possible(written), known);
}

/// Appends where the values of secret parameters are in URLs of the text. In JSON and HTML, `&` may be escaped.
void find_parameters(std::string_view text, const KnownSecrets& known, std::vector<wire::TextPart>& parts) {
  constexpr std::string_view no_name = "?&;=\\\"'<>(){} \t\r\n";
  constexpr std::string_view no_value = "&#\\\"'<>(){} \t\r\n";
  constexpr std::string_view in_json = "\\u0026";
  constexpr std::string_view in_html = "&amp;";
  std::size_t end = 0;
  for (auto equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', std::max(equals + 1, end))) {
    const auto before = text.substr(0, equals);
    const auto delimiter = before.find_last_of(no_name);
    if (delimiter == std::string_view::npos) continue;
    auto name = before.substr(delimiter + 1);
    if (before.substr(delimiter).starts_with(in_json))
      name.remove_prefix(in_json.size() - 1);
    else if (before[delimiter] != '?' && before[delimiter] != '&' &&
             !before.substr(0, delimiter + 1).ends_with(in_html))
      continue;
    // The end of a value is searched only if it is hidden: many values may be one, up to the same end.
    if (!is_hidden(name, known)) continue;
    end = std::min(text.find_first_of(no_value, equals + 1), text.size());
    if (end > equals + 1) parts.push_back({equals + 1, end});
  }
}

/// Appends where users and passwords are in URLs of the text. In JSON, slashes may be escaped.
void find_userinfo(std::string_view text, std::vector<wire::TextPart>& parts) {
  constexpr std::string_view after_userinfo = "@/?#\\\"'<>(){} \t\r\n";
  constexpr std::string_view plain = "//";
  constexpr std::string_view in_json = "\\/\\/";
  for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    const auto rest = text.substr(colon + 1);
    if (!rest.starts_with(plain) && !rest.starts_with(in_json)) continue;
    const auto begin = colon + 1 + (rest.starts_with(plain) ? plain.size() : in_json.size());
    // The next one of a list starts after it, unless it is in a password.
    const auto separator = text.find_first_of(":,;", begin);
    const bool is_listed = separator != std::string_view::npos && text[separator] != ':';
    const auto listed = is_listed ? text.substr(0, separator) : text;
    auto end = listed.find_first_of(after_userinfo, begin);
    // A password may have one that is not encoded.
    for (auto next = end; next != std::string_view::npos && listed[next] == '@';
         next = listed.find_first_of(after_userinfo, next + 1))
      end = next;
    if (end == std::string_view::npos && is_listed) continue;
    if (end == std::string_view::npos) return;
    if (text[end] == '@' && end > begin) parts.push_back({begin, end});
    colon = end - 1;
  }
}

/// Appends a part of a word, within single quotes, to a command line for a shell.
void append_quoted(std::string& command, std::string_view text) {
  for (auto quote = text.find('\''); quote != std::string_view::npos; quote = text.find('\'')) {
    command.append(text.substr(0, quote)).append("'\\''");
    text.remove_prefix(quote + 1);
  }
  command += text;
}

/// A secret as a server repeats it: white space at its ends may be lost on the way.
std::string_view without_outer_space(std::string_view secret) noexcept {
  while (!secret.empty() && wire::is_space(secret.front())) secret.remove_prefix(1);
  while (!secret.empty() && wire::is_space(secret.back())) secret.remove_suffix(1);
  return secret;
}

/// Visits the secrets in a header's value: the whole value, the part after the scheme, and the values in
/// `name=value; …`.
template <class Visit>
void for_each_secret(std::string_view value, Visit visit_part) {
  const auto visit = [&](std::string_view part) { visit_part(without_outer_space(part)); };
  value = without_outer_space(value);
  visit(value);
  if (const auto space = value.find_first_of(" \t"); space != std::string_view::npos) {
    const auto credential = without_outer_space(value.substr(space + 1));
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
    // Names of fields are words of messages (AWS, Signature Version 4).
    if (equals == std::string_view::npos || part.substr(0, equals) == "SignedHeaders") continue;
    part.remove_prefix(equals + 1);
    // One with a space in its quotes is in two parts.
    if (part.starts_with('"')) part.remove_prefix(1);
    if (part.ends_with('"')) part.remove_suffix(1);
    visit(part);
  }
}

/// A value of a query parameter without percent-encoding.
std::string decoded(std::string_view value) {
  std::string text(value);
  std::replace(text.begin(), text.end(), '+', ' ');
  return wire::decoded_where_possible(text);
}

/// URLs are ASCII; other bytes may be commands for a terminal.
std::string as_ascii(std::string url) {
  const auto is_plain = [](char c) { return !wire::is_control(c) && static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(url.begin(), url.end(), is_plain)) return url;
  std::string ascii;
  for (const char c : url) {
    if (is_plain(c))
      ascii += c;
    else
      ascii += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return ascii;
}

/// Visits the values of secret parameters, as written and decoded. A server may have chosen them: of many, or of long
/// ones, only the first part is searched elsewhere.
template <class Visit>
void for_each_secret_in_query(std::string_view query, const KnownSecrets& known, Visit visit) {
  constexpr std::size_t most_values = 32;
  constexpr std::size_t longest_value = 4096;
  std::size_t values = 0;
  while (!query.empty() && values < most_values) {
    auto [name, value] = wire::take_parameter(query);
    if (value.empty() || !is_hidden(name, known)) continue;
    ++values;
    value = value.substr(0, longest_value);
    const auto visit_trimmed = [&](std::string_view text) {
      if (const auto trimmed = without_outer_space(text); !trimmed.empty()) visit(trimmed);
    };
    visit_trimmed(value);
    if (const auto plain = decoded(value); plain != value) visit_trimmed(plain);
  }
}

}  // namespace

void KnownSecrets::add(std::string_view secret) {
  const std::lock_guard lock(mutex_);
  if (const auto text = without_outer_space(secret); !text.empty()) lasting_.emplace_back(text);
}

void KnownSecrets::add_passing(std::string_view secret) {
  constexpr std::size_t most = 16;
  const auto text = without_outer_space(secret);
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto known = std::find(passing_.begin(), passing_.end(), text);
  if (known != passing_.end())
    passing_.erase(known);
  else if (passing_.size() == most)
    passing_.erase(passing_.begin());
  passing_.emplace_back(text);
}

void KnownSecrets::add_parameter(std::string name) {
  const std::lock_guard lock(mutex_);
  parameters_.insert(std::move(name));
}

void KnownSecrets::show_parameter(std::string name) {
  const std::lock_guard lock(mutex_);
  shown_parameters_.insert(std::move(name));
}

void KnownSecrets::include(std::shared_ptr<const KnownSecrets> others) {
  const std::lock_guard lock(mutex_);
  included_.push_back(std::move(others));
}

std::vector<std::string> KnownSecrets::all() const {
  const std::lock_guard lock(mutex_);
  auto all = lasting_;
  all.insert(all.end(), passing_.begin(), passing_.end());
  for (const auto& others : included_) {
    const auto more = others->all();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

bool KnownSecrets::has_parameter(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return parameters_.contains(name) || std::any_of(included_.begin(), included_.end(),
                                                   [&](const auto& others) { return others->has_parameter(name); });
}

bool KnownSecrets::shows_parameter(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return shown_parameters_.contains(name);
}

std::shared_ptr<const wire::SpellingSearch> KnownSecrets::search_of(std::vector<std::string> words) const {
  constexpr std::size_t most = 8;
  // A server may have chosen the words.
  constexpr std::size_t longest = 4096;
  {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(searches_.begin(), searches_.end(), [&](const Search& each) { return each.words == words; });
    if (known != searches_.end()) return known->search;
  }
  auto search = std::make_shared<const wire::SpellingSearch>(words);
  std::size_t length = 0;
  for (const auto& word : words) length += word.size();
  if (length > longest) return search;
  const std::lock_guard lock(mutex_);
  if (searches_.size() == most) searches_.erase(searches_.begin());
  searches_.push_back({std::move(words), search});
  return search;
}

std::vector<std::string> secrets_in_query(std::string_view url, const KnownSecrets& known) {
  std::vector<std::string> secrets;
  for_each_secret_in_query(wire::split_url(url).query, known,
                           [&](std::string_view secret) { secrets.emplace_back(secret); });
  return secrets;
}

Redaction::Redaction(std::string_view url, const RequestSecrets& from)
    : url_(url), parts_(wire::split_url(url)), from_(from) {
  std::vector<std::string> secrets;
  const auto add = [&](std::string_view secret) {
    if (secret.size() >= shortest_secret) secrets.emplace_back(secret);
  };
  for (const auto& header : from.headers)
    if (!may_be_shown(header.name)) for_each_secret(header.value, add);
  for (const auto& secret : from.known.all()) add(secret);
  for (const auto& secret : from.earlier) add(secret);
  for_each_secret_in_query(parts_.query, from.known, add);
  secrets_ = from.known.search_of(std::move(secrets));
}

std::string without_parts(std::string text, std::span<const wire::TextPart> parts, std::size_t shown,
                          const std::function<std::string(std::string_view)>& stand_in) {
  std::string hidden;
  std::size_t copied = 0;
  for (auto part = parts.begin(); part != parts.end();) {
    const auto begin = part->begin;
    auto end = part->end;
    for (++part; part != parts.end() && part->begin < end; ++part) end = std::max(end, part->end);
    if (end <= shown) continue;
    hidden.append(text, copied, begin - copied);
    hidden += stand_in ? stand_in(std::string_view(text).substr(begin, end - begin)) : std::string(asterisks);
    copied = end;
  }
  if (copied == 0) return text;
  return hidden.append(text, copied);
}

std::vector<wire::TextPart> secret_parts_in_urls(std::string_view text, const KnownSecrets& known) {
  std::vector<wire::TextPart> parts;
  find_parameters(text, known, parts);
  const auto middle = parts.size();
  find_userinfo(text, parts);
  std::inplace_merge(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(middle), parts.end(),
                     [](const auto& left, const auto& right) { return left.begin < right.begin; });
  return parts;
}

std::vector<std::string> secrets_in_urls(std::string_view text, const KnownSecrets& known) {
  std::vector<std::string> secrets;
  for (const auto& part : secret_parts_in_urls(text, known)) {
    const auto secret = text.substr(part.begin, part.end - part.begin);
    secrets.emplace_back(secret);
    if (auto plain = decoded(secret); plain != secret) secrets.push_back(std::move(plain));
    // Of a user and a password.
    if (const auto colon = secret.find(':'); colon != std::string_view::npos && text[part.end] == '@')
      secrets.push_back(decoded(secret.substr(colon + 1)));
  }
  return secrets;
}

std::string Redaction::hidden_in(std::string text, std::size_t shown) const {
  const auto parts = secrets_->find(text);
  return without_parts(std::move(text), parts, shown);
}

std::string Redaction::scrubbed(std::string text) const {
  auto hidden = hidden_in(std::move(text));
  const auto parts = secret_parts_in_urls(hidden, from_.known);
  return without_parts(std::move(hidden), parts);
}

std::string Redaction::line(std::string text) const {
  const auto hidden = scrubbed(std::move(text));
  auto line = wire::printable(hidden);
  return line == hidden ? line : scrubbed(std::move(line));
}

std::string Redaction::url() const {
  std::string shown(url_.substr(0, static_cast<std::size_t>(parts_.path.data() - url_.data())));
  if (const auto at = parts_.authority.rfind('@'); parts_.has_authority && at != std::string_view::npos)
    shown = fmt::format("{}://{}@{}", parts_.scheme, asterisks, parts_.authority.substr(at + 1));
  const auto own = from_.foreign_host ? 0 : shown.size();
  const auto was_hidden = [&](std::string_view value) {
    const auto plain = decoded(value);
    return std::find(from_.earlier.begin(), from_.earlier.end(), without_outer_space(plain)) != from_.earlier.end();
  };
  shown += parts_.path;
  char separator = '?';
  for (auto query = parts_.query; !query.empty();) {
    const auto [name, value] = wire::take_parameter(query);
    const bool has_value = name.data() + name.size() != value.data();
    shown += std::exchange(separator, '&');
    shown += name;
    if (has_value) shown += '=';
    shown += !value.empty() && (is_hidden(name, from_.known) || was_hidden(value)) ? asterisks : value;
  }
  return as_ascii(hidden_in(std::move(shown), own));
}

// A server may have chosen a harmless value: an ETag.
std::string Redaction::header(const Field& field) const {
  return may_be_shown(field.name) ? line(field.value) : std::string(asterisks);
}

std::string Redaction::curl_command(Method method, std::string_view shown_url, const Headers& fields, bool has_body,
                                    std::string_view body_file) const {
  constexpr std::size_t usual_header = 64;
  std::string command;
  command.reserve(shown_url.size() + usual_header * (1 + fields.size()));
  command += "curl";
  if (method == Method::head)
    command += " --head";
  else if (method != Method::get)
    command.append(" -X ").append(to_string(method));
  append_quoted(command += " '", shown_url);
  command += '\'';
  for (const auto& field : fields) {
    append_quoted(command += " -H '", field.name);
    append_quoted(command += ": ", header(field));
    command += '\'';
  }
  if (has_body && body_file.empty()) command += " --data-binary @body";
  if (has_body && !body_file.empty()) {
    append_quoted(command += " --data-binary '@", body_file);
    command += '\'';
  }
  return command;
}

bool names_secret(std::string_view parameter) {
  auto name = wire::lowered(parameter);
  if (name.starts_with("x-")) name.erase(0, 1);
  std::erase_if(name, [](char letter) { return letter == '_' || letter == '-' || letter == '.'; });
  const auto is_in_name = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  const auto ends_name = [&](std::string_view word) { return name.ends_with(word); };
  if (std::any_of(std::begin(harmless_ends), std::end(harmless_ends), ends_name)) return false;
  return std::any_of(std::begin(secret_ends), std::end(secret_ends), ends_name) ||
         std::any_of(std::begin(secret_words), std::end(secret_words), is_in_name) ||
         std::find(std::begin(secret_names), std::end(secret_names), name) != std::end(secret_names);
}

bool names_secret(std::string_view parameter, const KnownSecrets& known) {
  return (names_secret(parameter) && !known.shows_parameter(parameter)) || known.has_parameter(parameter);
}

bool names_credentials(std::string_view header) {
  return wire::same_ignoring_case(header, "Cookie") || (!may_be_shown(header) && names_secret(header));
}

bool is_hidden_in_response(std::string_view header) {
  const auto name = wire::lowered(header);
  auto letters = name;
  std::erase(letters, '-');
  auto credentials = name;
  const bool is_of_quota = letters.find("ratelimit") != std::string::npos;
  // Its counts may be of tokens.
  constexpr std::string_view counted = "tokens";
  if (const auto at = credentials.find(counted); is_of_quota && at != std::string::npos)
    credentials.erase(at, counted.size());
  if (names_credentials(credentials) || letters.ends_with("auth")) return true;
  if (is_of_quota) return false;
  const auto is_name = [&](std::string_view shown) { return wire::same_ignoring_case(shown, name); };
  const auto starts_name = [&](std::string_view start) { return name.starts_with(start); };
  const auto ends_name = [&](std::string_view end) { return letters.ends_with(end); };
  if (may_be_shown(header) ||
      std::any_of(std::begin(shown_response_headers), std::end(shown_response_headers), is_name) ||
      std::any_of(std::begin(shown_response_starts), std::end(shown_response_starts), starts_name) ||
      std::any_of(std::begin(shown_response_ends), std::end(shown_response_ends), ends_name))
    return false;
  for (std::string_view rest = name; !rest.empty();) {
    const auto word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (std::find(std::begin(shown_response_words), std::end(shown_response_words), word) !=
        std::end(shown_response_words))
      return false;
  }
  return true;
}

std::optional<std::string> secret_parameter_in(std::string_view url, const KnownSecrets& known) {
  for (auto query = wire::split_url(url).query; !query.empty();) {
    const auto [name, value] = wire::take_parameter(query);
    if (!value.empty() && is_hidden(name, known)) return std::string(name);
  }
  return std::nullopt;
}

std::vector<HeaderSecret> secrets_in(const Headers& headers) {
  std::vector<HeaderSecret> secrets;
  for (const auto& header : headers) {
    if (may_be_shown(header.name)) continue;
    std::size_t part = 0;
    for_each_secret(header.value, [&](std::string_view text) {
      if (text.size() >= shortest_secret) secrets.push_back({wire::lowered(header.name), part, std::string(text)});
      ++part;
    });
  }
  return secrets;
}

}}  // namespace noun
