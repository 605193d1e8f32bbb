#include "testing/har_redaction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"

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

bool is_secret_member(std::string_view name, const MemberRules& rules) {
  if (is_listed(rules.hidden, name)) return true;
  return names_secret(name) && !describes_secret(name) && !is_listed(rules.shown, name);
}

/// Copies text and hides values in it.
class MemberScan {
 public:
  MemberScan(std::string_view text, const MemberRules& rules, bool with_numbers)
      : text_(text), rules_(rules), with_numbers_(with_numbers) {}

  std::string run() && {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' && string_end() != npos)
        take_string();
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
      const auto name = wire::json_text_at(text_.substr(at_, end - at_), "");
      copy_to(after_space(colon + 1));
      if (depth_ == 0) is_secret_ = name && is_secret_member(*name, rules_);
      return;
    }
    if (!is_secret_ || end - at_ == 2) return copy_to(end), end_scalar();
    out_.append("\"").append(hidden).append("\"");
    at_ = end;
    end_scalar();
  }

  void take_other(char c) {
    if (is_secret_ && (c == '{' || c == '[')) ++depth_;
    if (is_secret_ && (c == '}' || c == ']') && depth_ > 0) --depth_;
    if (wire::is_digit(c) || c == '-') return take_number();
    copy_to(at_ + 1);
    if (!wire::is_space(c)) end_scalar();
  }

  void take_number() {
    const auto end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    if (is_secret_ && with_numbers_) {
      out_.append("\"").append(hidden).append("\"");
      at_ = end;
    } else {
      copy_to(end);
    }
    end_scalar();
  }

  /// A scalar is the whole value of its member, unless that is open.
  void end_scalar() {
    if (depth_ == 0) is_secret_ = false;
  }

  std::string_view text_;
  const MemberRules& rules_;
  bool with_numbers_;
  std::string out_;
  std::size_t at_ = 0;
  /// No quotation mark before it starts a string: all were escaped when it was reached.
  std::size_t endless_ = 0;
  /// Of the value that is open, or about to start.
  bool is_secret_ = false;
  std::size_t depth_ = 0;
};

/// A secret that was a number leaves asterisks that are no JSON.
std::string with_quoted_asterisks(std::string_view json) {
  std::string quoted;
  bool is_in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') is_in_string = !is_in_string;
    if (is_in_string && json[at] == '\\' && at + 1 < json.size()) quoted += json[at++];
    if (is_in_string || !json.substr(at).starts_with(hidden)) {
      quoted += json[at];
      continue;
    }
    quoted.append("\"").append(hidden).append("\"");
    at += hidden.size() - 1;
  }
  return quoted;
}

/// Of the credentials that requests of tokens have, all are hidden but what says which are wanted.
/// @source RFC 6749, sections 4 and 6.
bool is_shown_in_token_request(std::string_view name) {
  constexpr std::array<std::string_view, 4> shown{"grant_type", "scope", "audience", "resource"};
  return std::find(shown.begin(), shown.end(), name) != shown.end();
}

std::string without_secret_fields(std::string_view form, const KnownSecrets& known, const MemberRules& rules) {
  const bool wants_token = wire::parameter_of("?" + std::string(form), "grant_type").has_value();
  std::string shown;
  for (auto rest = form; !rest.empty();) {
    const auto [name, value] = wire::take_parameter(rest);
    const auto decoded = wire::percent_decode(name).value_or(std::string(name));
    const bool is_hidden = names_secret(decoded, known) || is_listed(rules.hidden, decoded) ||
                           (wants_token && !is_shown_in_token_request(decoded));
    if (!shown.empty()) shown += '&';
    shown += name;
    if (name.data() + name.size() != value.data()) shown += '=';
    shown += is_hidden && !value.empty() ? hidden : value;
  }
  return shown;
}

/// The parameter of a multipart type; empty if there is none.
std::string_view boundary_of(std::string_view type) {
  constexpr std::string_view parameter = "boundary=";
  const auto lower = wire::lowered(type);
  const auto at = lower.find(parameter);
  if (!lower.starts_with("multipart/") || at == std::string::npos) return {};
  auto boundary = type.substr(at + parameter.size());
  boundary = wire::trimmed(boundary.substr(0, boundary.find(';')));
  if (boundary.size() > 1 && boundary.front() == '"') boundary = boundary.substr(1, boundary.size() - 2);
  return boundary;
}

/// The name of a part, from its head.
std::string name_of_part(std::string_view head) {
  constexpr std::string_view parameter = "name=";
  const auto lower = wire::lowered(head);
  auto at = lower.find(parameter);
  // Not filename.
  while (at != std::string::npos && at > 0 && wire::is_alpha(lower[at - 1])) at = lower.find(parameter, at + 1);
  if (at == std::string::npos) return {};
  auto name = head.substr(at + parameter.size());
  if (name.starts_with('"')) {
    name.remove_prefix(1);
    name = name.substr(0, name.find('"'));
  } else {
    name = name.substr(0, name.find_first_of("; \t\r\n"));
  }
  return wire::percent_decode(name).value_or(std::string(name));
}

std::string without_secret_parts(std::string_view form, std::string_view boundary, const KnownSecrets& known,
                                 const MemberRules& rules) {
  constexpr std::string_view head_end = "\r\n\r\n";
  const auto delimiter = fmt::format("--{}", boundary);
  std::string shown;
  for (auto rest = form; !rest.empty();) {
    // Not at the delimiter that the part starts with.
    const auto part = rest.substr(0, rest.find(delimiter, 1));
    rest.remove_prefix(part.size());
    const auto head = part.substr(0, part.find(head_end));
    auto value = part.substr(std::min(head.size() + head_end.size(), part.size()));
    if (value.ends_with("\r\n")) value.remove_suffix(2);
    const auto name = name_of_part(head);
    if (value.empty() || !(names_secret(name, known) || is_listed(rules.hidden, name))) {
      shown += part;
      continue;
    }
    shown.append(head).append(head_end).append(hidden);
    shown += part.substr(head.size() + head_end.size() + value.size());
  }
  return shown;
}

/// A body, or a part of one.
std::string without_secrets(const std::string& body, const Redaction& redaction, const MemberRules& rules,
                            bool with_numbers) {
  auto shown = redaction.scrubbed(body);
  if (shown != body && wire::is_json_text(body) && !wire::is_json_text(shown)) shown = with_quoted_asterisks(shown);
  return without_secret_members(shown, rules, with_numbers);
}

/// A secret may be in more than one piece: then they become one.
void hide_in_pieces(std::vector<HarPiece>& pieces, const auto& hide) {
  std::string all;
  std::string hidden_apart;
  auto apart = pieces;
  auto span = Duration::zero();
  for (auto& piece : apart) {
    all += piece.bytes;
    span += piece.after;
    hidden_apart += piece.bytes = hide(piece.bytes);
  }
  auto together = hide(all);
  if (together == hidden_apart)
    pieces = std::move(apart);
  else
    pieces = {{std::move(together), span}};
}

Headers shown_headers(const Headers& headers, const auto& show) {
  Headers shown;
  for (const auto& field : headers) shown.push_back({field.name, show(field)});
  return shown;
}

}  // namespace

std::string without_secret_members(std::string_view text, const MemberRules& rules, bool with_numbers) {
  return MemberScan(text, rules, with_numbers).run();
}

void hide_secrets(HarExchange& exchange, const KnownSecrets& known, const MemberRules& rules) {
  auto& request = exchange.request;
  auto& response = exchange.response;
  const auto original = request;
  const Redaction redaction(original.url, {.headers = original.headers, .known = known});
  const auto response_field = [&](const Field& field) { return redaction.response_header(field); };
  const auto response_body = [&](const std::string& body) { return without_secrets(body, redaction, rules, false); };
  const auto type = original.headers.get("Content-Type").value_or("");
  const bool is_form = wire::lowered(type).starts_with("application/x-www-form-urlencoded");
  if (const auto boundary = boundary_of(type); !boundary.empty())
    request.body = without_secret_parts(request.body, boundary, known, rules);

  request.url = redaction.url();
  request.headers = shown_headers(request.headers, [&](const Field& field) { return redaction.header(field); });
  request.body = is_form ? redaction.scrubbed(without_secret_fields(request.body, known, rules))
                         : without_secrets(request.body, redaction, rules, true);
  response.headers = shown_headers(response.headers, response_field);
  response.trailers = shown_headers(response.trailers, response_field);
  response.body = response_body(response.body);
  hide_in_pieces(exchange.pieces, response_body);
  if (!exchange.failure) return;
  auto details = exchange.failure->details();
  details.what = redaction.scrubbed(details.what);
  details.advice = redaction.scrubbed(details.advice);
  exchange.failure = Error(std::move(details));
}

}}}  // namespace noun::testing
