#pragma once
/// @file
/// Dialects of well-known APIs, to use as they are or to change in a copy. A preset says how the API reports its rate
/// limits and, if all of its lists are paged in the same way, how. Success statuses are those of plain(). For other
/// paging there is noun::paging (<noun/paging.hpp>): `dialect.paging = noun::paging::slack("channels");`.
/// Each docstring names its sources and the day on which a copy of them was read. APIs change: check a detail before
/// you rely on it.
///
/// What to write for an API whose rate limiter is known, but not the API itself:
///
/// | limiter | dialect |
/// |---|---|
/// | express-rate-limit: all `standardHeaders`, `legacyHeaders` | `Dialect{}` |
/// | NestJS throttler: one, or several with names | `Dialect{}` |
/// | koa-ratelimit: by default, or with the headers of its README | `Dialect{}` |
/// | Laravel `throttle` | `Dialect{}` |
/// | Flask-Limiter, with or without its headers | `Dialect{}` |
/// | Django REST framework | `Dialect{}`; it reports only Retry-After |
/// | rack-attack, also with the headers of its README | `Dialect{}`; by default it reports only 429 |
/// | Spring with Bucket4j | `Dialect{}` |
/// | Spring Cloud Gateway | `quotas` as below |
/// | AspNetCoreRateLimit | `Dialect{}` |
/// | ASP.NET Core | noun::dialects::aspnet(); `Dialect{}` where its `RejectionStatusCode` is 429 |
/// | nginx `limit_req` | noun::dialects::nginx(); `Dialect{}` where its `limit_req_status` is 429 |
/// | Kong, Envoy | noun::dialects::kong(), noun::dialects::envoy(); `Dialect{}` reads the same |
///
/// If the API has headers of its own, name them in Dialect::quotas. For Spring Cloud Gateway:
///
///     noun::Dialect dialect;
///     dialect.quotas = {{.limit = "X-RateLimit-Burst-Capacity",
///                        .remaining = "X-RateLimit-Remaining",
///                        .refill_per_second = "X-RateLimit-Replenish-Rate"}};

#include <noun/dialect.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace dialects {

/// The plain convention: X-RateLimit-Limit, -Remaining and -Reset and their other common spellings
/// (Dialect::common_spellings), Retry-After, Link, 201, 204.
NOUN_API Dialect plain();
/// GitHub REST API: reset in epoch seconds, and a partition for each resource. A 403 is a rejection too if it reports
/// that nothing remains, carries Retry-After, or names a secondary rate limit. Without a reported wait it is a minute.
/// @source https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
///         github.com/octokit/request-error.js, README.md (2026-11-23)
NOUN_API Dialect github();
/// GitLab: reset in epoch seconds in the fields of the first IETF drafts, and a partition for each named throttle.
/// Paging by Link, which offset and keyset paging have; noun::paging::gitlab() is by page number.
/// @source https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ (2026-11-23)
NOUN_API Dialect gitlab();
/// Stripe: no counts. Stripe-Should-Retry says whether to repeat a failed request. A lock timeout (429) is not a rate
/// limit. Paging as noun::paging::stripe().
/// @source https://docs.stripe.com/rate-limits,
///         github.com/stripe/stripe-python, stripe/_http_client.py (2026-11-23)
NOUN_API Dialect stripe();
/// Shopify REST Admin API: a bucket, as used/size. Each resource has its items under a name of its own: set
/// `paging.items`.
/// @source https://shopify.dev/docs/api/admin-rest/usage/rate-limits (2026-11-23)
NOUN_API Dialect shopify();
/// Discord: a partition for each bucket of routes. The body of a 429 reports the wait more precisely than Retry-After.
/// Discord also counts separately for each channel, guild and webhook, which noun does not: give busy ones clients with
/// identities of their own. Not all lists are paged: for those that are, noun::paging::discord().
/// @source https://docs.discord.com/developers/topics/rate-limits (2026-11-23)
NOUN_API Dialect discord();
/// Slack: only Retry-After. Some limits are reported in the body of a 200, as the error `ratelimited`. For paging,
/// noun::paging::slack().
/// @source https://docs.slack.dev/apis/web-api/rate-limits,
///         https://docs.slack.dev/reference/methods (2026-11-23)
NOUN_API Dialect slack();
/// X: reset in epoch seconds. Paging as noun::paging::x().
/// @source https://docs.x.com/fundamentals/rate-limits (2026-11-23)
NOUN_API Dialect x();
/// Reddit: what remains, with fractions, and reset in delta seconds. Paging as noun::paging::reddit().
/// @source https://support.reddithelp.com/hc/en-us/articles/16160319875092-Reddit-Data-API-Wiki (2026-11-23)
NOUN_API Dialect reddit();
/// Okta: reset in epoch seconds. Paging by Link.
/// @source https://developer.okta.com/docs/reference/rl2-monitor/ (2026-11-23)
NOUN_API Dialect okta();
/// Auth0 Management API: reset in epoch seconds.
/// @source https://community.auth0.com/t/82103,
///         github.com/auth0/auth0.net, src/Auth0.Core/Exceptions/RateLimit.cs (2026-11-23)
NOUN_API Dialect auth0();
/// Jira and Confluence Cloud: the burst limit of an endpoint in the X-RateLimit fields, and the points of an hour, of
/// which a request takes at least one, in RateLimit. Beta-RateLimit is not read: those limits are not enforced. For
/// paging, noun::paging::start_at(), jira_token() or confluence().
/// @source https://developer.atlassian.com/cloud/jira/platform/rate-limiting/ (2026-11-23)
NOUN_API Dialect jira();
/// Zendesk: the account's limit, in both spellings. Limits of single endpoints are not read: most requests do not count
/// toward them. For paging, noun::paging::zendesk_cursor().
/// @source https://developer.zendesk.com/api-reference/introduction/rate-limits/ (2026-11-23)
NOUN_API Dialect zendesk();
/// HubSpot: a rolling interval, whose length is reported in place of a reset, and the day. The Secondly fields are not
/// read: their limit is no longer enforced. Paging as noun::paging::hubspot().
/// @source https://developers.hubspot.com/docs/api/usage-details (2026-11-23)
NOUN_API Dialect hubspot();
/// Notion: only Retry-After; 529 (overload) as well as 429. Paging as noun::paging::notion().
/// @source https://developers.notion.com/reference/request-limits (2026-11-23)
NOUN_API Dialect notion();
/// Asana: only Retry-After. For paging, noun::paging::asana().
/// @source https://developers.asana.com/docs/rate-limits (2026-11-23)
NOUN_API Dialect asana();
/// Airtable: nothing is reported; the wait after a rejection is 30 seconds. Paging as noun::paging::airtable().
/// @source https://support.airtable.com/docs/managing-api-call-limits-in-airtable (2026-11-23)
NOUN_API Dialect airtable();
/// Linear: reset in epoch milliseconds. A rejection is a 400 whose body has the code RATELIMITED. Complexity is not
/// read: it does not count requests. For paging, noun::paging::graphql().
/// @source https://linear.app/developers/rate-limiting,
///         github.com/linear/linear, packages/sdk/src/error.ts (2026-11-23)
NOUN_API Dialect linear();
/// Cloudflare API: the structured fields of the IETF drafts. For paging, noun::paging::cloudflare().
/// @source https://developers.cloudflare.com/fundamentals/api/reference/limits/ (2026-11-23)
NOUN_API Dialect cloudflare();
/// DigitalOcean: reset in epoch seconds in the fields of the first IETF drafts; only the oldest request expires then,
/// each of the others an hour after it was made. For paging, noun::paging::digitalocean().
/// @source https://docs.digitalocean.com/reference/api/,
///         github.com/digitalocean/openapi, specification/description.yml (2026-11-23)
NOUN_API Dialect digitalocean();
/// Docker Hub, pulls: counts with a window, and no reset.
/// @source https://docs.docker.com/docker-hub/usage/pulls/ (2026-11-23)
NOUN_API Dialect docker_hub();
/// OpenAI: requests, with reset as duration text. Retry-After-Ms comes before Retry-After, and X-Should-Retry says
/// whether to repeat a failed request. Tokens are not read: they do not count requests. For paging,
/// noun::paging::openai().
/// @source https://platform.openai.com/docs/guides/rate-limits,
///         github.com/openai/openai-python, src/openai/_base_client.py (2026-11-23)
NOUN_API Dialect openai();
/// Groq: as openai(), with the requests of a day, and without Retry-After-Ms and X-Should-Retry.
/// @source https://console.groq.com/docs/rate-limits (2026-11-23)
NOUN_API Dialect groq();
/// Anthropic: requests, with reset as RFC 3339; 529 (overload) as well as 429. Tokens are not read: they do not count
/// requests. For paging, noun::paging::anthropic().
/// @source https://platform.claude.com/docs/en/api/rate-limits,
///         https://platform.claude.com/docs/en/api/errors (2026-11-23)
NOUN_API Dialect anthropic();
/// SendGrid: reset in epoch seconds.
/// @source https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits (2026-11-23)
NOUN_API Dialect sendgrid();
/// Sentry: reset in epoch seconds. The concurrency limit is not read: it does not count requests. Paging by Link.
/// @source https://docs.sentry.io/api/ratelimits/ (2026-11-23)
NOUN_API Dialect sentry();
/// Datadog: reset in delta seconds, and a partition for each named limit.
/// @source https://docs.datadoghq.com/api/latest/rate-limits/ (2026-11-23)
NOUN_API Dialect datadog();
/// PagerDuty: reset in delta seconds in the fields of the first IETF drafts. For paging, noun::paging::pagerduty().
/// @source https://support.pagerduty.com/main/docs/rest-api-rate-limits (2026-11-23)
NOUN_API Dialect pagerduty();
/// Spotify: only Retry-After.
/// @source https://developer.spotify.com/documentation/web-api/concepts/rate-limits (2026-11-23)
NOUN_API Dialect spotify();
/// Azure DevOps: Retry-After, also on a success. The counts are not read: they are throughput units, not requests.
/// @source https://learn.microsoft.com/en-us/azure/devops/integrate/concepts/rate-limits (2026-11-23)
NOUN_API Dialect azure_devops();
/// Azure Resource Manager: a quota for each x-ms-ratelimit-remaining field and for each policy in it. Each of them
/// limits every request: use a client for reads and another for writes if these must be counted separately. A 429 with
/// the code RetryableErrorDueToAnotherOperation is not a rate limit. For paging, noun::paging::azure().
/// @source https://learn.microsoft.com/en-us/azure/azure-resource-manager/management/request-limits-and-throttling (2026-11-23)
NOUN_API Dialect azure_resource_manager();
/// Kong Gateway with its rate limiting plugin: reset in delta seconds, and a quota for each window up to a day.
/// @source https://developer.konghq.com/plugins/rate-limiting/,
///         github.com/Kong/kong, kong/plugins/rate-limiting/handler.lua (2026-11-23)
NOUN_API Dialect kong();
/// Envoy with `enable_x_ratelimit_headers`: reset in delta seconds.
/// @source https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/filters/http/ratelimit/v3/rate_limit.proto (2026-11-23)
NOUN_API Dialect envoy();
/// SharePoint and OneDrive: reset in delta seconds in the fields of the first IETF drafts. The counts are resource
/// units, of which a request takes at least one. A 503 is a rejection too if it carries Retry-After. Paging as
/// noun::paging::odata().
/// @source https://learn.microsoft.com/en-us/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online (2026-11-23)
NOUN_API Dialect sharepoint();
/// nginx with `limit_req`, which reports nothing: as plain, with 503 as well as 429. A request rejected with either was
/// not processed and is repeated, a POST too. Use plain() if the application behind nginx returns 503 for other
/// reasons.
/// @source https://nginx.org/en/docs/http/ngx_http_limit_req_module.html (2026-11-23)
NOUN_API Dialect nginx();
/// The rate limiter of ASP.NET Core, which reports only what the application adds: as plain, with 503 as well as 429. A
/// request rejected with either was not processed and is repeated, a POST too. Use plain() if the application returns
/// 503 for other reasons.
/// @source https://learn.microsoft.com/en-us/dotnet/api/microsoft.aspnetcore.ratelimiting.ratelimiteroptions.rejectionstatuscode (2026-11-23)
NOUN_API Dialect aspnet();

}}}  // namespace noun::dialects
