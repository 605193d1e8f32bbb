#include "wire/deprecation.hpp"

#include <algorithm>
#include <variant>

#include "wire/ascii.hpp"
#include "wire/http_date.hpp"
#include "wire/link.hpp"
#include "wire/structured_field.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// `@1688169599`
std::optional<std::chrono::sys_seconds> structured_date(std::string_view text) {
  const auto list = parse_structured_list({text});
  if (!list || list->size() != 1) return std::nullopt;
  const auto* const item = std::get_if<StructuredItem>(&list->front());
  if (item == nullptr || item->value.kind != BareKind::date) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(item->value.number));
}

/// The target of the first link with the first of the relation types that there is.
std::string link_of(const Headers& headers, std::string_view url) {
  const auto links = parse_links(headers.values("Link"), url);
  for (const std::string_view relation : {"deprecation", "sunset"}) {
    const auto found =
        std::find_if(links.begin(), links.end(), [&](const Link& link) { return link.relation == relation; });
    if (found != links.end()) return found->target();
  }
  return {};
}

}  // namespace

std::optional<Deprecation> read_deprecation(const Headers& headers, std::string_view url, WallTime now) {
  Deprecation read;
  if (const auto text = headers.get("Deprecation")) {
    read.since = structured_date(*text);
    if (!read.since) read.since = parse_http_date(*text, now);
    read.deprecated = read.since || same_ignoring_case(trimmed(*text), "true");
  }
  if (const auto text = headers.get("Sunset")) read.unavailable_at = parse_http_date(*text, now);
  if (!read.deprecated && !read.unavailable_at) return std::nullopt;
  read.link = link_of(headers, url);
  return read;
}

}}}  // namespace noun::wire
