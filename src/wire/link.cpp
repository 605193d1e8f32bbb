#include "wire/link.hpp"

#include <algorithm>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// One link-value as written: the target unresolved, the relation types in one text.
struct RawLink {
  std::string_view target;
  std::string relations;
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// The first parameter of that name: RFC 8288 ignores repetitions.
const std::string* parameter(const RawLink& link, std::string_view name) {
  const auto found = std::find_if(link.parameters.begin(), link.parameters.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == link.parameters.end() ? nullptr : &found->second;
}

/// quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE; a missing end quote is accepted (appendix B.4).
std::string take_quoted_string(Cursor& cursor) {
  std::string value;
  cursor.take('"');
  while (!cursor.done()) {
    value += cursor.take_until([](char c) { return c == '"' || c == '\\'; });
    if (cursor.take('"')) break;
    if (cursor.take('\\') && !cursor.done()) {
      value += cursor.rest().front();
      cursor.take(value.back());
    }
  }
  return value;
}

/// token or quoted-string. Values that are not tokens are common (`type=application/json`), so reads to ";" or ",".
std::string take_value(Cursor& cursor) {
  if (cursor.at('"')) return take_quoted_string(cursor);
  return std::string(trimmed(cursor.take_until([](char c) { return c == ';' || c == ','; })));
}

/// *( OWS ";" OWS [ link-param ] ), link-param = token BWS [ "=" BWS ( token / quoted-string ) ] (appendix B.3).
void take_parameters(Cursor& cursor, RawLink& link) {
  bool seen_rel = false;
  while (cursor.take_ows(), cursor.take(';')) {
    cursor.take_ows();
    auto name = lowered(trimmed(cursor.take_until([](char c) { return c == '=' || c == ';' || c == ','; })));
    std::string value;
    if (cursor.take('=')) {
      cursor.take_ows();
      value = take_value(cursor);
    }
    if (name != "rel") {
      if (!name.empty()) link.parameters.emplace_back(std::move(name), std::move(value));
    } else if (!seen_rel) {
      seen_rel = true;
      link.relations = lowered(value);
    }
  }
}

/// The next link of a line; nothing at the end of the line and before text that is not a link.
///
///     Link       = #link-value
///     link-value = "<" URI-Reference ">" *( OWS ";" OWS [ link-param ] )
std::optional<RawLink> take_link(Cursor& cursor) {
  cursor.take_until([](char c) { return !is_ows(c) && c != ','; });
  auto ahead = cursor;
  if (!ahead.take('<')) return std::nullopt;
  RawLink link;
  link.target = ahead.take_until([](char c) { return c == '>'; });
  if (!ahead.take('>')) return std::nullopt;
  cursor = ahead;
  take_parameters(cursor, link);
  return link;
}

/// The next of the space-separated relation types; empty at the end.
std::string_view take_relation(Cursor& relations) {
  relations.take_ows();
  return relations.take_until(is_ows);
}

bool same_relation(std::string_view left, std::string_view right) {
  const auto canonical = [](std::string_view relation) { return relation == "previous" ? "prev" : relation; };
  return canonical(left) == canonical(right);
}

bool has_relation(const RawLink& link, std::string_view wanted) {
  Cursor relations(link.relations);
  for (auto relation = take_relation(relations); !relation.empty(); relation = take_relation(relations))
    if (same_relation(relation, wanted)) return true;
  return false;
}

/// Limits the anchors that are resolved: each one reads the base URL, which a server can make long.
constexpr int most_anchors = 16;

/// Whether `url` is the page at `page_url`, or the list that it is a page of: the same without a query.
bool is_page_or_list(std::string_view url, std::string_view page_url) {
  const auto parts = split_url(url);
  const auto page = split_url(page_url);
  return same_ignoring_case(parts.scheme, page.scheme) && same_ignoring_case(parts.authority, page.authority) &&
         parts.path == page.path && (!parts.has_query || parts.query == page.query) && !parts.has_fragment;
}

/// RFC 8288, section 3.2: an anchor gives the link another context, unless it resolves to this one.
/// @param anchors  how many may still be resolved.
bool is_about(const RawLink& link, std::string_view base_url, int& anchors) {
  const auto* anchor = parameter(link, "anchor");
  if (anchor == nullptr) return true;
  return anchors-- > 0 && is_page_or_list(resolve_written(base_url, *anchor), base_url);
}

/// Some servers always send every link, and mark one without results with this attribute.
bool has_no_results(const RawLink& link) {
  const auto* results = parameter(link, "results");
  return results != nullptr && same_ignoring_case(*results, "false");
}

/// Limits the relation types of one link.
constexpr int most_relations = 16;

}  // namespace

std::string Link::target() const { return resolve_written(base_url, reference); }

std::vector<Link> parse_links(const std::vector<std::string_view>& values, std::string_view base_url) {
  std::vector<Link> links;
  for (const auto line : values) {
    Cursor cursor(line);
    while (const auto raw = take_link(cursor)) {
      Cursor relations(raw->relations);
      for (int i = 0; i < most_relations; ++i) {
        const auto relation = take_relation(relations);
        if (relation.empty()) break;
        links.push_back({std::string(relation), raw->target, base_url});
      }
    }
  }
  return links;
}

bool is_unreadable_link(const Headers& headers) {
  for (const auto& field : headers) {
    if (!same_name(field.name, "Link")) continue;
    Cursor cursor(field.value);
    while (take_link(cursor)) continue;
    if (!cursor.done()) return true;
  }
  return false;
}

std::optional<std::string> find_link(const Headers& headers, std::string_view relation, std::string_view base_url) {
  const auto wanted = lowered(relation);
  int anchors = most_anchors;
  for (const auto& field : headers) {
    if (!same_name(field.name, "Link")) continue;
    Cursor cursor(field.value);
    while (const auto link = take_link(cursor)) {
      if (!has_relation(*link, wanted) || !is_about(*link, base_url, anchors)) continue;
      if (has_no_results(*link)) return std::nullopt;
      return resolve_written(base_url, link->target);
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> fault_of_link(const Headers& headers, std::string_view relation,
                                              std::string_view base_url) {
  const auto wanted = lowered(relation);
  int anchors = most_anchors;
  for (const auto& field : headers) {
    if (!same_name(field.name, "Link")) continue;
    Cursor cursor(field.value);
    while (auto link = take_link(cursor)) {
      if (has_no_results(*link)) continue;
      if (has_relation(*link, wanted) && !is_about(*link, base_url, anchors)) return "its anchor is another resource";
      if (std::erase(link->relations, '\'') > 0 && has_relation(*link, wanted))
        return "its relation is in single quotes (RFC 8288 has double quotes)";
    }
  }
  return std::nullopt;
}

}}}  // namespace noun::wire
