#pragma once
/// @file
/// Every preset with its name.

#include <string>
#include <utility>
#include <vector>

#include <noun/dialect.hpp>

namespace noun_test {

inline const std::vector<std::pair<std::string, noun::Dialect (*)()>> presets = {
    {"github", noun::dialects::github},
    {"gitlab", noun::dialects::gitlab},
    {"stripe", noun::dialects::stripe},
    {"shopify", noun::dialects::shopify},
    {"discord", noun::dialects::discord},
    {"slack", noun::dialects::slack},
    {"x", noun::dialects::x},
    {"reddit", noun::dialects::reddit},
    {"okta", noun::dialects::okta},
    {"auth0", noun::dialects::auth0},
    {"jira", noun::dialects::jira},
    {"zendesk", noun::dialects::zendesk},
    {"hubspot", noun::dialects::hubspot},
    {"notion", noun::dialects::notion},
    {"asana", noun::dialects::asana},
    {"airtable", noun::dialects::airtable},
    {"linear", noun::dialects::linear},
    {"cloudflare", noun::dialects::cloudflare},
    {"digitalocean", noun::dialects::digitalocean},
    {"docker_hub", noun::dialects::docker_hub},
    {"openai", noun::dialects::openai},
    {"groq", noun::dialects::groq},
    {"anthropic", noun::dialects::anthropic},
    {"sendgrid", noun::dialects::sendgrid},
    {"sentry", noun::dialects::sentry},
    {"datadog", noun::dialects::datadog},
    {"pagerduty", noun::dialects::pagerduty},
    {"spotify", noun::dialects::spotify},
    {"azure_devops", noun::dialects::azure_devops},
    {"azure_resource_manager", noun::dialects::azure_resource_manager},
    {"strava", noun::dialects::strava},
    {"kong", noun::dialects::kong},
    {"envoy", noun::dialects::envoy},
    {"sharepoint", noun::dialects::sharepoint},
    {"nginx", noun::dialects::nginx},
    {"aspnet", noun::dialects::aspnet},
    {"django", noun::dialects::django},
    {"json_api", noun::dialects::json_api},
};

}  // namespace noun_test
