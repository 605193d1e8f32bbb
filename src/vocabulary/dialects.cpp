#include <noun/dialect.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>

#include <noun/paging.hpp>

namespace noun { inline namespace v0 {

std::string_view to_string(ResetForm form) noexcept {
  switch (form) {
    case ResetForm::automatic: return "automatic";
    case ResetForm::epoch_seconds: return "epoch_seconds";
    case ResetForm::epoch_milliseconds: return "epoch_milliseconds";
    case ResetForm::delta_seconds: return "delta_seconds";
    case ResetForm::delta_milliseconds: return "delta_milliseconds";
    case ResetForm::http_date: return "http_date";
    case ResetForm::rfc3339: return "rfc3339";
    case ResetForm::duration_text: return "duration_text";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, ResetForm form) { return out << to_string(form); }

namespace dialects {
namespace {

using std::chrono::seconds;
using Statuses = std::span<const int>;

/// As QuotaHeaders.
struct QuotaRow {
  std::string_view name = {};
  std::string_view limit = {};
  std::string_view remaining = {};
  std::string_view reset = {};
  ResetForm reset_form = ResetForm::automatic;
  std::string_view used = {};
  std::string_view used_of_limit = {};
  std::string_view retry_after = {};
  ResetForm retry_after_form = ResetForm::automatic;
  std::string_view prefix = {};
};

/// As BodySign.
struct SignRow {
  Statuses statuses;
  std::string_view pointer;
  std::string_view text;
  bool limited = true;
  bool permanent = false;
};

/// One preset; a header without a name is not read. The sources are named in <noun/dialect.hpp>.
struct Row {
  std::string_view name;
  std::span<const QuotaRow> quotas = {};
  std::string_view partition = {};
  bool by_route = false;
  std::string_view everywhere = {};
  bool common_spellings = false;
  Statuses limited_statuses = {};
  Statuses limited_if_exhausted = {};
  std::span<const SignRow> signs = {};
  std::string_view wait_pointer = {};
  Duration default_wait = Duration::zero();
  bool retry_after_on_success = false;
  std::string_view retry_verdict_header = {};
  /// Whether a create and a remove may succeed with 200.
  bool replies_ok = false;
};

constexpr int on_200[] = {200};
constexpr int on_400[] = {400};
constexpr int on_403[] = {403};
constexpr int on_429[] = {429};
constexpr int on_503[] = {503};
constexpr int on_429_and_503[] = {429, 503};
constexpr int on_429_and_529[] = {429, 529};

template <ResetForm form>
constexpr QuotaRow trio[] = {{.limit = "X-RateLimit-Limit",
                              .remaining = "X-RateLimit-Remaining",
                              .reset = "X-RateLimit-Reset",
                              .reset_form = form}};

template <ResetForm form>
constexpr QuotaRow hyphenated_trio[] = {{.limit = "X-Rate-Limit-Limit",
                                         .remaining = "X-Rate-Limit-Remaining",
                                         .reset = "X-Rate-Limit-Reset",
                                         .reset_form = form}};

/// The separate fields of the first IETF drafts.
template <ResetForm form>
constexpr QuotaRow draft_trio[] = {{.limit = "RateLimit-Limit",
                                    .remaining = "RateLimit-Remaining",
                                    .reset = "RateLimit-Reset",
                                    .reset_form = form}};

constexpr QuotaRow trio_of_requests[] = {{.limit = "X-RateLimit-Limit-Requests",
                                          .remaining = "X-RateLimit-Remaining-Requests",
                                          .reset = "X-RateLimit-Reset-Requests",
                                          .reset_form = ResetForm::duration_text}};

constexpr QuotaRow gitlab_quotas[] = {draft_trio<ResetForm::epoch_seconds>[0],
                                      {.reset = "RateLimit-ResetTime", .reset_form = ResetForm::http_date}};
constexpr QuotaRow shopify_quotas[] = {{.used_of_limit = "X-Shopify-Shop-Api-Call-Limit"}};
constexpr QuotaRow discord_quotas[] = {{.limit = "X-RateLimit-Limit",
                                        .remaining = "X-RateLimit-Remaining",
                                        .reset = "X-RateLimit-Reset-After",
                                        .reset_form = ResetForm::delta_seconds},
                                       {.reset = "X-RateLimit-Reset", .reset_form = ResetForm::epoch_seconds}};
constexpr QuotaRow reddit_quotas[] = {{.remaining = "X-Ratelimit-Remaining",
                                       .reset = "X-Ratelimit-Reset",
                                       .reset_form = ResetForm::delta_seconds}};
constexpr QuotaRow zendesk_quotas[] = {draft_trio<ResetForm::delta_seconds>[0],
                                       {.limit = "X-Rate-Limit", .remaining = "X-Rate-Limit-Remaining"}};
constexpr QuotaRow hubspot_quotas[] = {
    {.limit = "X-HubSpot-RateLimit-Max",
     .remaining = "X-HubSpot-RateLimit-Remaining",
     .reset = "X-HubSpot-RateLimit-Interval-Milliseconds",
     .reset_form = ResetForm::delta_milliseconds},
    {.name = "daily", .limit = "X-HubSpot-RateLimit-Daily", .remaining = "X-HubSpot-RateLimit-Daily-Remaining"}};
constexpr QuotaRow linear_quotas[] = {{.limit = "X-RateLimit-Requests-Limit",
                                       .remaining = "X-RateLimit-Requests-Remaining",
                                       .reset = "X-RateLimit-Requests-Reset",
                                       .reset_form = ResetForm::epoch_milliseconds}};
constexpr QuotaRow docker_hub_quotas[] = {{.limit = "RateLimit-Limit", .remaining = "RateLimit-Remaining"}};
constexpr QuotaRow openai_quotas[] = {
    trio_of_requests[0],
    {.retry_after = "Retry-After-Ms", .retry_after_form = ResetForm::delta_milliseconds}};
constexpr QuotaRow anthropic_quotas[] = {{.limit = "Anthropic-RateLimit-Requests-Limit",
                                          .remaining = "Anthropic-RateLimit-Requests-Remaining",
                                          .reset = "Anthropic-RateLimit-Requests-Reset",
                                          .reset_form = ResetForm::rfc3339}};
constexpr QuotaRow sentry_quotas[] = {{.limit = "X-Sentry-Rate-Limit-Limit",
                                       .remaining = "X-Sentry-Rate-Limit-Remaining",
                                       .reset = "X-Sentry-Rate-Limit-Reset",
                                       .reset_form = ResetForm::epoch_seconds}};
constexpr QuotaRow azure_resource_manager_quotas[] = {{.prefix = "x-ms-ratelimit-remaining-"}};
constexpr QuotaRow strava_quotas[] = {
    {.limit = "X-RateLimit-Limit", .used = "X-RateLimit-Usage"},
    {.name = "read", .limit = "X-ReadRateLimit-Limit", .used = "X-ReadRateLimit-Usage"}};
constexpr QuotaRow kong_quotas[] = {
    draft_trio<ResetForm::delta_seconds>[0],
    {.name = "second", .limit = "X-RateLimit-Limit-Second", .remaining = "X-RateLimit-Remaining-Second"},
    {.name = "minute", .limit = "X-RateLimit-Limit-Minute", .remaining = "X-RateLimit-Remaining-Minute"},
    {.name = "hour", .limit = "X-RateLimit-Limit-Hour", .remaining = "X-RateLimit-Remaining-Hour"},
    {.name = "day", .limit = "X-RateLimit-Limit-Day", .remaining = "X-RateLimit-Remaining-Day"}};

constexpr SignRow github_signs[] = {{on_403, "/message", "secondary rate limit"},
                                    {on_200, "/errors/0/type", "RATE_LIMITED"}};
constexpr SignRow openai_signs[] = {{on_429, "/error/code", "insufficient_quota", false, true}};
constexpr SignRow stripe_signs[] = {{on_429, "/error/code", "lock_timeout", false}};
constexpr SignRow slack_signs[] = {{on_200, "/error", "ratelimited"}};
constexpr SignRow linear_signs[] = {{on_400, "/errors/0/extensions/code", "RATELIMITED"}};
constexpr SignRow azure_resource_manager_signs[] = {
    {on_429, "/error/code", "RetryableErrorDueToAnotherOperation", false}};

constexpr Row rows[] = {
    {.name = "github",
     .quotas = trio<ResetForm::epoch_seconds>,
     .partition = "X-RateLimit-Resource",
     .limited_if_exhausted = on_403,
     .signs = github_signs,
     .default_wait = seconds(60)},
    {.name = "gitlab",
     .quotas = gitlab_quotas,
     .partition = "RateLimit-Name"},
    {.name = "stripe",
     .signs = stripe_signs,
     .retry_verdict_header = "Stripe-Should-Retry",
     .replies_ok = true},
    {.name = "shopify", .quotas = shopify_quotas},
    {.name = "discord",
     .quotas = discord_quotas,
     .partition = "X-RateLimit-Bucket",
     .everywhere = "X-RateLimit-Global",
     .wait_pointer = "/retry_after"},
    {.name = "slack", .by_route = true, .signs = slack_signs, .replies_ok = true},
    {.name = "x", .quotas = hyphenated_trio<ResetForm::epoch_seconds>, .by_route = true},
    {.name = "reddit", .quotas = reddit_quotas},
    {.name = "okta", .quotas = hyphenated_trio<ResetForm::epoch_seconds>},
    {.name = "auth0", .quotas = trio<ResetForm::epoch_seconds>},
    {.name = "jira", .quotas = trio<ResetForm::rfc3339>},
    {.name = "zendesk", .quotas = zendesk_quotas},
    {.name = "hubspot", .quotas = hubspot_quotas},
    {.name = "notion", .limited_statuses = on_429_and_529, .replies_ok = true},
    {.name = "asana"},
    {.name = "airtable", .default_wait = seconds(30), .replies_ok = true},
    {.name = "linear",
     .quotas = linear_quotas,
     .signs = linear_signs,
     .replies_ok = true},
    {.name = "cloudflare"},
    {.name = "digitalocean", .quotas = draft_trio<ResetForm::epoch_seconds>},
    {.name = "docker_hub", .quotas = docker_hub_quotas},
    {.name = "openai",
     .quotas = openai_quotas,
     .signs = openai_signs,
     .retry_verdict_header = "X-Should-Retry",
     .replies_ok = true},
    {.name = "groq", .quotas = trio_of_requests, .replies_ok = true},
    {.name = "anthropic",
     .quotas = anthropic_quotas,
     .limited_statuses = on_429_and_529,
     .replies_ok = true},
    {.name = "sendgrid", .quotas = trio<ResetForm::epoch_seconds>},
    {.name = "sentry", .quotas = sentry_quotas},
    {.name = "datadog",
     .quotas = trio<ResetForm::delta_seconds>,
     .partition = "X-RateLimit-Name"},
    {.name = "pagerduty", .quotas = draft_trio<ResetForm::delta_seconds>},
    {.name = "spotify"},
    {.name = "azure_devops", .retry_after_on_success = true},
    {.name = "azure_resource_manager",
     .quotas = azure_resource_manager_quotas,
     .signs = azure_resource_manager_signs},
    {.name = "strava", .quotas = strava_quotas},
    {.name = "kong", .quotas = kong_quotas},
    {.name = "envoy", .quotas = trio<ResetForm::delta_seconds>},
    {.name = "sharepoint",
     .quotas = draft_trio<ResetForm::delta_seconds>,
     .limited_if_exhausted = on_503},
    {.name = "nginx",
     .quotas = trio<ResetForm::automatic>,
     .common_spellings = true,
     .limited_statuses = on_429_and_503},
    {.name = "aspnet",
     .quotas = trio<ResetForm::automatic>,
     .common_spellings = true,
     .limited_statuses = on_429_and_503},
};

/// Does not compile if no row has this name.
consteval const Row& row_of(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &Row::name);
  if (found == std::end(rows)) throw name;
  return *found;
}

QuotaHeaders quota_of(const QuotaRow& row) {
  QuotaHeaders headers;
  headers.name = row.name;
  headers.limit = row.limit;
  headers.remaining = row.remaining;
  headers.reset = row.reset;
  headers.reset_form = row.reset_form;
  headers.used = row.used;
  headers.used_of_limit = row.used_of_limit;
  headers.retry_after = row.retry_after;
  headers.retry_after_form = row.retry_after_form;
  headers.prefix = row.prefix;
  return headers;
}

std::vector<int> list_of(Statuses statuses) { return {statuses.begin(), statuses.end()}; }

Dialect dialect_of(const Row& row) {
  Dialect dialect;
  dialect.name = row.name;
  dialect.quotas.clear();
  for (const auto& quota : row.quotas) dialect.quotas.push_back(quota_of(quota));
  dialect.partition_header = row.partition;
  dialect.quota_by_route = row.by_route;
  dialect.everywhere_header = row.everywhere;
  dialect.common_spellings = row.common_spellings;
  if (!row.limited_statuses.empty()) dialect.limited_statuses = list_of(row.limited_statuses);
  dialect.limited_if_exhausted = list_of(row.limited_if_exhausted);
  for (const auto& sign : row.signs)
    dialect.body_signs.push_back(
        {list_of(sign.statuses), std::string(sign.pointer), std::string(sign.text), sign.limited, sign.permanent});
  dialect.wait_pointer = row.wait_pointer;
  dialect.default_wait = row.default_wait;
  dialect.retry_after_on_success = row.retry_after_on_success;
  dialect.retry_verdict_header = row.retry_verdict_header;
  if (row.replies_ok) {
    dialect.create_statuses = {200, 201};
    dialect.remove_statuses = {200, 204};
  }
  return dialect;
}

Dialect paged(Dialect dialect, Paging paging) {
  dialect.paging = std::move(paging);
  return dialect;
}

Dialect polled(Dialect dialect, Polling polling) {
  dialect.polling = std::move(polling);
  return dialect;
}

}  // namespace

Dialect plain() { return Dialect(); }

Dialect github() {
  Dialect dialect = dialect_of(row_of("github"));
  dialect.paging.style = paging::LinkHeader{};
  dialect.request_id_headers = {"X-GitHub-Request-Id"};
  dialect.polling = polling::github_statistics();
  dialect.not_modified_cost = 0;
  dialect.poll_interval_header = "X-Poll-Interval";
  dialect.etag_depends_on_credentials = true;
  return dialect;
}

Dialect gitlab() {
  return paged(dialect_of(row_of("gitlab")),
               {.style = paging::LinkHeader{}, .totals = {.items_header = "X-Total", .pages_header = "X-Total-Pages"}});
}

Dialect stripe() { return paged(dialect_of(row_of("stripe")), paging::stripe()); }
Dialect shopify() { return dialect_of(row_of("shopify")); }
Dialect discord() { return dialect_of(row_of("discord")); }
Dialect slack() { return dialect_of(row_of("slack")); }
Dialect x() { return paged(dialect_of(row_of("x")), paging::x()); }
Dialect reddit() { return paged(dialect_of(row_of("reddit")), paging::reddit()); }
Dialect okta() { return paged(dialect_of(row_of("okta")), {.style = paging::LinkHeader{}}); }
Dialect auth0() { return dialect_of(row_of("auth0")); }
Dialect jira() { return dialect_of(row_of("jira")); }
Dialect zendesk() { return dialect_of(row_of("zendesk")); }
Dialect hubspot() { return paged(dialect_of(row_of("hubspot")), paging::hubspot()); }
Dialect notion() { return paged(dialect_of(row_of("notion")), paging::notion()); }
Dialect asana() { return dialect_of(row_of("asana")); }
Dialect airtable() { return paged(dialect_of(row_of("airtable")), paging::airtable()); }
Dialect linear() { return dialect_of(row_of("linear")); }
Dialect cloudflare() { return dialect_of(row_of("cloudflare")); }
Dialect digitalocean() { return dialect_of(row_of("digitalocean")); }
Dialect docker_hub() { return dialect_of(row_of("docker_hub")); }
Dialect openai() {
  auto dialect = polled(dialect_of(row_of("openai")), polling::openai());
  dialect.stream = {.end_marker = "[DONE]",
                    .end_events = {"response.completed", "response.incomplete"},
                    .error_events = {"error", "response.failed"}};
  return dialect;
}
Dialect groq() { return dialect_of(row_of("groq")); }
Dialect anthropic() {
  Dialect dialect = dialect_of(row_of("anthropic"));
  dialect.stream = {.end_events = {"message_stop"}, .error_events = {"error"}};
  return dialect;
}
Dialect sendgrid() { return dialect_of(row_of("sendgrid")); }
Dialect sentry() { return paged(dialect_of(row_of("sentry")), {.style = paging::LinkHeader{}}); }
Dialect datadog() { return dialect_of(row_of("datadog")); }
Dialect pagerduty() { return dialect_of(row_of("pagerduty")); }
Dialect spotify() { return dialect_of(row_of("spotify")); }
Dialect azure_devops() { return dialect_of(row_of("azure_devops")); }
Dialect azure_resource_manager() {
  return polled(dialect_of(row_of("azure_resource_manager")), polling::azure());
}
Dialect strava() { return dialect_of(row_of("strava")); }
Dialect kong() { return dialect_of(row_of("kong")); }
Dialect envoy() { return dialect_of(row_of("envoy")); }
Dialect sharepoint() { return paged(dialect_of(row_of("sharepoint")), paging::odata()); }
Dialect nginx() { return dialect_of(row_of("nginx")); }
Dialect aspnet() { return dialect_of(row_of("aspnet")); }

Dialect django() {
  Dialect dialect;
  dialect.name = "django";
  dialect.trailing_slash = true;
  dialect.paging = paging::drf();
  return dialect;
}

Dialect json_api() {
  Dialect dialect;
  dialect.name = "json_api";
  dialect.member = {.reply = "/data", .request = "/data"};
  dialect.paging = paging::json_api();
  for (auto* type : {&dialect.accept, &dialect.content_type, &dialect.patch_content_type})
    *type = "application/vnd.api+json";
  return dialect;
}

}}}  // namespace noun::dialects
