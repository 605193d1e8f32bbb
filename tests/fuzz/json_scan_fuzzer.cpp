// JSON text: the first line of the input is a pointer, the second a value to put there, the rest a document. nlohmann
// reads the same.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "fuzz/invariant.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/utf8.hpp"

namespace {

using noun_fuzz::require;
using Json = nlohmann::json;

/// What nlohmann's events say about a document.
struct Facts : nlohmann::json_sax<Json> {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  std::size_t values = 0;
  std::string integer_beyond_64_bits;
  bool has_unique_keys = true;
  std::vector<std::set<std::string>> keys;

  bool count() {
    ++values;
    return true;
  }
  bool enter() {
    deepest = std::max(deepest, ++depth);
    return count();
  }
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t& text) override {
    if (integer_beyond_64_bits.empty() && text.find_first_of(".eE") == std::string::npos) integer_beyond_64_bits = text;
    return count();
  }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override {
    keys.emplace_back();
    return enter();
  }
  bool key(string_t& name) override {
    has_unique_keys &= keys.back().insert(name).second;
    return true;
  }
  bool end_object() override {
    keys.pop_back();
    --depth;
    return true;
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override {
    --depth;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
};

/// The value at the pointer; null if there is none, or if nlohmann does not take the pointer.
const Json* value_at(const Json& document, const std::string& pointer) {
  try {
    const Json::json_pointer path(pointer);
    return document.contains(path) ? &document.at(path) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

void check_elements(std::string_view text, const std::string& pointer, const Json& document) {
  const auto split = noun::wire::json_elements(text, pointer);
  require(split.elements.empty() || !split.error, "an error has no elements");
  const auto* value = value_at(document, pointer);
  if (pointer.ends_with("/*") || value == nullptr) return;
  require(split.error.has_value() == !(value->is_array() || (value->is_null() && !pointer.empty())),
          "an array is split, and nothing else");
  if (split.error || value->is_null()) return;
  require(split.elements.size() == value->size(), "as many elements as the array has");
  for (std::size_t i = 0; i < split.elements.size(); ++i)
    require(Json::parse(split.elements[i], nullptr, false) == (*value)[i], "the elements are those of the array");
}

/// The members of an object, if the text is one whose names differ.
void check_members(std::string_view text, const Json& document) {
  const auto members = noun::wire::json_elements(text, "", std::numeric_limits<std::size_t>::max(), '{');
  require(members.error.has_value() == !document.is_object(), "an object is split, and nothing else");
  if (members.error) return;
  const auto& halves = members.elements;
  require(halves.size() == 2 * document.size(), "as many as the object has members");
  for (std::size_t i = 0; i < halves.size(); i += 2)
    require(document.at(Json::parse(halves[i]).get<std::string>()) == Json::parse(halves[i + 1]),
            "a member is a name and its value");
}

void check_value(std::string_view text, const std::string& pointer, const Json& document) {
  const auto* value = value_at(document, pointer);
  const auto found = noun::wire::json_at(text, pointer);
  if (value == nullptr) return;
  require(found && Json::parse(*found, nullptr, false) == *value, "the value at the pointer is found");
  const auto whole = noun::wire::json_value(text, pointer).elements;
  require(whole.size() == 1 && whole.front() == *found, "the value of the whole document is the same");
  const auto string = noun::wire::json_text_at(text, pointer);
  require(string.has_value() == value->is_string() && (!string || *string == value->get<std::string>()),
          "a string is decoded");
}

void check_edit(std::string_view text, const std::string& pointer, const std::string& value) {
  const auto edited = noun::wire::with_json_at(text, pointer, value);
  if (!edited) return;
  const auto document = Json::parse(*edited, nullptr, false);
  require(!document.is_discarded(), "an edited document is JSON");
  if (!noun::wire::valid_utf8(pointer)) return;
  const auto found = noun::wire::json_at(*edited, pointer);
  require(found && Json::parse(*found, nullptr, false) == Json::parse(value, nullptr, false),
          "the value is where it was put");
  const auto twice = noun::wire::with_json_at(*edited, pointer, value);
  require(twice && Json::parse(*twice, nullptr, false) == document, "putting a value twice is putting it once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = noun_fuzz::text_of(data, size);
  const std::string pointer(noun_fuzz::take_part(rest));
  const std::string value(noun_fuzz::take_part(rest));
  const auto text = rest;

  const bool is_utf8 = noun::wire::valid_utf8(text);
  const auto quoted = noun::wire::json_quoted(text);
  require(noun::wire::valid_utf8(quoted), "quoted text is UTF-8");
  if (is_utf8) require(noun::wire::json_text_at(quoted, "") == text, "quoted text decodes to the text");

  Facts facts;
  const auto split = noun::wire::json_elements(text, pointer);
  require(split.elements.empty() || !split.error, "an error has no elements");
  noun::wire::json_at(text, pointer);
  const auto shape = noun::wire::json_shape(text);
  check_edit(text, pointer, value);
  Json read;
  const bool is_read = !noun::detail::parse_json(text, read);
  // nlohmann takes a NUL byte for the end of its input.
  if (text.find('\0') != std::string_view::npos || !Json::sax_parse(text, &facts)) {
    require(!is_read, "what nlohmann refuses is refused");
    return 0;
  }
  require(is_utf8, "JSON is UTF-8");
  require(shape.depth == facts.deepest, "the depth is the one that nlohmann counts");
  require(shape.values == facts.values, "the values are as many as nlohmann counts");
  require(is_read == facts.integer_beyond_64_bits.empty(), "all is read but integers beyond 64 bits");
  const auto document = Json::parse(text, nullptr, false);
  require(!is_read || read.dump() == document.dump(), "the tree is the one that nlohmann makes");
  require(noun::wire::json_elements(text, "").error.has_value() == !document.is_array(), "JSON has matching brackets");
  if (!facts.has_unique_keys) return 0;
  check_elements(text, pointer, document);
  check_members(text, document);
  check_value(text, pointer, document);
  return 0;
}
