#include <noun/paging.hpp>

#include "vocabulary/json_pointer.hpp"

namespace noun { inline namespace v0 { namespace paging {
namespace {

using detail::pointer_to;

/// The plain convention also reads X-Total-Count.
Totals total_at(std::string pointer) { return {.items_header = {}, .items_pointer = std::move(pointer)}; }

Paging by_url(std::string items, std::string size, TextList from, Totals totals = total_at({})) {
  return {.style = NextUrl{.from = std::move(from)},
          .items = std::move(items),
          .size_parameter = std::move(size),
          .totals = std::move(totals)};
}

Paging by_cursor(std::string items, std::string size, Cursor cursor, End end = {}) {
  return {.style = std::move(cursor),
          .items = std::move(items),
          .size_parameter = std::move(size),
          .end = std::move(end),
          .totals = total_at({})};
}

Paging by_last_item(std::string items, std::string size, LastItem last_item, End end = {}) {
  return {.style = std::move(last_item),
          .items = std::move(items),
          .size_parameter = std::move(size),
          .end = std::move(end),
          .totals = total_at({})};
}

Paging with_failures(Paging paging, std::vector<FailureSign> failures) {
  paging.failures = std::move(failures);
  return paging;
}

}  // namespace

Paging gitlab() {
  return {.style = PageNumber{.next_header = "X-Next-Page"},
          .totals = {.items_header = "X-Total", .pages_header = "X-Total-Pages"}};
}

Paging total_count() {
  return {.style = PageNumber{}, .size_parameter = "limit", .end = {.short_page = true, .total = true}};
}

Paging drf() { return by_url("/results", "", "/next", total_at("/count")); }

Paging odata() {
  auto paging = by_url("/value", "", {"/@odata.nextLink", "/@nextLink", "/nextLink"}, total_at("/@odata.count"));
  return with_failures(std::move(paging), {{"/error"}});
}

Paging azure() { return by_url("/value", "", "/nextLink"); }

Paging hal() {
  auto paging = by_url("/_embedded/*", "size", {"/_links/next/href", "/_links/next/0/href"},
                       total_at("/page/totalElements"));
  paging.items_may_be_absent = true;
  return paging;
}

Paging json_api() { return by_url("/data", "page[size]", {"/links/next", "/links/next/href"}); }

Paging start_at(std::string_view items) {
  return {.style = Offset{.parameter = "startAt"},
          .items = pointer_to(items),
          .size_parameter = "maxResults",
          .end = {.more_pointer = "/isLast", .more_value = false, .total = true},
          .totals = total_at("/total")};
}

Paging jira_token() {
  return by_cursor("/issues", "maxResults",
                   {.parameter = "nextPageToken", .from = "/nextPageToken", .into_body = "/nextPageToken"},
                   {.more_pointer = "/isLast", .more_value = false});
}

Paging confluence() { return by_url("/results", "limit", "/_links/next"); }

Paging google(std::string_view items) {
  auto paging = by_cursor(pointer_to(items), "pageSize", {.parameter = "pageToken", .from = "/nextPageToken"});
  paging.items_may_be_absent = true;
  return paging;
}

Paging stripe() {
  return by_last_item("/data", "limit", {.parameter = "starting_after"}, {.more_pointer = "/has_more"});
}

Paging stripe_search() {
  return by_cursor("/data", "limit", {.parameter = "page", .from = "/next_page"}, {.more_pointer = "/has_more"});
}

Paging stripe_v2() { return by_url("/data", "limit", "/next_page_url"); }

Paging slack(std::string_view items) {
  return with_failures(
      by_cursor(pointer_to(items), "limit", {.parameter = "cursor", .from = "/response_metadata/next_cursor"}),
      {{"/ok", "false"}});
}

Paging notion() {
  return by_cursor("/results", "page_size",
                   {.parameter = "start_cursor", .from = "/next_cursor", .into_body = "/start_cursor"},
                   {.more_pointer = "/has_more"});
}

Paging hubspot() {
  return by_cursor("/results", "limit", {.parameter = "after", .from = "/paging/next/after", .into_body = "/after"});
}

Paging airtable() { return by_cursor("/records", "pageSize", {.parameter = "offset", .from = "/offset"}); }

Paging asana() { return by_cursor("/data", "limit", {.parameter = "offset", .from = "/next_page/offset"}); }

Paging zendesk_cursor(std::string_view items) {
  auto paging = by_url(pointer_to(items), "page[size]", "/links/next");
  paging.end.more_pointer = "/meta/has_more";
  return paging;
}

Paging zendesk_offset(std::string_view items) { return by_url(pointer_to(items), "per_page", "/next_page"); }

Paging twilio(std::string_view items) {
  return by_url(pointer_to(items), "PageSize", {"/next_page_uri", "/meta/next_page_url"});
}

Paging salesforce() {
  auto paging = by_url("/records", "", "/nextRecordsUrl", total_at("/totalSize"));
  paging.end = {.more_pointer = "/done", .more_value = false};
  return paging;
}

Paging kubernetes() { return by_cursor("/items", "limit", {.parameter = "continue", .from = "/metadata/continue"}); }

Paging x() {
  auto paging = by_cursor("/data", "max_results", {.parameter = "pagination_token", .from = "/meta/next_token"});
  paging.items_may_be_absent = true;
  return paging;
}

Paging discord(std::string_view parameter) {
  return by_last_item("", "limit", {.parameter = std::string(parameter)}, {.short_page = true});
}

Paging reddit() { return by_cursor("/data/children", "limit", {.parameter = "after", .from = "/data/after"}); }

Paging elasticsearch() {
  auto paging = by_last_item("/hits/hits", "size", {.key = "/sort", .into_body = "/search_after"});
  paging.totals = total_at("/hits/total/value");
  return with_failures(std::move(paging), {{"/timed_out"}, {"/_shards/failed"}});
}

Paging bitbucket() { return by_url("/values", "pagelen", "/next", total_at("/size")); }

Paging cloudflare() {
  return {.style = PageNumber{},
          .items = "/result",
          .totals = {.items_header = {},
                     .items_pointer = "/result_info/total_count",
                     .pages_pointer = "/result_info/total_pages"},
          .failures = {{"/success", "false"}}};
}

Paging digitalocean(std::string_view items) {
  return by_url(pointer_to(items), "per_page", "/links/pages/next", total_at("/meta/total"));
}

Paging heroku() {
  return {.style = ItemRange{.next_header = "Next-Range"}, .size_parameter = {}, .totals = total_at({})};
}

Paging postgrest() {
  return {.style = ItemRange{}, .size_parameter = {}, .end = {.short_page = true}, .totals = total_at({})};
}

Paging pagerduty(std::string_view items) {
  return {.style = Offset{},
          .items = pointer_to(items),
          .size_parameter = "limit",
          .end = {.more_pointer = "/more"},
          .totals = total_at("/total")};
}

Paging scim() {
  return {.style = Offset{.parameter = "startIndex", .first = 1},
          .items = "/Resources",
          .size_parameter = "count",
          .items_may_be_absent = true,
          .end = {.total = true},
          .totals = total_at("/totalResults")};
}

Paging openai() { return by_last_item("/data", "limit", {.parameter = "after"}, {.more_pointer = "/has_more"}); }

Paging anthropic() {
  return by_cursor("/data", "limit", {.parameter = "after_id", .from = "/last_id"}, {.more_pointer = "/has_more"});
}

Paging aws(std::string_view items, std::string_view next, std::string_view goes) {
  const auto into = goes.empty() ? next : goes;
  return by_cursor(pointer_to(items), "",
                   {.parameter = std::string(into), .from = pointer_to(next), .into_body = pointer_to(into)});
}

Paging algolia() {
  return {.style = PageNumber{.first = 0},
          .items = "/hits",
          .size_parameter = "hitsPerPage",
          .totals = {.items_header = {}, .pages_pointer = "/nbPages"}};
}

Paging json_server() {
  return {.style = PageNumber{.parameter = "_page", .next = "/next"},
          .items = "/data",
          .size_parameter = "_per_page",
          .totals = {.items_header = {}, .items_pointer = "/items", .pages_pointer = "/pages"}};
}

Paging graphql(std::string_view connection, std::string_view items, std::string_view variable) {
  const std::string at(connection);
  return with_failures(by_cursor(at + pointer_to(items), "",
                                 {.from = at + "/pageInfo/endCursor", .into_body = "/variables" + pointer_to(variable)},
                                 {.more_pointer = at + "/pageInfo/hasNextPage"}),
                       {{"/errors"}});
}

}}}  // namespace noun::paging
