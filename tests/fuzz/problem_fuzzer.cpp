// Error bodies: the first line of the input is the content type, the rest the body.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"
#include "wire/utf8.hpp"
#include "wire/problem.hpp"

namespace {

using noun_fuzz::require;
using Json = nlohmann::json;

bool is_printable_line(std::string_view text) {
  return noun::wire::valid_utf8(text) && std::none_of(text.begin(), text.end(), noun::wire::is_control);
}

/// Whether the member is the text, or missing or of another type for an empty text.
bool has_text(const Json& body, const char* name, const std::string& text) {
  const auto member = body.find(name);
  return member != body.end() && member->is_string() ? *member == text : text.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto body = noun_fuzz::text_of(data, size);
  const std::string type(noun_fuzz::take_part(body));
  for (const auto* content_type : {type.c_str(), "application/json", "application/problem+json", "text/html", ""}) {
    const auto unchanged = [](std::string_view text) { return std::string(text); };
    const auto line = noun::wire::server_message(content_type, body, unchanged);
    require(line.size() <= 300 && is_printable_line(line), "a message is a short printable line");
    const auto problem = noun::wire::parse_problem(content_type, body);
    if (!problem) continue;
    const auto json = Json::parse(body, nullptr, false);
    require(json.is_object(), "problem details are an object");
    require(has_text(json, "title", problem->title) && has_text(json, "detail", problem->detail) &&
                has_text(json, "instance", problem->instance),
            "the members are those of the body");
    require(problem->type == "about:blank" || has_text(json, "type", problem->type), "the type is the one of the body");
    require(problem->status == 0 || json["status"] == problem->status, "the status is the one of the body");
  }
  return 0;
}
