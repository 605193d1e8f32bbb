#include "wire/problem.hpp"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "wire/ascii.hpp"
#include "wire/error_words.hpp"
#include "wire/json_reader.hpp"
#include "wire/json_scan.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_message = 300;
constexpr std::size_t longest_excerpt = 200;
/// A longer body is not parsed; the message shows its start.
constexpr std::size_t largest_body = std::size_t{1} << 20U;
/// nlohmann's destructor is recursive.
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

/// The body as JSON; null if it is not JSON, or too large or too deep.
Json parsed(std::string_view body) {
  if (body.size() > largest_body || json_depth(body, deepest_body + 1) > deepest_body) return nullptr;
  Json json = parsed_json(body);
  return json.is_discarded() ? Json(nullptr) : json;
}

std::string text_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// The member `status` if it is an HTTP status, or 0.
int status_member(const Json& object) {
  const auto found = object.find("status");
  if (found == object.end() || !found->is_number_integer()) return 0;
  const auto status = found->get<std::int64_t>();
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

bool names_json(std::string_view content_type) { return is_json(media_type(content_type)); }

std::optional<Problem> parse_problem(std::string_view content_type, std::string_view body) {
  const auto type = media_type(content_type);
  const bool declared = type == "application/problem+json";
  if (!declared && type != "application/json") return std::nullopt;
  const Json json = parsed(body);
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
  const auto excerpt = [&] { return printable_excerpt(scrub(body), longest_excerpt); };
  const bool looks_like_json = type.empty() && (body.starts_with('{') || body.starts_with('['));
  if (!is_json(type) && !looks_like_json) return excerpt();
  const Json json = parsed(body);
  if (json.is_null()) return one_line(body) == "null" ? std::string{} : excerpt();
  const auto line = sentence(scrubbed(error_words(json), scrub));
  if (line.empty() && json.is_structured() && !json.empty()) return excerpt();
  return printable_excerpt(line, longest_message);
}

}}}  // namespace noun::wire
