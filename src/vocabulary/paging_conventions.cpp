#include <noun/paging_conventions.hpp>

#include <algorithm>

#include "vocabulary/paging_table.hpp"

namespace noun { inline namespace v0 { namespace paging {
namespace {

/// Does not compile where there is no such row.
consteval const PagingRow& paging_row_of(std::string_view name) {
  const auto* const found = std::ranges::find(paging_rows, name, &PagingRow::name);
  if (found == std::end(paging_rows)) throw name;
  return *found;
}

PagingConvention convention_of(const PagingRow& row) {
  PagingConvention convention;
  convention.style = row.style;
  convention.page_parameter = row.page;
  convention.size_parameter = row.size;
  convention.first_page = row.first_page;
  convention.items_pointer = row.items;
  convention.total_header = row.total_header;
  convention.items_may_be_absent = row.may_be_absent;
  for (const auto pointer : row.next)
    if (!pointer.empty()) convention.next_pointers.emplace_back(pointer);
  convention.next_header = row.next_header;
  convention.cursor_parameter = row.cursor;
  convention.cursor_pointer = row.cursor_body;
  convention.key_pointer = row.key;
  convention.more_pointer = row.more;
  convention.more_value = row.more_value;
  convention.short_page_is_last = row.short_is_last;
  convention.total_is_end = row.total_is_end;
  convention.total_pointer = row.total;
  convention.page_count_header = row.pages_header;
  convention.page_count_pointer = row.pages;
  return convention;
}

/// The member of that name, as a JSON pointer (RFC 6901, section 3).
std::string member(std::string_view name) {
  std::string pointer = "/";
  for (const char c : name)
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  return pointer;
}

PagingConvention with_items(const PagingRow& row, std::string_view items) {
  auto convention = convention_of(row);
  convention.items_pointer = member(items);
  return convention;
}

}  // namespace

PagingConvention gitlab() { return convention_of(paging_row_of("gitlab")); }
PagingConvention total_count() { return convention_of(paging_row_of("total_count")); }
PagingConvention drf() { return convention_of(paging_row_of("drf")); }
PagingConvention odata() { return convention_of(paging_row_of("odata")); }
PagingConvention azure() { return convention_of(paging_row_of("azure")); }
PagingConvention hal() { return convention_of(paging_row_of("hal")); }
PagingConvention json_api() { return convention_of(paging_row_of("json_api")); }
PagingConvention start_at(std::string_view items) { return with_items(paging_row_of("start_at"), items); }
PagingConvention jira_token() { return convention_of(paging_row_of("jira_token")); }
PagingConvention confluence() { return convention_of(paging_row_of("confluence")); }
PagingConvention google(std::string_view items) { return with_items(paging_row_of("google"), items); }
PagingConvention stripe() { return convention_of(paging_row_of("stripe")); }
PagingConvention stripe_search() { return convention_of(paging_row_of("stripe_search")); }
PagingConvention stripe_v2() { return convention_of(paging_row_of("stripe_v2")); }
PagingConvention slack(std::string_view items) { return with_items(paging_row_of("slack"), items); }
PagingConvention notion() { return convention_of(paging_row_of("notion")); }
PagingConvention hubspot() { return convention_of(paging_row_of("hubspot")); }
PagingConvention airtable() { return convention_of(paging_row_of("airtable")); }
PagingConvention asana() { return convention_of(paging_row_of("asana")); }
PagingConvention zendesk_cursor(std::string_view items) { return with_items(paging_row_of("zendesk_cursor"), items); }
PagingConvention zendesk_offset(std::string_view items) { return with_items(paging_row_of("zendesk_offset"), items); }
PagingConvention twilio(std::string_view items) { return with_items(paging_row_of("twilio"), items); }
PagingConvention salesforce() { return convention_of(paging_row_of("salesforce")); }
PagingConvention kubernetes() { return convention_of(paging_row_of("kubernetes")); }
PagingConvention x() { return convention_of(paging_row_of("x")); }

PagingConvention discord(std::string_view parameter) {
  auto convention = convention_of(paging_row_of("discord"));
  convention.cursor_parameter = parameter;
  return convention;
}

PagingConvention reddit() { return convention_of(paging_row_of("reddit")); }
PagingConvention elasticsearch() { return convention_of(paging_row_of("elasticsearch")); }
PagingConvention bitbucket() { return convention_of(paging_row_of("bitbucket")); }
PagingConvention cloudflare() { return convention_of(paging_row_of("cloudflare")); }
PagingConvention digitalocean(std::string_view items) { return with_items(paging_row_of("digitalocean"), items); }
PagingConvention heroku() { return convention_of(paging_row_of("heroku")); }
PagingConvention postgrest() { return convention_of(paging_row_of("postgrest")); }
PagingConvention pagerduty(std::string_view items) { return with_items(paging_row_of("pagerduty"), items); }
PagingConvention openai() { return convention_of(paging_row_of("openai")); }
PagingConvention anthropic() { return convention_of(paging_row_of("anthropic")); }

PagingConvention aws(std::string_view items, std::string_view next, std::string_view goes) {
  auto convention = with_items(paging_row_of("aws"), items);
  convention.next_pointers = {member(next)};
  convention.cursor_parameter = goes.empty() ? next : goes;
  convention.cursor_pointer = member(convention.cursor_parameter);
  return convention;
}

PagingConvention algolia() { return convention_of(paging_row_of("algolia")); }
PagingConvention json_server() { return convention_of(paging_row_of("json_server")); }

PagingConvention graphql(std::string_view connection, std::string_view items, std::string_view variable) {
  auto convention = convention_of(paging_row_of("graphql"));
  const std::string at(connection);
  convention.items_pointer = at + member(items);
  convention.next_pointers = {at + "/pageInfo/endCursor"};
  convention.more_pointer = at + "/pageInfo/hasNextPage";
  convention.cursor_pointer = "/variables" + member(variable);
  return convention;
}

}}}  // namespace noun::paging
