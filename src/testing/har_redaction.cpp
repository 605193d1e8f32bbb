#include "testing/har_redaction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "testing/har_multipart.hpp"
#include "wire/ascii.hpp"
#include "wire/http_date.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

bool is_listed(const TextList& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& each) { return std::string_view(each) == name; });
}

/// Whether the member says something about a secret: `token_type`, `token_endpoint`.
bool describes_secret(std::string_view name) {
  constexpr std::array<std::string_view, 6> ends{"type", "url", "uri", "endpoint", "scope", "scopes"};
  const auto lower = wire::lowered(name);
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return lower.ends_with(end); });
}

bool is_secret_member(std::string_view name, const HidingRules& rules) {
  if (is_listed(rules.hidden, name)) return true;
  return names_secret(name) && !describes_secret(name) && !is_listed(rules.shown, name);
}

/// Of the credentials that requests of tokens have, all are hidden but what says which are wanted.
/// @source RFC 6749, sections 4 and 6.
bool is_of_token_request(std::string_view name, const HidingRules& rules) {
  constexpr std::array<std::string_view, 4> shown{"grant_type", "scope", "audience", "resource"};
  return std::find(shown.begin(), shown.end(), name) == shown.end() && !is_listed(rules.shown, name);
}

/// What says which names are of secrets in one body.
struct NameRules {
  const KnownSecrets& known;
  const HidingRules& rules;
  Side side;
  bool asks_for_token = false;
};

/// The letters and digits of a value.
struct Letters {
  bool has_letter = false;
  bool has_digit = false;
  std::size_t longest_run = 0;
  bool is_one_word = true;  ///< without spaces
};

Letters letters_of(std::string_view value) {
  Letters found;
  std::size_t run = 0;
  for (const char c : value) {
    found.has_letter = found.has_letter || wire::is_alpha(c);
    found.has_digit = found.has_digit || wire::is_digit(c);
    if (wire::is_space(c)) found.is_one_word = false;
    run = wire::is_alpha(c) || wire::is_digit(c) ? run + 1 : 0;
    found.longest_run = std::max(found.longest_run, run);
  }
  return found;
}

constexpr std::size_t longest_word = 15;

/// Whether other places of a recording may well have the value that is no secret there: words, numbers, dates, URLs.
bool reads_as_data(std::string_view value) {
  if (value.find("://") != std::string_view::npos || value.ends_with(" GMT") || wire::parse_rfc3339(value)) return true;
  const auto found = letters_of(value);
  return !(found.has_letter && found.has_digit) && found.longest_run <= longest_word;
}

/// Whether a value is more likely a secret than the name of something.
bool looks_random(std::string_view value) {
  const auto found = letters_of(value);
  return value.size() > longest_word && found.is_one_word && found.has_letter && found.has_digit;
}

/// Whether a value is searched elsewhere, because of itself or of its name.
bool is_searched(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 4> sure{"pass", "pwd", "secret", "token"};
  const auto lower = wire::lowered(name);
  return !reads_as_data(value) || std::any_of(sure.begin(), sure.end(), [&](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

/// `key` and the like name what many lists are of: issues, labels, rows.
bool may_name_data(std::string_view name) {
  constexpr std::array<std::string_view, 3> names{"key", "primarykey", "primary_key"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return wire::same_ignoring_case(each, name); });
}

/// Copies text and hides values in it.
class MemberScan {
 public:
  MemberScan(std::string_view text, const HidingRules& rules, Side side, bool asks_for_token, HiddenSecrets* found,
             StandIns* stand_ins)
      : text_(text),
        rules_(rules),
        side_(side),
        asks_for_token_(asks_for_token),
        found_(found),
        stand_ins_(stand_ins) {}

  std::string run() && {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' && string_end() != npos)
        take_string();
      else if (c == '"' && is_secret_ && endless_ >= text_.size())
        take_cut_string();
      else
        take_other(c);
    }
    return std::move(out_);
  }

 private:
  static constexpr auto npos = std::string_view::npos;

  /// After the string that starts here; npos if it is none.
  std::size_t string_end() {
    if (at_ < endless_) return npos;
    auto at = at_ + 1;
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == '"') return at + 1;
      if (text_[at] == '\\') ++at;
    }
    endless_ = at;
    return npos;
  }
  std::size_t after_space(std::size_t at) const {
    while (at < text_.size() && wire::is_space(text_[at])) ++at;
    return at;
  }
  void copy_to(std::size_t end) {
    out_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  void take_string() {
    const auto end = string_end();
    const auto colon = after_space(end);
    if (colon < text_.size() && text_[colon] == ':') {
      auto name = wire::json_text_at(text_.substr(at_, end - at_), "").value_or("");
      copy_to(after_space(colon + 1));
      start_value_of(std::move(name));
      return;
    }
    if (is_secret_ && end - at_ > 2)
      hide_string(end);
    else
      copy_to(end);
    end_scalar();
  }

  void start_value_of(std::string name) {
    is_type_ = depth_ > 0 && wire::same_ignoring_case(name, "type");
    if (!is_listed_ && is_listed(rules_.hidden, name)) {
      is_listed_ = true;
      listed_depth_ = depth_;
    }
    if (depth_ > 0) return;
    const bool has_secret_name = is_secret_member(name, rules_);
    is_secret_ = has_secret_name || (asks_for_token_ && is_of_token_request(name, rules_));
    may_be_data_ = !has_secret_name || (may_name_data(name) && !is_listed_);
    name_ = std::move(name);
  }

  void hide_string(std::size_t end) {
    const auto written = text_.substr(at_, end - at_);
    const auto value = wire::json_text_at(written, "").value_or(std::string(written.substr(1, written.size() - 2)));
    if (is_type_ && !is_listed_) return copy_to(end);
    const bool is_data = may_be_data_ && !(asks_for_token_ ? is_searched(name_, value) : looks_random(value));
    if (is_data && side_ == Side::response) return copy_to(end);
    hide(end, in_quotes(value), is_data ? "" : value);
  }

  void take_cut_string() {
    const auto value = text_.substr(at_ + 1);
    if (value.empty() || (is_type_ && !is_listed_)) return copy_to(text_.size());
    // Without a number, which would be of another value.
    hide(text_.size(), "\"" + std::string(hidden), value);
  }

  /// @param value  empty if it is not searched elsewhere.
  void hide(std::size_t end, std::string_view stand_in, std::string_view value) {
    out_ += stand_in;
    at_ = end;
    if (found_ == nullptr) return;
    found_->names.push_back(name_);
    if (!value.empty()) found_->values.emplace_back(value);
  }
  std::string in_quotes(std::string_view value) const {
    const bool has_own = side_ == Side::response && stand_ins_ != nullptr;
    return fmt::format("\"{}\"", has_own ? stand_ins_->text(value) : hidden);
  }

  void take_other(char c) {
    if (is_secret_ && (c == '{' || c == '[')) ++depth_;
    if (is_secret_ && (c == '}' || c == ']') && depth_ > 0) --depth_;
    if (wire::is_digit(c) || c == '-') return take_number();
    if (is_secret_ && is_listed_ && take_boolean()) return;
    copy_to(at_ + 1);
    if (!wire::is_space(c)) end_scalar();
  }

  void take_number() {
    const auto end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const auto value = text_.substr(at_, end - at_);
    if (is_secret_ && side_ == Side::request)
      hide(end, in_quotes(value), value);
    else if (is_secret_ && is_listed_)
      hide(end, stand_ins_ == nullptr ? "0" : stand_ins_->number(value), value);
    else
      copy_to(end);
    end_scalar();
  }

  bool take_boolean() {
    for (const std::string_view value : {"true", "false"}) {
      if (!text_.substr(at_).starts_with(value)) continue;
      hide(at_ + value.size(), side_ == Side::request ? in_quotes(value) : "false", "");
      end_scalar();
      return true;
    }
    return false;
  }

  /// A scalar is the whole value of its member, unless that is open.
  void end_scalar() {
    is_type_ = false;
    if (depth_ <= listed_depth_) is_listed_ = false;
    if (depth_ == 0) is_secret_ = false;
  }

  std::string_view text_;
  const HidingRules& rules_;
  Side side_;
  bool asks_for_token_;
  HiddenSecrets* found_;
  StandIns* stand_ins_;
  std::string out_;
  std::size_t at_ = 0;
  /// No quotation mark before it starts a string: all were escaped when it was reached.
  std::size_t endless_ = 0;
  /// Of the value that is open, or about to start.
  bool is_secret_ = false;
  std::string name_;  // of the value that is secret
  std::size_t depth_ = 0;
  bool may_be_data_ = false;  // the name says nothing for sure
  bool is_type_ = false;      // the next scalar, in a value that is secret
  /// Of HidingRules::hidden, perhaps within another value that is secret.
  bool is_listed_ = false;
  std::size_t listed_depth_ = 0;
};

/// A secret that was in a number leaves asterisks that are no JSON: they become a string in place of the whole number.
std::string with_quoted_asterisks(std::string_view json) {
  constexpr std::string_view of_numbers_and_asterisks = "*+-.0123456789eE";
  constexpr auto of_numbers = of_numbers_and_asterisks.substr(1);
  std::string quoted;
  bool is_in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') is_in_string = !is_in_string;
    if (is_in_string && json[at] == '\\' && at + 1 < json.size()) quoted += json[at++];
    if (is_in_string || !json.substr(at).starts_with(hidden)) {
      quoted += json[at];
      continue;
    }
    const auto size = quoted.size();
    quoted.erase(quoted.find_last_not_of(of_numbers) + 1);
    auto end = at + hidden.size();
    // The digits of a stand-in for a whole number tell it from others.
    if (quoted.size() == size) end = std::min(json.find_first_not_of("0123456789", end), json.size());
    quoted.append("\"").append(json, at, end - at).append("\"");
    at = std::min(json.find_first_not_of(of_numbers_and_asterisks, end), json.size()) - 1;
  }
  // A secret may have had quotation marks and braces.
  return wire::is_json_text(quoted) ? quoted : fmt::format("\"{}\"", hidden);
}

/// The JSON in a line: after the field's name of an event, or a record separator.
std::string_view json_in_line(std::string_view line) {
  for (const std::string_view start : {"data:", "\x1e"})
    if (line.starts_with(start)) return line.substr(start.size());
  return line;
}

std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// The text in which secrets were hidden, with JSON where there was JSON: in all of it, or in lines.
std::string with_json_of(std::string_view original, std::string shown) {
  if (shown == original) return shown;
  if (wire::is_json_text(original)) return wire::is_json_text(shown) ? shown : with_quoted_asterisks(shown);
  if (std::count(original.begin(), original.end(), '\n') != std::count(shown.begin(), shown.end(), '\n')) return shown;
  std::string lines;
  const bool has_last_end = shown.ends_with('\n');
  for (std::string_view rest = shown; !rest.empty();) {
    const auto before = json_in_line(take_line(original));
    const auto line = take_line(rest);
    const auto json = json_in_line(line);
    const bool is_changed = json != before && wire::is_json_text(before) && !wire::is_json_text(json);
    lines.append(line.substr(0, line.size() - json.size()));
    lines.append(is_changed ? with_quoted_asterisks(json) : json);
    if (!rest.empty() || has_last_end) lines += '\n';
  }
  return lines;
}

/// Hides values that have names in one body.
class FieldHiding {
 public:
  /// @param found      may be null.
  /// @param stand_ins  null for `***`.
  FieldHiding(const NameRules& names, HiddenSecrets* found, StandIns* stand_ins)
      : names_(names), found_(found), stand_ins_(stand_ins) {}

  std::string form(std::string_view body) const {
    std::string shown;
    bool is_first = true;
    for (auto rest = body; !rest.empty();) {
      const auto [name, value] = wire::take_parameter(rest);
      const auto decoded_name = decoded(name);
      if (!std::exchange(is_first, false)) shown += '&';
      shown += name;
      if (name.data() + name.size() != value.data()) shown += '=';
      const bool is_hidden = !value.empty() && is_secret(decoded_name);
      shown += is_hidden ? hide(decoded_name, decoded(value)) : std::string(value);
    }
    return shown;
  }

  std::string multipart(std::string_view body, std::string_view boundary) const {
    std::string shown;
    auto rest = body;
    for (const auto& part : parts_of(body, boundary)) {
      if (part.content.empty() || !is_secret(part.name)) continue;
      const auto begin = static_cast<std::size_t>(part.content.data() - rest.data());
      shown.append(rest.substr(0, begin)).append(hide(part.name, std::string(part.content)));
      rest.remove_prefix(begin + part.content.size());
    }
    return shown.append(rest);
  }

 private:
  static std::string decoded(std::string_view written) {
    std::string text(written);
    std::replace(text.begin(), text.end(), '+', ' ');
    return wire::percent_decode(text).value_or(std::string(written));
  }
  bool is_secret(const std::string& name) const {
    return names_secret(name, names_.known) || is_listed(names_.rules.hidden, name) ||
           (names_.asks_for_token && is_of_token_request(name, names_.rules));
  }
  /// Returns what is in place of the value.
  std::string hide(const std::string& name, std::string value) const {
    auto stand_in = stand_ins_ == nullptr ? std::string(hidden) : stand_ins_->text(value);
    if (found_ == nullptr) return stand_in;
    found_->names.push_back(name);
    if (is_searched(name, value)) found_->values.push_back(std::move(value));
    return stand_in;
  }

  const NameRules& names_;
  HiddenSecrets* found_;
  StandIns* stand_ins_;
};

std::string_view written_type(const Headers& headers) { return headers.get("Content-Type").value_or(""); }

bool names_form(std::string_view type) { return wire::lowered(type).starts_with("application/x-www-form-urlencoded"); }

/// The body of a request or response without what names say.
std::string without_named(std::string_view body, std::string_view type, const NameRules& names, HiddenSecrets* found,
                          StandIns* stand_ins = nullptr) {
  const FieldHiding fields(names, found, stand_ins);
  if (names_form(type)) return fields.form(body);
  const auto boundary = boundary_of(type);
  const auto rest = boundary.empty() ? std::string(body) : fields.multipart(body, boundary);
  return MemberScan(rest, names.rules, names.side, names.asks_for_token, found, stand_ins).run();
}

bool asks_for_token(const SentRequest& request) {
  constexpr std::string_view name = "grant_type";
  const auto type = written_type(request.headers);
  if (wire::parameter_of(request.url, name)) return true;
  if (names_form(type)) return wire::parameter_of("?" + request.body, name).has_value();
  const auto boundary = boundary_of(type);
  const auto parts = parts_of(boundary.empty() ? std::string_view() : request.body, boundary);
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; }) ||
         wire::json_text_at(request.body, fmt::format("/{}", name));
}

bool is_named(std::string_view header, std::string_view name) {
  return !name.empty() && wire::same_ignoring_case(header, name);
}
bool is_one_of(std::string_view header, const TextList& names) {
  return std::any_of(names.begin(), names.end(), [&](const auto& name) { return is_named(header, name); });
}

/// Whether a client with these conventions reads the header of a response.
bool reads(const Dialect& dialect, std::string_view header) {
  const auto of_quota = [&](const QuotaHeaders& quota) {
    return is_one_of(header, {quota.limit, quota.remaining, quota.reset, quota.used, quota.used_of_limit,
                              quota.refill_per_second, quota.retry_after}) ||
           (!quota.prefix.empty() && wire::lowered(header).starts_with(wire::lowered(quota.prefix)));
  };
  const auto of_style = [&](const auto& style) {
    if constexpr (requires { style.next_header; }) return is_named(header, style.next_header);
    if constexpr (requires { style.from_header; }) return is_named(header, style.from_header);
    return false;
  };
  return std::any_of(dialect.quotas.begin(), dialect.quotas.end(), of_quota) ||
         is_one_of(header, {dialect.retry_after, dialect.partition_header, dialect.everywhere_header,
                            dialect.structured, dialect.structured_policy, dialect.poll_interval_header,
                            dialect.retry_verdict_header, dialect.paging.totals.items_header,
                            dialect.paging.totals.pages_header, dialect.polling.wait_milliseconds}) ||
         is_one_of(header, dialect.request_id_headers) || is_one_of(header, dialect.polling.monitor_headers) ||
         std::visit(of_style, dialect.paging.style);
}

bool is_hidden_header(const Field& field, const Dialect* dialect, const HidingRules& rules) {
  const auto is_shown = [&](const auto& name) { return is_named(field.name, std::string_view(name)); };
  if (std::any_of(rules.shown_headers.begin(), rules.shown_headers.end(), is_shown)) return false;
  return is_hidden_in_response(field.name) && !(dialect != nullptr && reads(*dialect, field.name));
}

/// The values in a header of a response that is hidden.
std::vector<std::string> values_in(const Field& field) {
  std::vector<std::string> values;
  // The attributes of a cookie are no secrets.
  const bool is_cookie = is_named(field.name, "Set-Cookie");
  const auto value = is_cookie ? field.value.substr(0, field.value.find(';')) : field.value;
  for (auto& secret : secrets_in({{field.name, value}})) values.push_back(std::move(secret.text));
  return values;
}

/// The values in a header of a request that is hidden.
std::vector<std::string> searched_values_in(const Field& field) {
  const bool is_cookie = is_named(field.name, "Cookie");
  std::vector<std::string> values;
  for (auto& secret : secrets_in({{field.name, field.value}}))
    if ((names_credentials(field.name) && !is_cookie) || !reads_as_data(secret.text))
      values.push_back(std::move(secret.text));
  for (std::string_view rest = is_cookie ? std::string_view(field.value) : ""; !rest.empty();) {
    const auto cookie = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), cookie.size() + 1));
    const auto equals = std::min(cookie.find('='), cookie.size());
    const auto value = wire::trimmed(cookie.substr(std::min(equals + 1, cookie.size())));
    if (is_searched(cookie.substr(0, equals), value)) values.emplace_back(value);
  }
  return values;
}

std::string whole_body(const HarExchange& exchange) {
  auto body = exchange.response.body;
  for (const auto& piece : exchange.pieces) body += piece.bytes;
  return body;
}

std::string range_of_part(const HarExchange& exchange) {
  return wire::lowered(exchange.response.headers.get("Content-Range").value_or(""));
}

/// Finds what is hidden in one exchange because of where it is.
class Finding {
 public:
  Finding(const NameRules& in_request, const NameRules& in_response, const Dialect* dialect)
      : in_request_(in_request), in_response_(in_response), known_(in_request.known), dialect_(dialect) {}

  /// @param start  what was received before the body.
  HiddenSecrets run(const HarExchange& exchange, const std::string& start) && {
    add_request(exchange.request);
    for (const auto* headers : {&exchange.response.headers, &exchange.response.trailers})
      for (const auto& field : *headers) add_response_header(field);
    const auto body = start + whole_body(exchange);
    HiddenSecrets members;
    (void)without_named(body, written_type(exchange.response.headers), in_response_, &members);
    add("response member", members.names);
    add_unless_data(members.values);
    add_unless_data(secrets_in_urls(body, known_));
    return std::move(found_);
  }

 private:
  void add(std::string_view place, const std::vector<std::string>& names) {
    for (const auto& name : names) found_.names.push_back(fmt::format("{} {}", place, name));
  }
  void add_all(std::vector<std::string> values) {
    std::move(values.begin(), values.end(), std::back_inserter(found_.values));
  }
  void add_unless_data(std::vector<std::string> values) {
    std::erase_if(values, reads_as_data);
    add_all(std::move(values));
  }

  void add_request(const SentRequest& request) {
    add_all(known_.all());
    const std::string_view url = request.url;
    add_all(secrets_in_urls(url.substr(0, url.find('?')), known_));
    add_unless_data(secrets_in_urls(url, known_));
    add_all(secrets_in_urls(request.body, known_));
    const auto parameters = wire::decoded_query(request.url);
    for (const auto& [name, value] : parameters) {
      if (value.empty() || !names_secret(name, known_)) continue;
      add("parameter", {name});
      if (is_searched(name, value)) found_.values.push_back(value);
    }
    const Redaction redaction(request.url, {.headers = request.headers, .known = known_});
    for (const auto& field : request.headers) {
      if (redaction.header(field) != hidden) continue;
      add("request header", {field.name});
      add_all(searched_values_in(field));
    }
    HiddenSecrets body;
    (void)without_named(request.body, written_type(request.headers), in_request_, &body);
    add("request member", body.names);
    add_all(std::move(body.values));
  }

  void add_response_header(const Field& field) {
    if (!is_hidden_header(field, dialect_, in_response_.rules))
      return add_unless_data(secrets_in_urls(field.value, known_));
    add("response header", {field.name});
    add_unless_data(values_in(field));
  }

  const NameRules& in_request_;
  const NameRules& in_response_;
  const KnownSecrets& known_;
  const Dialect* dialect_;
  HiddenSecrets found_;
};

/// The sorted names, each once, without what is hidden in them: a client may have chosen them.
std::vector<std::string> listed(const std::vector<std::string>& names, const HiddenValues& values) {
  constexpr std::size_t longest = 200;
  std::set<std::string> shown;
  for (const auto& name : names) shown.insert(wire::printable_excerpt(values.hidden_in(name), longest));
  return {shown.begin(), shown.end()};
}

/// Changes a body.
/// @param start  what was received before, of the resource that it is a part of.
/// @param show   the text with its secrets hidden.
void show_body(HarExchange& exchange, const std::string& start,
               const std::function<std::string(const std::string&)>& show) {
  auto& body = exchange.response.body;
  if (!start.empty()) {
    const auto whole = show(start + whole_body(exchange));
    const auto shown_start = show(start);
    const auto common = static_cast<std::ptrdiff_t>(std::min(whole.size(), shown_start.size()));
    const auto rest = std::mismatch(whole.begin(), whole.begin() + common, shown_start.begin()).first;
    auto shown = std::string(rest, whole.end());
    if (shown != show(whole_body(exchange))) {
      // What is hidden depends on the start: the body is one piece.
      auto span = Duration::zero();
      for (const auto& piece : exchange.pieces) span += piece.after;
      if (exchange.pieces.empty())
        body = std::move(shown);
      else
        exchange.pieces = {{std::move(shown), span}};
      return;
    }
  }
  body = show(body);
  change_pieces(exchange.pieces, show);
}

/// Of longer values only the start is searched, in bytes.
constexpr std::size_t longest_value = 4096;

Headers shown_headers(const Headers& headers, const auto& show) {
  Headers shown;
  for (const auto& field : headers) shown.push_back({field.name, show(field)});
  return shown;
}

}  // namespace

std::string StandIns::text(std::string_view value) {
  const bool is_one =
      value.starts_with(hidden) && std::all_of(value.begin() + hidden.size(), value.end(), wire::is_digit);
  if (is_one) return std::string(value);
  const auto place = place_of(value);
  return place == 0 ? std::string(hidden) : fmt::format("{}{}", hidden, place + 1);
}

std::string StandIns::number(std::string_view value) { return fmt::format("{}", place_of(value)); }

std::size_t StandIns::place_of(std::string_view value) {
  const auto key = wire::KeyedHash(wire::HashSeed{}).of(value);
  if (const auto known = places_.find(key); known != places_.end()) return known->second;
  // No number stands for itself.
  if (fmt::format("{}", next_) == value) ++next_;
  return places_[key] = next_++;
}

std::string without_secret_members(std::string_view text, const HidingRules& rules, Side side, HiddenSecrets* found,
                                   StandIns* stand_ins) {
  return MemberScan(text, rules, side, false, found, stand_ins).run();
}

std::string CutBodies::before(const HarExchange& exchange) const {
  const auto range = range_of_part(exchange);
  for (const auto& body : bodies_)
    if (body.url == exchange.request.url && range.starts_with(fmt::format("bytes {}-", body.size))) return body.text;
  return {};
}

void CutBodies::add(const HarExchange& exchange, const std::string& start) {
  constexpr std::size_t most = 16;
  constexpr std::size_t longest = std::size_t{1} << 20;
  const auto range = range_of_part(exchange);
  const bool is_first = range.empty() ? exchange.failure.has_value() : range.starts_with("bytes 0-");
  if (exchange.response.status / 100 != 2 || (start.empty() && !is_first)) return;
  CutBody body{.url = exchange.request.url, .text = start + whole_body(exchange)};
  if (body.text.size() == start.size()) return;
  body.size = body.text.size();
  const auto is_same = [&](const CutBody& other) { return other.url == body.url; };
  const auto before = std::find_if(bodies_.begin(), bodies_.end(), is_same);
  if (before != bodies_.end()) {
    if (!start.empty()) body.size += before->size - start.size();
    bodies_.erase(before);
  } else if (bodies_.size() == most) {
    bodies_.erase(bodies_.begin());
  }
  if (body.text.size() > longest) body.text.erase(0, body.text.size() - longest);
  bodies_.push_back(std::move(body));
}

void HiddenValues::add(const std::vector<std::string>& values) {
  constexpr std::size_t most = 256;
  Part part;
  for (const auto& value : values) {
    if (part.words.size() == most) break;
    if (value.size() < shortest_secret) continue;
    if (const auto [added, is_new] = all_.insert(value.substr(0, longest_value)); is_new) part.words.push_back(*added);
  }
  if (part.words.empty()) return;
  // Each value is moved once for each doubling.
  for (; !parts_.empty() && parts_.back().words.size() < 2 * part.words.size(); parts_.pop_back())
    std::move(parts_.back().words.begin(), parts_.back().words.end(), std::back_inserter(part.words));
  part.search = wire::SpellingSearch(part.words);
  parts_.push_back(std::move(part));
}

std::string HiddenValues::hidden_in(std::string text,
                                    const std::function<std::string(std::string_view)>& stand_in) const {
  for (const auto& part : parts_) {
    const auto found = part.search.find(text);
    text = without_parts(std::move(text), found, 0, stand_in);
  }
  return text;
}

std::string HiddenValues::without_start_at_end(std::string text) const {
  const auto at_most = std::min(text.size(), longest_value);
  for (auto size = at_most; size >= shortest_secret; --size) {
    const auto end = std::string_view(text).substr(text.size() - size);
    const auto value = all_.lower_bound(end);
    if (value == all_.end() || !value->starts_with(end)) continue;
    text.resize(text.size() - size);
    return text.append(hidden);
  }
  return text;
}

std::string without_known(std::string text, const KnownSecrets& known,
                          const std::function<std::string(std::string_view)>& stand_in) {
  auto words = known.all();
  std::erase_if(words, [](const std::string& word) { return word.size() < shortest_secret; });
  const auto parts = known.search_of(std::move(words))->find(text);
  return without_parts(std::move(text), parts, 0, stand_in);
}

void hide_secrets(HarExchange& exchange, const KnownSecrets& known, const Dialect* dialect, const HidingRules& rules,
                  HiddenValues& values) {
  KnownSecrets secrets;
  // Only for the time of this call.
  secrets.include({std::shared_ptr<void>(), &known});
  for (const auto& name : rules.shown) secrets.show_parameter(std::string(std::string_view(name)));
  const bool is_of_token = asks_for_token(exchange.request);
  for (const auto& [name, value] : wire::decoded_query(exchange.request.url))
    if (is_of_token && is_of_token_request(name, rules)) secrets.add_parameter(name);
  const NameRules in_request{secrets, rules, Side::request, is_of_token};
  const NameRules in_response{secrets, rules, Side::response};
  const auto start = values.cut_bodies().before(exchange);
  values.cut_bodies().add(exchange, start);
  auto found = Finding(in_request, in_response, dialect).run(exchange, start);
  values.add(found.values);
  exchange.hidden_names = listed(found.names, values);

  auto& request = exchange.request;
  auto& response = exchange.response;
  const auto original = request;
  const Redaction redaction(original.url, {.headers = original.headers, .known = secrets});
  const Headers no_headers;
  const Redaction of_client_and_urls("", {.headers = no_headers, .known = secrets});
  const auto scrubbed = [&](std::string text) {
    return values.hidden_in(of_client_and_urls.scrubbed(std::move(text)));
  };
  const auto stand_in = [&](std::string_view value) { return values.stand_ins().text(value); };
  const auto scrubbed_response = [&](std::string text) {
    text = without_known(std::move(text), secrets, stand_in);
    const auto parts = secret_parts_in_urls(text, secrets);
    text = without_parts(std::move(text), parts, 0, stand_in);
    return values.hidden_in(std::move(text), stand_in);
  };
  const auto response_field = [&](const Field& field) {
    return is_hidden_header(field, dialect, rules) ? stand_in(field.value) : scrubbed_response(field.value);
  };
  const auto response_body = [&, type = std::string(written_type(response.headers))](const std::string& body) {
    const auto named = without_named(body, type, in_response, nullptr, &values.stand_ins());
    auto shown = scrubbed_response(named);
    if (exchange.failure) shown = values.without_start_at_end(std::move(shown));
    return with_json_of(named, std::move(shown));
  };

  request.url = redaction.url();
  // The client's own, which is no secret.
  const auto origin = static_cast<std::size_t>(wire::split_url(request.url).path.data() - request.url.data());
  request.url = request.url.substr(0, origin) + values.hidden_in(request.url.substr(origin));
  request.body = without_named(original.body, written_type(original.headers), in_request, nullptr);
  request.body = with_json_of(request.body, scrubbed(request.body));
  request.headers =
      shown_headers(request.headers, [&](const Field& field) { return values.hidden_in(redaction.header(field)); });
  show_body(exchange, start, response_body);
  response.headers = shown_headers(response.headers, response_field);
  response.trailers = shown_headers(response.trailers, response_field);
  if (!exchange.failure) return;
  auto details = exchange.failure->details();
  details.what = scrubbed(details.what);
  details.advice = scrubbed(details.advice);
  exchange.failure = Error(std::move(details));
}

}}}  // namespace noun::testing
