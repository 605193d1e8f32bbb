#include "export_dialects.hpp"

#include <algorithm>
#include <array>

#include <noun/dialect.hpp>

namespace noun_export {
namespace {

struct DialectRow {
  std::string_view name;
  noun::Dialect (*make)();
};

constexpr DialectRow dialect_rows[] = {
    {"airtable", noun::dialects::airtable},
    {"anthropic", noun::dialects::anthropic},
    {"asana", noun::dialects::asana},
    {"aspnet", noun::dialects::aspnet},
    {"auth0", noun::dialects::auth0},
    {"azure_devops", noun::dialects::azure_devops},
    {"azure_resource_manager", noun::dialects::azure_resource_manager},
    {"cloudflare", noun::dialects::cloudflare},
    {"datadog", noun::dialects::datadog},
    {"digitalocean", noun::dialects::digitalocean},
    {"discord", noun::dialects::discord},
    {"django", noun::dialects::django},
    {"docker_hub", noun::dialects::docker_hub},
    {"envoy", noun::dialects::envoy},
    {"github", noun::dialects::github},
    {"gitlab", noun::dialects::gitlab},
    {"groq", noun::dialects::groq},
    {"hubspot", noun::dialects::hubspot},
    {"jira", noun::dialects::jira},
    {"json_api", noun::dialects::json_api},
    {"kong", noun::dialects::kong},
    {"linear", noun::dialects::linear},
    {"nginx", noun::dialects::nginx},
    {"notion", noun::dialects::notion},
    {"okta", noun::dialects::okta},
    {"openai", noun::dialects::openai},
    {"pagerduty", noun::dialects::pagerduty},
    {"plain", noun::dialects::plain},
    {"reddit", noun::dialects::reddit},
    {"sendgrid", noun::dialects::sendgrid},
    {"sentry", noun::dialects::sentry},
    {"sharepoint", noun::dialects::sharepoint},
    {"shopify", noun::dialects::shopify},
    {"slack", noun::dialects::slack},
    {"spotify", noun::dialects::spotify},
    {"strava", noun::dialects::strava},
    {"stripe", noun::dialects::stripe},
    {"x", noun::dialects::x},
    {"zendesk", noun::dialects::zendesk},
};

constexpr auto all_dialect_names = [] {
  std::array<std::string_view, std::size(dialect_rows)> all;
  std::transform(std::begin(dialect_rows), std::end(dialect_rows), all.begin(),
                 [](const DialectRow& row) { return row.name; });
  return all;
}();

}  // namespace

std::span<const std::string_view> dialect_names() { return all_dialect_names; }

std::optional<noun::Dialect> dialect_named(std::string_view name) {
  const auto row = std::find_if(std::begin(dialect_rows), std::end(dialect_rows),
                                [&](const DialectRow& each) { return each.name == name; });
  if (row == std::end(dialect_rows)) return std::nullopt;
  return row->make();
}

}  // namespace noun_export
