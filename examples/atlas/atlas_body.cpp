// Parses bodies within limits, and compares entity tags.
#include "atlas_body.hpp"

#include <fmt/format.h>

#include "atlas_response.hpp"

namespace atlas {
namespace {

constexpr int deepest = 64;

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Whether the list of tags in a field contains `etag`. This server's entity tags contain no comma.
bool lists(std::string_view field, std::string_view etag, bool weakly) {
  while (!field.empty()) {
    const auto comma = field.find(',');
    auto tag = trim(field.substr(0, comma));
    field = comma == std::string_view::npos ? std::string_view{} : field.substr(comma + 1);
    if (weakly && tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == "*" || tag == etag) return true;
  }
  return false;
}

}  // namespace

Json parse_object(std::string_view body) {
  // Rejected while parsing: serializing a deep document would overflow the stack.
  const auto guard = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) {
      throw HttpError{400, fmt::format("the body is nested more than {} levels deep", deepest)};
    }
    return true;
  };
  try {
    auto document = Json::parse(body, guard);
    if (!document.is_object()) throw HttpError{400, "the body must be a JSON object"};
    return document;
  } catch (const Json::exception& error) {
    throw HttpError{400, fmt::format("the body is not JSON: {}", error.what())};
  }
}

void check_write(const Conditions& conditions, const Member* current) {
  if (!conditions.if_match.empty() &&
      (current == nullptr || !lists(conditions.if_match, current->document->etag, false))) {
    throw HttpError{412, "If-Match does not name the current entity tag"};
  }
  if (current != nullptr && !conditions.if_none_match.empty() &&
      lists(conditions.if_none_match, current->document->etag, true)) {
    throw HttpError{412, "If-None-Match names the current entity tag"};
  }
}

bool is_not_modified(const Conditions& conditions, std::string_view etag) {
  return !conditions.if_none_match.empty() && lists(conditions.if_none_match, etag, true);
}

}  // namespace atlas
