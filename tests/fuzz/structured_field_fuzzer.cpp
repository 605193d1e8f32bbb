// Structured fields: each line of the input is a line of the field. What was read is written as RFC 9651, section 4.1,
// and read again.
#include <string>
#include <variant>

#include <fmt/format.h>

#include "fuzz/invariant.hpp"
#include "wire/base64url.hpp"
#include "wire/structured_field.hpp"

namespace {

using namespace noun::wire;
using noun_fuzz::require;

std::string decimal(std::int64_t thousandths) {
  const auto whole = thousandths < 0 ? -thousandths : thousandths;
  return fmt::format("{}{}.{:03}", thousandths < 0 ? "-" : "", whole / 1000, whole % 1000);
}

std::string display_string(std::string_view text) {
  std::string out = "%\"";
  for (const char c : text) out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return out + "\"";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    require(c >= ' ' && c <= '~', "a string is printable");
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string written(const BareItem& item) {
  switch (item.kind) {
    case BareKind::integer: return fmt::to_string(item.number);
    case BareKind::decimal: return decimal(item.number);
    case BareKind::string: return quoted(item.text);
    case BareKind::token: return item.text;
    case BareKind::bytes: return ":" + base64_encode(item.text) + ":";
    case BareKind::boolean: return item.number != 0 ? "?1" : "?0";
    case BareKind::date: return fmt::format("@{}", item.number);
    case BareKind::display_string: return display_string(item.text);
  }
  return {};
}

std::string written(const StructuredParameters& parameters) {
  std::string out;
  for (const auto& [key, value] : parameters) out += fmt::format(";{}={}", key, written(value));
  return out;
}

std::string written(const StructuredItem& item) { return written(item.value) + written(item.parameters); }

std::string written(const InnerList& list) {
  std::string out = "(";
  for (const auto& item : list.items) out += (out.size() > 1 ? " " : "") + written(item);
  return out + ")" + written(list.parameters);
}

std::string written(const StructuredMember& member) {
  return std::visit([](const auto& either) { return written(either); }, member);
}

std::string written(const StructuredList& list) {
  std::string out;
  for (const auto& member : list) out += (out.empty() ? "" : ", ") + written(member);
  return out;
}

std::string written(const StructuredDictionary& dictionary) {
  std::string out;
  for (const auto& [key, member] : dictionary)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", key, written(member));
  return out;
}

template <class Parsed, class Parse>
void check(const Parsed& parsed, Parse parse) {
  if (!parsed) return;
  const auto line = written(*parsed);
  const auto again = parse({line});
  require(again && written(*again) == line, "a written field reads the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = noun_fuzz::lines_of(noun_fuzz::text_of(data, size));
  check(parse_structured_list(lines), parse_structured_list);
  check(parse_structured_dictionary(lines), parse_structured_dictionary);
  return 0;
}
