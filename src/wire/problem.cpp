#include "wire/problem.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "wire/ascii.hpp"
#include "wire/json_scan.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_message = 300;
constexpr std::size_t longest_excerpt = 200;
/// A longer body is not parsed; the message shows its start.
constexpr std::size_t largest_body = std::size_t{1} << 20U;
/// Values are read and freed by recursive functions.
constexpr std::size_t deepest_body = 64;

/// The type and subtype without parameters, in lower case (RFC 9110, section 8.3.1).
std::string media_type(std::string_view content_type) {
  return lowered(trimmed(content_type.substr(0, content_type.find(';'))));
}

bool is_json(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool is_text(std::string_view type) {
  return type.empty() || type.starts_with("text/") || is_json(type) || type == "application/xml" ||
         type.ends_with("+xml") || type == "application/x-www-form-urlencoded";
}

/// Removes all elements. nlohmann's destructor of those that have elements allocates, and ends the program if it cannot.
void clear(Json& json) noexcept {
  if (auto* const array = json.get_ptr<Json::array_t*>()) {
    for (auto& element : *array) clear(element);
    array->clear();
  } else if (auto* const object = json.get_ptr<Json::object_t*>()) {
    for (auto& [name, value] : *object) clear(value);
    object->clear();
  }
}

/// A body as JSON.
class ParsedBody {
 public:
  ParsedBody() = default;
  ~ParsedBody() { clear(json_); }
  ParsedBody(const ParsedBody&) = delete;
  ParsedBody& operator=(const ParsedBody&) = delete;

  /// Returns null if the text is not JSON, or too large or too deep. Only once.
  const Json& parse(std::string_view text) {
    if (text.size() > largest_body || json_shape(text).depth > deepest_body) return json_;
    if (detail::parse_json(text, json_, detail::BeyondBits::rounded)) clear(json_), json_ = nullptr;
    return json_;
  }

 private:
  Json json_;
};

/// Keeps the message on one readable line.
constexpr std::size_t most_fields = 8;
/// The depth to which nested field errors are read, and the longest name that goes into a path. Paths are copied for
/// each entry, so both are bounded.
constexpr int deepest_field = 8;
constexpr std::size_t longest_field_name = 64;

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

/// A non-empty string, or a number as text; empty for any other value.
std::string text_of(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  return value->is_number_integer() ? value->dump() : std::string{};
}

std::string text_member(const Json& object, const char* key) {
  const auto* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

/// The first of the members that is a string.
template <std::size_t Count>
std::string first_string(const Json& object, const std::array<const char*, Count>& keys) {
  for (const auto* key : keys)
    if (auto text = text_member(object, key); !text.empty()) return text;
  return {};
}

/// Appends a predicate (`can't be blank`) to the field's name with a space, and a sentence with a colon.
std::string about_field(const std::string& field, const std::string& text) {
  if (text.empty()) return field;
  if (field.empty()) return text;
  return field + (is_lower(text.front()) ? " " : ": ") + text;
}

/// The text of a field's entry: the entry itself, the text of its first element, or its message member.
std::string entry_text(const Json& entry) {
  if (entry.is_string()) return entry.get<std::string>();
  if (entry.is_array()) return entry.empty() ? std::string{} : entry_text(entry.front());
  return first_string(entry, std::array{"message", "detail", "description", "title", "reason", "msg", "code"});
}

void add_field(ErrorWords& words, std::string field) {
  const bool room = words.fields.size() < most_fields;
  if (room && !field.empty()) words.fields.push_back(std::move(field));
}

/// `{"title": ["can't be blank"], "user": {"name": {"_errors": [{"message": "…"}]}}}`
void add_field_map(ErrorWords& words, const Json& map, const std::string& prefix, int depth) {
  for (const auto& [name, entry] : map.items()) {
    if (words.fields.size() == most_fields) return;
    const auto path = prefix + (prefix.empty() ? "" : ".") + printable_or_size(name, longest_field_name);
    const auto* own = member(entry, "_errors");
    const auto text = entry_text(own != nullptr ? *own : entry);
    if (!text.empty())
      add_field(words, about_field(path, text));
    else if (entry.is_object() && depth < deepest_field)
      add_field_map(words, entry, path, depth + 1);
  }
}

/// The field that an entry of an error list names: as a name, a path or a JSON pointer.
std::string field_name(const Json& entry) {
  if (const auto* source = member(entry, "source"))
    if (auto name = first_string(*source, std::array{"pointer", "parameter", "header"}); !name.empty()) return name;
  return first_string(entry, std::array{"field", "param", "pointer", "path", "property", "name"});
}

/// Whether an id is the name of an error (`not_found`) and not of a request: letters, joined by `_`, `-` or `.`.
bool is_word(std::string_view id) {
  constexpr std::size_t longest = 64;
  return !id.empty() && id.size() <= longest && std::all_of(id.begin(), id.end(), [](char c) {
    return is_lower(c) || is_upper(c) || c == '_' || c == '-' || c == '.';
  });
}

std::string code_of(const Json& error, const std::string& message) {
  const auto is_constant = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return is_upper(c) || is_digit(c) || c == '_'; }) &&
           std::any_of(text.begin(), text.end(), is_upper);
  };
  for (const auto* key : {"code", "errorCode", "reason", "category", "status", "type", "error"}) {
    auto text = text_member(error, key);
    const bool word = std::string_view(key) != "status" || is_constant(text);
    const bool adds_nothing = text == "about:blank" || text == "error" || text == message;
    if (!text.empty() && word && !adds_nothing) return text;
  }
  if (auto number = text_of(member(error, "code")); !number.empty()) return number;
  const auto id = text_member(error, "id");
  return !message.empty() && is_word(id) ? id : std::string{};
}

/// Reads the object that holds message and code.
void read_error(ErrorWords& words, const Json& error) {
  if (words.message.empty())
    words.message = first_string(error, std::array{"message", "title", "error_description", "errorSummary", "reason",
                                                   "detail", "details", "description", "msg", "error", "errors"});
  const auto detail = first_string(error, std::array{"detail", "details"});
  if (words.detail.empty() && detail != words.message) words.detail = detail;
  if (words.code.empty()) words.code = code_of(error, words.message);
  add_field(words, text_member(error, "param"));
  if (const auto* map = member(error, "message"); map != nullptr && map->is_object()) add_field_map(words, *map, "", 0);
}

/// Reads the elements of `errors`, `errorMessages` or a root array. The first one provides message and code if the body
/// has none; those that name a field are added to the fields.
void read_error_list(ErrorWords& words, const Json& list) {
  for (const auto& entry : list) {
    if (entry.is_string()) {
      if (words.message.empty())
        words.message = entry.get<std::string>();
      else
        add_field(words, entry.get<std::string>());
      continue;
    }
    const bool first = words.message.empty();
    if (first) read_error(words, entry);
    const auto field = field_name(entry);
    if (!field.empty()) add_field(words, first ? field : about_field(field, entry_text(entry)));
    if (words.fields.size() == most_fields) return;
  }
}

void read_list_members(ErrorWords& words, const Json& body) {
  for (const auto* key : {"errorMessages", "errors", "fields"}) {
    const auto* value = member(body, key);
    if (value == nullptr) continue;
    if (value->is_array() && std::string_view(key) == "fields") {
      for (const auto& name : *value) add_field(words, text_of(&name));
    } else if (value->is_array()) {
      read_error_list(words, *value);
    } else if (value->is_object()) {
      add_field_map(words, *value, "", 0);
    }
  }
}

/// `{"violated-policies": ["daily", "bandwidth"]}`: the quota policies that a request exceeds.
/// @source draft-ietf-httpapi-ratelimit-headers-10, section 5.
void add_violated_policies(ErrorWords& words, const Json& body) {
  const auto* const names = member(body, "violated-policies");
  if (names == nullptr || !names->is_array()) return;
  std::string list;
  std::size_t count = 0;
  for (const auto& name : *names) {
    if (!name.is_string() || ++count > most_fields) continue;
    list += list.empty() ? "violated policies: " : ", ";
    list += printable_or_size(name.get_ref<const std::string&>(), longest_field_name);
  }
  add_field(words, std::move(list));
}

/// Whether the body consists of field errors only: every member is a list of strings.
bool is_field_map(const Json& body) {
  return body.is_object() && !body.empty() && std::all_of(body.begin(), body.end(), [](const Json& entry) {
           return entry.is_array() && !entry.empty() && entry.front().is_string();
         });
}

/// The member `status` if it is an HTTP status, or 0.
int status_member(const Json& object) {
  const auto* value = member(object, "status");
  if (value == nullptr || !value->is_number_integer()) return 0;
  const auto status = value->get<std::int64_t>();
  return status >= 100 && status <= 599 ? static_cast<int>(status) : 0;
}

/// Collapses white space into single spaces. Stops after as much text as an excerpt can need.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_space(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
    if (line.size() > 4 * longest_message) break;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void append_clause(std::string& line, std::string_view separator, std::string_view clause) {
  if (clause.empty() || line.find(clause) != std::string::npos) return;
  if (!line.empty()) line += separator;
  line += clause;
}

/// Whether the line ends with punctuation.
bool is_finished(std::string_view line) noexcept {
  return !line.empty() && std::string_view(".!?:;,").find(line.back()) != std::string_view::npos;
}

/// `message: detail; field; field (code)`, without repetitions.
std::string sentence(const ErrorWords& words) {
  std::string line = one_line(words.message);
  append_clause(line, is_finished(line) ? " " : ": ", one_line(words.detail));
  for (const auto& field : words.fields) append_clause(line, "; ", one_line(field));
  auto code = one_line(words.code);
  if (line.empty()) return code;
  if (!code.empty() && line.find(code) == std::string::npos) line += " (" + code + ")";
  return line;
}

ErrorWords scrubbed(ErrorWords words, const Scrub& scrub) {
  for (auto* text : {&words.message, &words.detail, &words.code}) *text = scrub(*text);
  for (auto& field : words.fields) field = scrub(field);
  return words;
}

}  // namespace

ErrorWords error_words(const Json& body) {
  ErrorWords words;
  if (body.is_string()) words.message = body.get<std::string>();
  if (body.is_array()) {
    read_error_list(words, body);
    if (!body.empty()) read_list_members(words, body.front());
    return words;
  }
  if (const auto* error = member(body, "error"); error != nullptr && error->is_object()) {
    read_error(words, *error);
    read_list_members(words, *error);
  }
  read_error(words, body);
  add_violated_policies(words, body);
  read_list_members(words, body);
  if (words.message.empty() && words.fields.empty() && is_field_map(body)) add_field_map(words, body, "", 0);
  return words;
}

bool names_json(std::string_view content_type) { return is_json(media_type(content_type)); }

std::optional<Problem> parse_problem(std::string_view content_type, std::string_view body) {
  const auto type = media_type(content_type);
  const bool declared = type == "application/problem+json";
  if (!declared && type != "application/json") return std::nullopt;
  ParsedBody owner;
  const auto& json = owner.parse(body);
  if (!json.is_object()) return std::nullopt;

  Problem problem;
  if (auto text = text_member(json, "type"); !text.empty()) problem.type = std::move(text);
  problem.title = text_member(json, "title");
  problem.status = status_member(json);
  problem.detail = text_member(json, "detail");
  problem.instance = text_member(json, "instance");
  const bool worded = !text_member(json, "type").empty() || !problem.title.empty() || !problem.detail.empty();
  if (!declared && !(worded && problem.status != 0)) return std::nullopt;
  return problem;
}

std::string server_message(std::string_view content_type, std::string_view body, const Scrub& scrub) {
  const auto type = media_type(content_type);
  if (!is_text(type)) return {};
  // What becomes printable may look like a secret that it was not before.
  const auto shown = [&](const std::string& text, std::size_t most) { return scrub(printable_excerpt(text, most)); };
  const auto excerpt = [&] { return shown(scrub(body), longest_excerpt); };
  const bool looks_like_json = type.empty() && (body.starts_with('{') || body.starts_with('['));
  if (!is_json(type) && !looks_like_json) return excerpt();
  ParsedBody owner;
  const auto& json = owner.parse(body);
  if (json.is_null()) return one_line(body) == "null" ? std::string{} : excerpt();
  const auto line = sentence(scrubbed(error_words(json), scrub));
  if (line.empty() && json.is_structured() && !json.empty()) return excerpt();
  return shown(line, longest_message);
}

}}}  // namespace noun::wire
