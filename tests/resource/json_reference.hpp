#pragma once
/// @file
/// What a text decodes to by nlohmann alone, and by noun::Codec: the two have to agree, whichever parser reads.

#include <concepts>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/describe.hpp>
#include <noun/json.hpp>

namespace noun_test {

using noun::Json;

struct Tag {
  std::string text;
  std::optional<double> weight;
};
NOUN_DESCRIBE(Tag, text, weight)

struct Entry {
  std::int64_t id = 0;
  std::uint64_t size = 0;
  noun::checked<std::uint8_t> level;
  float share = 0;
  double score = 0;
  bool open = false;
  std::string title = {};
  std::vector<Tag> tags = {};
  std::vector<int> numbers = {};
  std::optional<Tag> first = {};
  std::map<std::string, int> counts = {};
  noun::Json extra = {};
  std::vector<bool> flags = {};
  std::vector<Entry> entries = {};
};
NOUN_DESCRIBE(Entry, id, size, level, share, score, open, title, tags, numbers, first, counts, extra, flags, entries)

/// The first integer beyond 64 bits.
class IntegerBeyond final : public nlohmann::json_sax<Json> {
 public:
  std::string found;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& text) override {
    if (found.empty() && text.find_first_of(".eE") == std::string::npos) found = text;
    return true;
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
};

/// Reads a value by nlohmann alone.
template <class T>
noun::Result<T> by_nlohmann(std::string_view text) {
  const auto refused = [](std::string what) { return noun::Error(noun::Errc::decode, std::move(what)); };
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return refused("it has a NUL byte at offset " + std::to_string(nul));
  try {
    auto json = Json::parse(text);
    IntegerBeyond beyond;
    Json::sax_parse(text, &beyond);
    if (beyond.found.size() > 40) beyond.found = "of " + std::to_string(beyond.found.size()) + " characters";
    if (!beyond.found.empty() && !std::floating_point<T>)
      return refused("the integer " + beyond.found + " is beyond 64 bits");
    if (auto wrong = noun::detail::LossCheck<T>::fault(json)) return refused(*wrong);
    return json.template get<T>();
  } catch (const std::exception& exception) {
    return refused(noun::detail::plain_what(exception.what()));
  }
}

/// A value as text, with the type of each number.
inline std::string spelled(const Json& json) {
  if (json.is_number()) return json.dump() + (json.is_number_unsigned() ? "u" : json.is_number_integer() ? "i" : "f");
  if (!json.is_structured()) return json.dump();
  std::string text = json.type_name();
  for (const auto& [key, value] : json.items()) text += "(" + key + ":" + spelled(value) + ")";
  return text;
}

/// A value as text; or why there is none.
template <class T>
std::string outcome(const noun::Result<T>& value) {
  return value ? spelled(Json(*value)) : "error: " + value.error().what();
}

/// As noun::Codec, and what it throws.
template <class T>
noun::Result<T> by_codec(std::string_view text) {
  noun::detail::DecodeFault fault;
  std::optional<noun::Result<T>> value;
  noun::detail::guarded(fault, "", [&] { value.emplace(noun::Codec<T>::decode(text)); });
  return value ? *std::move(value) : noun::Result<T>(noun::Error(noun::Errc::decode, fault.what));
}

}  // namespace noun_test
