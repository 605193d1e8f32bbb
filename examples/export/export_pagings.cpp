#include "export_pagings.hpp"

#include <algorithm>
#include <array>

namespace noun_export {
namespace {

namespace paging = noun::paging;

struct PagingRow {
  std::string_view name;
  noun::Paging (*make)();
  bool needs_items = false;
};

template <class Style>
noun::Paging in_style() {
  return {.style = Style{}};
}

noun::Paging by_offset() { return {.style = paging::Offset{}, .size_parameter = "limit"}; }

/// Without pagings that use a request body, which an export does not send.
constexpr PagingRow paging_rows[] = {
    {"airtable", paging::airtable},
    {"algolia", paging::algolia},
    {"anthropic", paging::anthropic},
    {"asana", paging::asana},
    {"azure", paging::azure},
    {"bitbucket", paging::bitbucket},
    {"cloudflare", paging::cloudflare},
    {"confluence", paging::confluence},
    {"digitalocean", [] { return paging::digitalocean(""); }, true},
    {"discord", [] { return paging::discord(); }},
    {"drf", paging::drf},
    {"gitlab", paging::gitlab},
    {"google", [] { return paging::google(""); }, true},
    {"hal", paging::hal},
    {"heroku", paging::heroku},
    {"hubspot", paging::hubspot},
    {"jira_token", paging::jira_token},
    {"json_api", paging::json_api},
    {"json_server", paging::json_server},
    {"kubernetes", paging::kubernetes},
    {"link_header", in_style<paging::LinkHeader>},
    {"notion", paging::notion},
    {"odata", paging::odata},
    {"offset", by_offset},
    {"openai", paging::openai},
    {"page_number", in_style<paging::PageNumber>},
    {"pagerduty", [] { return paging::pagerduty(""); }, true},
    {"postgrest", paging::postgrest},
    {"reddit", paging::reddit},
    {"salesforce", paging::salesforce},
    {"scim", paging::scim},
    {"single_page", in_style<paging::SinglePage>},
    {"slack", [] { return paging::slack(""); }, true},
    {"start_at", [] { return paging::start_at(); }},
    {"stripe", paging::stripe},
    {"stripe_search", paging::stripe_search},
    {"stripe_v2", paging::stripe_v2},
    {"total_count", paging::total_count},
    {"twilio", [] { return paging::twilio(""); }, true},
    {"x", paging::x},
    {"zendesk_cursor", [] { return paging::zendesk_cursor(""); }, true},
    {"zendesk_offset", [] { return paging::zendesk_offset(""); }, true},
};

constexpr auto all_paging_names = [] {
  std::array<std::string_view, std::size(paging_rows)> all;
  std::transform(std::begin(paging_rows), std::end(paging_rows), all.begin(),
                 [](const PagingRow& row) { return row.name; });
  return all;
}();

}  // namespace

std::span<const std::string_view> paging_names() { return all_paging_names; }

std::optional<PagingChoice> paging_named(std::string_view name) {
  const auto* const row = std::find_if(std::begin(paging_rows), std::end(paging_rows),
                                       [&](const PagingRow& each) { return each.name == name; });
  if (row == std::end(paging_rows)) return std::nullopt;
  return PagingChoice{row->make(), row->needs_items};
}

}  // namespace noun_export
