#include "wire/json_reader.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include <noun/detail/json_tree.hpp>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// The word whose first byte is the least significant one.
std::uint64_t word_at(const char* text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

constexpr std::uint64_t each_byte(unsigned char byte) noexcept { return 0x0101010101010101U * byte; }

/// The number of bytes at the start of a word that are plain: ASCII without control characters, quotes and backslashes.
int plain_bytes(std::uint64_t word) noexcept {
  // The highest bit of a byte becomes set if a subtraction borrows. That is wrong only above a byte where it is right.
  const auto quote = word ^ each_byte('"');
  const auto backslash = word ^ each_byte('\\');
  const auto found = ((quote - each_byte(1)) & ~quote) | ((backslash - each_byte(1)) & ~backslash) |
                     ((word - each_byte(' ')) & ~word) | word;
  return std::countr_zero(found & each_byte(0x80)) / 8;
}

/// Each `take` returns whether it succeeded; after a failed one nothing else is read.
class JsonReader {
 public:
  JsonReader(std::string_view text, detail::JsonEvents& events) noexcept
      : at_(text.data()), end_(text.data() + text.size()), events_(events) {}

  bool take_document() {
    skip_space();
    for (;;) {
      if (!take_value()) return false;
      while (!open_.empty() && next() == open_.back()) leave();
      if (open_.empty()) return at_ == end_;
      if (next() != ',') return false;
      step();
      if (open_.back() == '}' && !take_key()) return false;
    }
  }

 private:
  char next() const noexcept { return at_ != end_ ? *at_ : '\0'; }
  std::string_view rest() const noexcept { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void skip_space() noexcept {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  void step() noexcept {
    ++at_;
    skip_space();
  }
  void leave() {
    events_.end();
    open_.pop_back();
    step();
  }

  /// Takes a scalar or an empty array or object, after the arrays and objects that begin before it.
  bool take_value() {
    for (;;) {
      switch (next()) {
        case '{':
          events_.begin_object();
          open_ += '}';
          step();
          if (next() == '}') return true;
          if (!take_key()) return false;
          continue;
        case '[':
          events_.begin_array();
          open_ += ']';
          step();
          if (next() == ']') return true;
          continue;
        case '"': return take_string(&detail::JsonEvents::text);
        case 't': return take_literal("true") && (events_.boolean(true), true);
        case 'f': return take_literal("false") && (events_.boolean(false), true);
        case 'n': return take_literal("null") && (events_.null(), true);
        default: return take_number();
      }
    }
  }

  bool take_key() {
    if (next() != '"' || !take_string(&detail::JsonEvents::key) || next() != ':') return false;
    step();
    return true;
  }

  bool take_literal(std::string_view literal) noexcept {
    if (!rest().starts_with(literal)) return false;
    at_ += literal.size();
    skip_space();
    return true;
  }

  /// Takes a string and reports it.
  bool take_string(void (detail::JsonEvents::*event)(std::string_view)) {
    const auto* start = ++at_;
    if (!skip_plain()) return false;
    std::string_view value(start, static_cast<std::size_t>(at_ - start));
    if (*at_ == '\\') {
      unescaped_ = value;
      while (*at_ == '\\') {
        if (!take_escape()) return false;
        start = at_;
        if (!skip_plain()) return false;
        unescaped_.append(start, at_);
      }
      value = unescaped_;
    }
    step();
    (events_.*event)(value);
    return true;
  }

  /// Skips to the next quote or backslash of a string.
  bool skip_plain() noexcept {
    while (at_ != end_) {
      constexpr std::ptrdiff_t at_once = sizeof(std::uint64_t);
      while (end_ - at_ >= at_once) {
        const auto plain = plain_bytes(word_at(at_));
        at_ += plain;
        if (plain < at_once) break;
      }
      if (at_ == end_) return false;
      const auto c = static_cast<unsigned char>(*at_);
      if (c == '"' || c == '\\') return true;
      const auto length = c < ' ' ? 0 : first_character(rest()).length;
      if (length == 0) return false;
      at_ += length;
    }
    return false;
  }

  bool take_escape() {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (next() == 'u') return take_code_point();
    const auto index = letters.find(next());
    if (index == std::string_view::npos) return false;
    unescaped_ += meanings[index];
    ++at_;
    return true;
  }

  /// A character above U+FFFF is a pair of surrogates.
  bool take_code_point() {
    char32_t first = 0;
    if (!take_code_unit(first) || (first >= 0xDC00 && first <= 0xDFFF)) return false;
    if (first >= 0xD800 && first <= 0xDBFF) {
      char32_t second = 0;
      if (next() != '\\') return false;
      ++at_;
      if (!take_code_unit(second) || second < 0xDC00 || second > 0xDFFF) return false;
      first = 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
    }
    append_character(unescaped_, first);
    return true;
  }

  /// Takes `u` and four hexadecimal digits.
  bool take_code_unit(char32_t& unit) noexcept {
    if (end_ - at_ < 5 || *at_ != 'u') return false;
    for (int i = 0; i < 4; ++i) {
      const auto digit = hex_value(*++at_);
      if (digit < 0) return false;
      unit = unit << 4U | static_cast<char32_t>(digit);
    }
    ++at_;
    return true;
  }

  bool take_number() {
    const auto* const start = at_;
    const bool negative = next() == '-';
    if (negative) ++at_;
    if (next() == '0')
      ++at_;
    else if (!take_digits())
      return false;
    bool real = false;
    if (next() == '.') {
      real = true;
      ++at_;
      if (!take_digits()) return false;
    }
    if (next() == 'e' || next() == 'E') {
      real = true;
      ++at_;
      if (next() == '+' || next() == '-') ++at_;
      if (!take_digits()) return false;
    }
    const std::string_view number(start, static_cast<std::size_t>(at_ - start));
    skip_space();
    return real ? report_real(number) : negative ? report<std::int64_t>(number) : report<std::uint64_t>(number);
  }

  bool take_digits() noexcept {
    if (!is_digit(next())) return false;
    while (is_digit(next())) ++at_;
    return true;
  }

  template <class Integer>
  bool report(std::string_view number) {
    const auto value = read_integer<Integer>(number);
    if (!value) return false;
    if constexpr (std::signed_integral<Integer>)
      events_.integer(*value);
    else
      events_.positive(*value);
    return true;
  }

  bool report_real(std::string_view number) {
    double value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{}) return false;
    events_.real(value);
    return true;
  }

  const char* at_;
  const char* end_;
  detail::JsonEvents& events_;
  /// The brackets that close what is open.
  std::string open_;
  std::string unescaped_;
};

/// What nlohmann's parser reports, as events. Each function returns whether the parser is to go on.
class NlohmannEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit NlohmannEvents(detail::JsonEvents& events) noexcept : events_(events) {}

  std::string fault;

  bool null() override { return events_.null(), true; }
  bool boolean(bool value) override { return events_.boolean(value), true; }
  bool number_integer(std::int64_t value) override { return events_.integer(value), true; }
  bool number_unsigned(std::uint64_t value) override { return events_.positive(value), true; }
  bool number_float(double value, const std::string& /*text*/) override { return events_.real(value), true; }
  bool string(std::string& value) override { return events_.text(value), true; }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return events_.begin_object(), true; }
  bool key(std::string& value) override { return events_.key(value), true; }
  bool end_object() override { return events_.end(), true; }
  bool start_array(std::size_t /*size*/) override { return events_.begin_array(), true; }
  bool end_array() override { return events_.end(), true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& exception) override {
    fault = exception.what();
    return false;
  }

 private:
  detail::JsonEvents& events_;
};

}  // namespace

bool read_json(std::string_view text, detail::JsonEvents& events) { return JsonReader(text, events).take_document(); }

std::optional<std::string> read_json_by_nlohmann(std::string_view text, detail::JsonEvents& events) {
  NlohmannEvents sax(events);
  if (nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &sax)) return std::nullopt;
  return std::move(sax.fault);
}

bool parses_as_json(std::string_view text) { return nlohmann::json::accept(text); }

nlohmann::json parsed_json(std::string_view text) {
  nlohmann::json json;
  detail::JsonTree tree(json);
  if (wire::read_json_by_nlohmann(text, tree)) return nlohmann::json::value_t::discarded;
  return json;
}

}}}  // namespace noun::wire
