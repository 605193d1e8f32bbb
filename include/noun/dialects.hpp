#pragma once
/// @file
/// Dialects of well-known services, ready to be used or to be changed in a copy. They say how a service tells of its
/// rate limits, and where all of its lists are paged alike, how; statuses of success are the plain ones. For other
/// paging there is noun::paging (<noun/paging.hpp>): `dialect.paging = noun::paging::slack("channels");`.
/// Services change: what is here was collected in November 2026, and each source is named; look again before you rely
/// on a detail.
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
/// | Django REST framework | `Dialect{}`; it reports Retry-After alone |
/// | rack-attack, also with the headers of its README | `Dialect{}`; by default it reports nothing but 429 |
/// | Spring with Bucket4j | `Dialect{}` |
/// | Spring Cloud Gateway | a copy with `rate_limit.limit` and `QuotaHeaders::refill_per_second` as below |
/// | AspNetCoreRateLimit | `Dialect{}` |
/// | ASP.NET Core | noun::dialects::aspnet(); `Dialect{}` where its `RejectionStatusCode` is 429 |
/// | nginx `limit_req` | noun::dialects::nginx(); `Dialect{}` where its `limit_req_status` is 429 |
/// | Kong, Envoy | noun::dialects::kong(), noun::dialects::envoy(); `Dialect{}` reads the same |
///
/// For headers of its own, name them in RateLimitHeaders, and in QuotaHeaders where there are several limits. For Spring
/// Cloud Gateway:
///
///     noun::Dialect dialect;
///     dialect.rate_limit.limit = "X-RateLimit-Burst-Capacity";
///     dialect.more_quotas = {{.refill_per_second = "X-RateLimit-Replenish-Rate"}};

#include <noun/dialect.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace dialects {

/// The plain convention: X-RateLimit-Limit, -Remaining and -Reset and the common spellings of the same
/// (RateLimitHeaders::common_spellings), Retry-After, Link, 201, 204.
NOUN_API Dialect plain();
/// The REST API of GitHub: as plain, with reset in epoch seconds, a count for each resource, 403 beside 429 for an
/// exhausted quota and for a secondary limit, and a minute of wait where it tells none.
/// @source https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
NOUN_API Dialect github();
/// GitLab: epoch seconds in the fields of the drafts, and a count for each named throttle. Paging by Link, which both
/// of its ways have; noun::paging::gitlab() is by page number.
/// @source https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/
NOUN_API Dialect gitlab();
/// Stripe: no numbers, a verdict on every error that could be tried again; a lock timeout is no limit. Paging as
/// noun::paging::stripe().
/// @source https://docs.stripe.com/rate-limits
NOUN_API Dialect stripe();
/// The REST API of Shopify: a bucket as used/limit. Its items are under names of their own: set `paging.items_pointer`.
/// @source https://shopify.dev/docs/api/admin-rest/usage/rate-limits
NOUN_API Dialect shopify();
/// Discord: a count for each route's bucket; the body says more finely how long to wait. Discord counts apart for each
/// channel, guild and webhook as well, which noun does not: give busy ones clients with identities of their own. Not
/// all of its lists are paged: for those that are, noun::paging::discord().
/// @source https://discord.com/developers/docs/topics/rate-limits
NOUN_API Dialect discord();
/// Slack: Retry-After alone; some limits are said in the body of a 200. For paging, noun::paging::slack().
/// @source https://docs.slack.dev/apis/web-api/rate-limits
NOUN_API Dialect slack();
/// X: epoch seconds. Paging as noun::paging::x().
/// @source https://docs.x.com/fundamentals/rate-limits
NOUN_API Dialect x();
/// Reddit: what remains, with fractions, and delta seconds. Paging as noun::paging::reddit().
/// @source https://github.com/reddit-archive/reddit/wiki/API
NOUN_API Dialect reddit();
/// Okta: epoch seconds. Paging by Link.
/// @source https://developer.okta.com/docs/reference/rl-best-practices/
NOUN_API Dialect okta();
/// The Management API of Auth0: epoch seconds.
/// @source https://auth0.com/docs/troubleshoot/customer-support/operational-policies/rate-limit-policy
NOUN_API Dialect auth0();
/// Jira and Confluence in the cloud: a burst in X-RateLimit fields, and points by the hour in Beta-RateLimit. For
/// paging, noun::paging::start_at(), jira_token() or confluence().
/// @source https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
NOUN_API Dialect jira();
/// Zendesk: the account's limit, in both spellings. Those of single endpoints are not read: most requests are not
/// counted by them. For paging, noun::paging::zendesk_cursor().
/// @source https://developer.zendesk.com/documentation/ticketing/using-the-zendesk-api/best-practices-for-avoiding-rate-limiting/
NOUN_API Dialect zendesk();
/// HubSpot: a rolling interval, of which the header tells the length, and the day. Paging as noun::paging::hubspot().
/// @source https://developers.hubspot.com/changelog/2018-11-06-rate-limit-information-headers-will-be-included-in-http-responses
NOUN_API Dialect hubspot();
/// Notion: Retry-After alone; 529 beside 429. Paging as noun::paging::notion().
/// @source https://developers.notion.com/reference/request-limits
NOUN_API Dialect notion();
/// Asana: Retry-After alone. For paging, noun::paging::asana().
/// @source https://developers.asana.com/docs/rate-limits
NOUN_API Dialect asana();
/// Airtable: nothing is told; 30 seconds of wait after a rejection. Paging as noun::paging::airtable().
/// @source https://support.airtable.com/docs/managing-api-call-limits-in-airtable
NOUN_API Dialect airtable();
/// Linear: epoch milliseconds; a rejection is a 400 whose body says so. Complexity is not read: it is not requests. For
/// paging, noun::paging::graphql().
/// @source https://linear.app/developers/rate-limiting
NOUN_API Dialect linear();
/// The API of Cloudflare: the structured fields of the drafts. For paging, noun::paging::cloudflare().
/// @source https://developers.cloudflare.com/fundamentals/api/reference/limits/
NOUN_API Dialect cloudflare();
/// DigitalOcean: epoch seconds in the fields of the drafts. For paging, noun::paging::digitalocean().
/// @source https://docs.digitalocean.com/notes/2023/api-rate-limit/
NOUN_API Dialect digitalocean();
/// Docker Hub, pulls: counts with a window, and no reset.
/// @source https://docs.docker.com/docker-hub/usage/pulls/
NOUN_API Dialect docker_hub();
/// OpenAI: requests, with duration text. Tokens are not read: no request takes one of them. For paging,
/// noun::paging::openai().
/// @source https://platform.openai.com/docs/guides/rate-limits
NOUN_API Dialect openai();
/// Groq: as openai(), without a verdict on trying again.
/// @source https://console.groq.com/docs/rate-limits
NOUN_API Dialect groq();
/// Anthropic: requests, with RFC 3339; 529 beside 429. Tokens are not read: no request takes one of them. For paging,
/// noun::paging::anthropic().
/// @source https://docs.anthropic.com/en/api/rate-limits
NOUN_API Dialect anthropic();
/// SendGrid: epoch seconds.
/// @source https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits
NOUN_API Dialect sendgrid();
/// Sentry: epoch seconds. What runs at the same time is not read: it is not requests. Paging by Link.
/// @source https://docs.sentry.io/api/ratelimits/
NOUN_API Dialect sentry();
/// Datadog: delta seconds, and a count for each named limit.
/// @source https://docs.datadoghq.com/api/latest/rate-limits/
NOUN_API Dialect datadog();
/// PagerDuty: delta seconds in the fields of the drafts. For paging, noun::paging::pagerduty().
/// @source https://support.pagerduty.com/main/docs/rest-api-rate-limits
NOUN_API Dialect pagerduty();
/// Spotify: Retry-After alone.
/// @source https://developer.spotify.com/documentation/web-api/concepts/rate-limits
NOUN_API Dialect spotify();
/// Azure DevOps: Retry-After, also on a success. Its numbers are not read: they are not requests.
/// @source https://learn.microsoft.com/en-us/azure/devops/integrate/concepts/rate-limits
NOUN_API Dialect azure_devops();
/// Azure Resource Manager: a count for each x-ms-ratelimit-remaining field and each policy in them. All of them hold
/// back every request: where reads and writes are to be counted apart, a client for each does that. For paging,
/// noun::paging::azure().
/// @source https://learn.microsoft.com/en-us/azure/azure-resource-manager/management/request-limits-and-throttling
NOUN_API Dialect azure_resource_manager();
/// The gateway Kong, with its plugin for rate limits: delta seconds, and a count for each window.
/// @source https://developer.konghq.com/plugins/rate-limiting/
NOUN_API Dialect kong();
/// The proxy Envoy, with its headers for rate limits switched on: delta seconds.
/// @source https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/filters/http/ratelimit/v3/rate_limit.proto
NOUN_API Dialect envoy();
/// SharePoint and OneDrive: delta seconds in the fields of the drafts; 503 beside 429 if it carries Retry-After. Paging
/// as noun::paging::odata().
/// @source https://learn.microsoft.com/en-us/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online
NOUN_API Dialect sharepoint();
/// nginx with `limit_req`, which reports nothing: as plain, with 503 beside 429. A request rejected with either was not
/// processed and is repeated, a POST too. Use plain() if the application behind nginx returns 503 for other reasons.
/// @source https://nginx.org/en/docs/http/ngx_http_limit_req_module.html
NOUN_API Dialect nginx();
/// The rate limiter of ASP.NET Core, which reports only what the application adds: as plain, with 503 beside 429. A
/// request rejected with either was not processed and is repeated, a POST too. Use plain() if the application returns
/// 503 for other reasons.
/// @source https://learn.microsoft.com/en-us/dotnet/api/microsoft.aspnetcore.ratelimiting.ratelimiteroptions.rejectionstatuscode
NOUN_API Dialect aspnet();

}}}  // namespace noun::dialects
