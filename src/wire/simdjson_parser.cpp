#include "wire/simdjson_parser.hpp"

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

#include "vocabulary/idle.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

namespace dom = ::simdjson::dom;

/// A parser keeps about 14 bytes for each byte of the longest text that it read. One is kept if that has at most
/// this size.
constexpr std::size_t kept_text = std::size_t{64} * 1024;

/// Whether simdjson's globals are destroyed, of which a new parser is made: a client that is a global may decode after
/// that, and so may a thread that nobody joins.
std::atomic<bool> process_is_over = false;

struct ProcessEnd {
  // simdjson's globals are made before this, so they are destroyed after it.
  ProcessEnd() { ::simdjson::get_active_implementation()->name(); }
  ProcessEnd(const ProcessEnd&) = delete;
  ProcessEnd& operator=(const ProcessEnd&) = delete;
  ~ProcessEnd() { process_is_over = true; }
};

/// A new parser; null if it cannot be made, and nlohmann is to read the text.
std::unique_ptr<dom::parser> made_parser() {
  static const ProcessEnd end;
  if (process_is_over) return nullptr;
  auto parser = std::make_unique<dom::parser>();
  // From here on it needs none of simdjson's globals.
  return parser->allocate(1) == ::simdjson::SUCCESS ? std::move(parser) : nullptr;
}

constinit Idle<dom::parser> idle;

/// Whether the text may have an integer that is written `-0`, for which nlohmann has another type than for 0.
bool has_negative_zero(std::string_view text) noexcept {
  // The last byte of a byte order mark, too.
  constexpr std::string_view before = " \t\r\n[,:\xBF";
  constexpr std::string_view behind = " \t\r\n,]}";
  for (auto at = text.find("-0"); at != std::string_view::npos; at = text.find("-0", at + 2)) {
    const bool starts = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    if (starts && (at + 2 == text.size() || behind.find(text[at + 2]) != std::string_view::npos)) return true;
  }
  return false;
}

/// An idle parser, or else a new one, or null. A from_json that decodes another text meanwhile gets another parser.
class BorrowedParser {
 public:
  BorrowedParser() : parser_(idle.take()) {
    if (!parser_) parser_ = made_parser();
  }
  BorrowedParser(const BorrowedParser&) = delete;
  BorrowedParser& operator=(const BorrowedParser&) = delete;
  ~BorrowedParser() {
    if (parser_ && parser_->capacity() <= kept_text) idle.keep(std::move(parser_));
  }
  /// Parses the text; `root` is valid as long as the parser is not used again.
  bool parse(std::string_view text, dom::element& root) const noexcept {
    return parser_ && !text.empty() && !has_negative_zero(text) &&
           parser_->parse(text.data(), text.size()).get(root) == ::simdjson::SUCCESS;
  }

 private:
  std::unique_ptr<dom::parser> parser_;
};

void report(dom::element value, JsonEvents& events) {
  switch (value.type()) {
    case dom::element_type::NULL_VALUE: events.null(); break;
    case dom::element_type::BOOL: events.boolean(value.get_bool().value_unsafe()); break;
    case dom::element_type::INT64:
      // nlohmann has another type for integers that are not negative.
      if (const auto integer = value.get_int64().value_unsafe(); integer < 0)
        events.integer(integer);
      else
        events.positive(static_cast<std::uint64_t>(integer));
      break;
    case dom::element_type::UINT64: events.positive(value.get_uint64().value_unsafe()); break;
    case dom::element_type::DOUBLE: events.real(value.get_double().value_unsafe()); break;
    case dom::element_type::STRING: events.text(value.get_string().value_unsafe()); break;
    case dom::element_type::ARRAY: {
      const dom::array array = value.get_array().value_unsafe();
      events.begin_array();
      for (const auto element : array) report(element, events);
      events.end();
      break;
    }
    case dom::element_type::OBJECT: {
      const dom::object object = value.get_object().value_unsafe();
      events.begin_object();
      for (const auto field : object) {
        events.key(field.key);
        report(field.value, events);
      }
      events.end();
      break;
    }
  }
}

class ParsedElement final : public ParsedJson {
 public:
  explicit ParsedElement(dom::element element) noexcept : element_(element) {}
  void report(JsonEvents& events) const override { detail::report(element_, events); }

 private:
  dom::element element_;
};

bool read_value(dom::element value, const Layout& layout, void* target);

// Lists and objects are functions of their own, so that a scalar, the most frequent value, needs no large frame.

bool read_number(dom::element value, const Layout& layout, void* target) {
  switch (value.type()) {
    case dom::element_type::INT64: return layout.assign_integer(target, value.get_int64().value_unsafe());
    case dom::element_type::UINT64: return layout.assign_positive(target, value.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE: return layout.assign_real(target, value.get_double().value_unsafe());
    default: return false;
  }
}

[[gnu::noinline]] bool read_list(dom::element value, const Layout& layout, void* target) {
  dom::array array;
  if (value.get_array().get(array) != ::simdjson::SUCCESS) return false;
  layout.clear(target, array.size());
  const auto& element_layout = layout.element();
  for (const auto element : array)
    if (!read_value(element, element_layout, layout.append(target))) return false;
  return true;
}

/// The index of the member with this name; the number of members if there is none.
/// @param likely  where to look first.
std::size_t index_of(std::string_view name, std::span<const MemberLayout> members, std::size_t likely) noexcept {
  for (std::size_t i = likely; i < members.size(); ++i)
    if (members[i].name == name) return i;
  for (std::size_t i = 0; i < likely; ++i)
    if (members[i].name == name) return i;
  return members.size();
}

[[gnu::noinline]] bool read_object(dom::element value, const Layout& layout, void* target) {
  dom::object object;
  if (value.get_object().get(object) != ::simdjson::SUCCESS) return false;
  const auto members = layout.members;
  std::bitset<128> read;
  std::size_t expected = 0;
  for (const auto field : object) {
    const auto index = index_of(field.key, members, expected);
    if (index == members.size()) continue;
    expected = index + 1;
    // nlohmann takes the last of equal keys.
    if (read[index]) return false;
    read[index] = true;
    const auto& member = members[index];
    if (member.reset != nullptr && field.value.is_null())
      member.reset(target);
    else if (!read_value(field.value, member.layout(), member.at(target)))
      return false;
  }
  if (read.count() == members.size()) return true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (read[i]) continue;
    if (members[i].reset == nullptr) return false;
    members[i].reset(target);
  }
  return true;
}

bool read_value(dom::element value, const Layout& layout, void* target) {
  switch (layout.kind) {
    case Layout::Kind::boolean: return value.get_bool().get(*static_cast<bool*>(target)) == ::simdjson::SUCCESS;
    case Layout::Kind::number: return read_number(value, layout, target);
    case Layout::Kind::text: {
      std::string_view text;
      if (value.get_string().get(text) != ::simdjson::SUCCESS) return false;
      static_cast<std::string*>(target)->assign(text);
      return true;
    }
    case Layout::Kind::list: return read_list(value, layout, target);
    case Layout::Kind::object: return read_object(value, layout, target);
    case Layout::Kind::other: return layout.read(target, ParsedElement(value));
  }
  return false;
}

}  // namespace

bool read_by_layout(std::string_view text, const Layout& layout, void* value) {
  const BorrowedParser parser;
  dom::element root;
  return parser.parse(text, root) && read_value(root, layout, value);
}

}  // namespace detail

bool wire::read_by_simdjson(std::string_view text, detail::JsonEvents& events) {
  const detail::BorrowedParser parser;
  detail::dom::element root;
  if (!parser.parse(text, root)) return false;
  detail::report(root, events);
  return true;
}

}}  // namespace noun
