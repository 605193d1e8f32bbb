#include "wire/structured_field.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr bool is_key_start(char c) noexcept { return is_lower(c) || c == '*'; }

/// key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )
constexpr bool is_key_part(char c) noexcept {
  return is_key_start(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

/// sf-token = ( ALPHA / "*" ) *( tchar / ":" / "/" )
constexpr bool is_token_part(char c) noexcept {
  return is_token_letter(c) || c == ':' || c == '/';
}

void take_spaces(Cursor& cursor) noexcept {
  while (cursor.take(' ')) continue;
}

/// The numbers that every parser must support (RFC 9651, sections 3.1 and 3.2). They also bound the search for a key.
constexpr std::size_t longest_list = 1024;
constexpr std::size_t longest_inner_list = 256;
constexpr std::size_t most_parameters = 256;

/// @returns  whether there are no more than `most` entries.
template <class Value>
bool set_last(std::vector<std::pair<std::string, Value>>& entries, std::string key, Value value, std::size_t most) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries.end())
    entries.emplace_back(std::move(key), std::move(value));
  else
    found->second = std::move(value);
  return entries.size() <= most;
}

std::optional<std::string> take_key(Cursor& cursor) {
  if (cursor.done() || !is_key_start(cursor.rest().front())) return std::nullopt;
  return std::string(cursor.take_until([](char c) { return !is_key_part(c); }));
}

/// sf-integer = ["-"] 1*15DIGIT; sf-decimal = ["-"] 1*12DIGIT "." 1*3DIGIT
std::optional<BareItem> take_number(Cursor& cursor) {
  const bool negative = cursor.take('-');
  const auto whole = cursor.take_until(not_digit);
  if (whole.empty() || whole.size() > 15) return std::nullopt;
  BareItem item{.kind = BareKind::integer};
  for (const char digit : whole) item.number = item.number * 10 + (digit - '0');
  if (cursor.take('.')) {
    const auto fraction = cursor.take_until(not_digit);
    if (whole.size() > 12 || fraction.empty() || fraction.size() > 3) return std::nullopt;
    item.kind = BareKind::decimal;
    for (std::size_t place = 0; place < 3; ++place)
      item.number = item.number * 10 + (place < fraction.size() ? fraction[place] - '0' : 0);
  }
  if (negative) item.number = -item.number;
  return item;
}

/// sf-string = DQUOTE *( %x20-21 / %x23-5B / %x5D-7E / "\" ( DQUOTE / "\" ) ) DQUOTE
std::optional<BareItem> take_string(Cursor& cursor) {
  cursor.take('"');
  BareItem item{.kind = BareKind::string};
  while (!cursor.done() && !cursor.at('"')) {
    const bool escaped = cursor.take('\\');
    if (cursor.done()) return std::nullopt;
    const char c = cursor.rest().front();
    if (escaped ? c != '"' && c != '\\' : c < ' ' || c > '~') return std::nullopt;
    item.text += c;
    cursor.take(c);
  }
  if (!cursor.take('"')) return std::nullopt;
  return item;
}

/// sf-binary = ":" *base64 ":". Padding may be missing, and unused bits may be set.
std::optional<BareItem> take_bytes(Cursor& cursor) {
  cursor.take(':');
  const auto text = cursor.take_until([](char c) { return c == ':'; });
  if (!cursor.take(':')) return std::nullopt;
  auto bytes = base64_decode(text);
  if (!bytes) return std::nullopt;
  return BareItem{.kind = BareKind::bytes, .text = *std::move(bytes)};
}

/// sf-displaystring = "%" DQUOTE *( unescaped / "%" 2lc-hexdig ) DQUOTE, of UTF-8.
std::optional<BareItem> take_display_string(Cursor& cursor) {
  cursor.take('%');
  if (!cursor.take('"')) return std::nullopt;
  BareItem item{.kind = BareKind::display_string};
  while (!cursor.done() && !cursor.at('"')) {
    const char c = cursor.rest().front();
    if (c < ' ' || c > '~') return std::nullopt;
    cursor.take(c);
    if (c != '%') {
      item.text += c;
      continue;
    }
    const auto digits = cursor.rest().substr(0, 2);
    if (digits.size() < 2 ||
        std::any_of(digits.begin(), digits.end(), [](char d) { return is_upper(d) || hex_value(d) < 0; }))
      return std::nullopt;
    item.text += static_cast<char>(hex_value(digits[0]) * 16 + hex_value(digits[1]));
    cursor.take(digits[0]);
    cursor.take(digits[1]);
  }
  if (!cursor.take('"') || !valid_utf8(item.text)) return std::nullopt;
  return item;
}

std::optional<BareItem> take_boolean(Cursor& cursor) {
  cursor.take('?');
  if (cursor.take('1')) return BareItem{.kind = BareKind::boolean, .number = 1};
  if (cursor.take('0')) return BareItem{.kind = BareKind::boolean, .number = 0};
  return std::nullopt;
}

std::optional<BareItem> take_date(Cursor& cursor) {
  cursor.take('@');
  auto item = take_number(cursor);
  if (!item || item->kind != BareKind::integer) return std::nullopt;
  item->kind = BareKind::date;
  return item;
}

std::optional<BareItem> take_bare_item(Cursor& cursor) {
  if (cursor.done()) return std::nullopt;
  const char first = cursor.rest().front();
  if (first == '-' || is_digit(first)) return take_number(cursor);
  if (first == '*' || is_alpha(first))
    return BareItem{.kind = BareKind::token,
                    .text = std::string(cursor.take_until([](char c) { return !is_token_part(c); }))};
  switch (first) {
    case '"': return take_string(cursor);
    case ':': return take_bytes(cursor);
    case '?': return take_boolean(cursor);
    case '@': return take_date(cursor);
    case '%': return take_display_string(cursor);
    default: return std::nullopt;
  }
}

/// parameters = *( ";" *SP key [ "=" bare-item ] )
std::optional<StructuredParameters> take_parameters(Cursor& cursor) {
  StructuredParameters parameters;
  while (cursor.take(';')) {
    take_spaces(cursor);
    auto key = take_key(cursor);
    if (!key) return std::nullopt;
    std::optional<BareItem> value = BareItem{.kind = BareKind::boolean, .number = 1};
    if (cursor.take('=')) value = take_bare_item(cursor);
    if (!value || !set_last(parameters, *std::move(key), *std::move(value), most_parameters)) return std::nullopt;
  }
  return parameters;
}

std::optional<StructuredItem> take_item(Cursor& cursor) {
  auto value = take_bare_item(cursor);
  if (!value) return std::nullopt;
  auto parameters = take_parameters(cursor);
  if (!parameters) return std::nullopt;
  return StructuredItem{*std::move(value), *std::move(parameters)};
}

/// inner-list = "(" *SP [ sf-item *( 1*SP sf-item ) *SP ] ")" parameters
std::optional<InnerList> take_inner_list(Cursor& cursor) {
  cursor.take('(');
  InnerList list;
  take_spaces(cursor);
  while (!cursor.take(')')) {
    auto item = take_item(cursor);
    if (!item || !(cursor.at(' ') || cursor.at(')')) || list.items.size() == longest_inner_list) return std::nullopt;
    list.items.push_back(*std::move(item));
    take_spaces(cursor);
  }
  auto parameters = take_parameters(cursor);
  if (!parameters) return std::nullopt;
  list.parameters = *std::move(parameters);
  return list;
}

std::optional<StructuredMember> take_member(Cursor& cursor) {
  if (!cursor.at('(')) return take_item(cursor);
  return take_inner_list(cursor);
}

std::optional<StructuredMember> take_dictionary_value(Cursor& cursor) {
  if (cursor.take('=')) return take_member(cursor);
  auto parameters = take_parameters(cursor);
  if (!parameters) return std::nullopt;
  return StructuredItem{{.kind = BareKind::boolean, .number = 1}, *std::move(parameters)};
}

std::string joined(const std::vector<std::string_view>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += ", ";
    text += lines[i];
  }
  return text;
}

/// member *( OWS "," OWS member ), with spaces around it. `take_one` reads a member and returns whether it succeeded.
template <class TakeOne>
bool take_members(const std::vector<std::string_view>& lines, TakeOne take_one) {
  const auto text = joined(lines);
  Cursor cursor(text);
  take_spaces(cursor);
  while (!cursor.done()) {
    if (!take_one(cursor)) return false;
    cursor.take_ows();
    if (cursor.done()) return true;
    if (!cursor.take(',')) return false;
    cursor.take_ows();
    if (cursor.done()) return false;
  }
  return true;
}

/// A decimal in thousandths, without zeros at its end but for the first digit of the fraction.
std::string decimal_text(std::int64_t thousandths) {
  const auto absolute = thousandths < 0 ? -thousandths : thousandths;
  auto text = fmt::format("{}{}.{:03}", thousandths < 0 ? "-" : "", absolute / 1000, absolute % 1000);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string display_string_text(std::string_view text) {
  std::string out = "%\"";
  for (const char c : text) {
    if (c == '%' || c == '"' || c < ' ' || c > '~')
      out += fmt::format("%{}", hexadecimal({&c, 1}));
    else
      out += c;
  }
  return out + '"';
}

std::string bare_text(const BareItem& item) {
  switch (item.kind) {
    case BareKind::integer: return std::to_string(item.number);
    case BareKind::decimal: return decimal_text(item.number);
    case BareKind::string: return string_text(item.text);
    case BareKind::token: return item.text;
    case BareKind::bytes: return fmt::format(":{}:", base64_encode(item.text));
    case BareKind::boolean: return item.number != 0 ? "?1" : "?0";
    case BareKind::date: return fmt::format("@{}", item.number);
    case BareKind::display_string: break;
  }
  return display_string_text(item.text);
}

std::string parameters_text(const StructuredParameters& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    text.append(";").append(key);
    if (value.kind != BareKind::boolean || value.number == 0) text.append("=").append(bare_text(value));
  }
  return text;
}

std::string item_text(const StructuredItem& item) { return bare_text(item.value) + parameters_text(item.parameters); }

}  // namespace

std::string to_text(const StructuredMember& member) {
  if (const auto* item = std::get_if<StructuredItem>(&member)) return item_text(*item);
  const auto& list = std::get<InnerList>(member);
  std::string text;
  for (const auto& item : list.items) text.append(text.empty() ? "" : " ").append(item_text(item));
  return fmt::format("({}){}", text, parameters_text(list.parameters));
}

const BareItem* StructuredItem::parameter(std::string_view key) const noexcept {
  for (const auto& [name, bare] : parameters)
    if (name == key) return &bare;
  return nullptr;
}

std::optional<StructuredList> parse_structured_list(const std::vector<std::string_view>& lines) {
  StructuredList list;
  const bool whole = take_members(lines, [&](Cursor& cursor) {
    auto member = take_member(cursor);
    if (!member || list.size() == longest_list) return false;
    list.push_back(*std::move(member));
    return true;
  });
  return whole ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<StructuredDictionary> parse_structured_dictionary(const std::vector<std::string_view>& lines) {
  StructuredDictionary dictionary;
  const bool whole = take_members(lines, [&](Cursor& cursor) {
    auto key = take_key(cursor);
    if (!key) return false;
    auto member = take_dictionary_value(cursor);
    return member && set_last(dictionary, *std::move(key), *std::move(member), longest_list);
  });
  return whole ? std::optional(std::move(dictionary)) : std::nullopt;
}

}}}  // namespace noun::wire
