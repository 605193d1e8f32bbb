#pragma once
/// @file
/// Every preset of noun::paging with its name; those that take the name of the items have `things`.

#include <string>
#include <utility>
#include <vector>

#include <noun/paging.hpp>

namespace noun_test {

inline const std::vector<std::pair<std::string, noun::Paging>> paging_presets = {
    {"gitlab", noun::paging::gitlab()},
    {"total_count", noun::paging::total_count()},
    {"drf", noun::paging::drf()},
    {"odata", noun::paging::odata()},
    {"azure", noun::paging::azure()},
    {"hal", noun::paging::hal()},
    {"json_api", noun::paging::json_api()},
    {"start_at", noun::paging::start_at("things")},
    {"jira_token", noun::paging::jira_token()},
    {"confluence", noun::paging::confluence()},
    {"google", noun::paging::google("things")},
    {"stripe", noun::paging::stripe()},
    {"stripe_search", noun::paging::stripe_search()},
    {"stripe_v2", noun::paging::stripe_v2()},
    {"slack", noun::paging::slack("things")},
    {"notion", noun::paging::notion()},
    {"hubspot", noun::paging::hubspot()},
    {"airtable", noun::paging::airtable()},
    {"asana", noun::paging::asana()},
    {"zendesk_cursor", noun::paging::zendesk_cursor("things")},
    {"zendesk_offset", noun::paging::zendesk_offset("things")},
    {"twilio", noun::paging::twilio("things")},
    {"salesforce", noun::paging::salesforce()},
    {"scim", noun::paging::scim()},
    {"kubernetes", noun::paging::kubernetes()},
    {"x", noun::paging::x()},
    {"discord", noun::paging::discord()},
    {"reddit", noun::paging::reddit()},
    {"elasticsearch", noun::paging::elasticsearch()},
    {"bitbucket", noun::paging::bitbucket()},
    {"cloudflare", noun::paging::cloudflare()},
    {"digitalocean", noun::paging::digitalocean("things")},
    {"heroku", noun::paging::heroku()},
    {"postgrest", noun::paging::postgrest()},
    {"pagerduty", noun::paging::pagerduty("things")},
    {"openai", noun::paging::openai()},
    {"anthropic", noun::paging::anthropic()},
    {"aws", noun::paging::aws("things")},
    {"algolia", noun::paging::algolia()},
    {"json_server", noun::paging::json_server()},
    {"graphql", noun::paging::graphql("/data/things")},
};

}  // namespace noun_test
