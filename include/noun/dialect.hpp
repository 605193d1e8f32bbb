#pragma once
/// @file
/// The conventions of one API as data: rate-limit headers, statuses, paging. `Dialect{}` has the most common ones.

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/paging.hpp>
#include <noun/polling.hpp>
#include <noun/streaming.hpp>
#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What the reset header counts.
enum class ResetForm {
  automatic,      ///< by its size: below 1e9 delta seconds, below 1e11 epoch seconds, below 1e14 epoch milliseconds,
                  ///< below 1e17 epoch microseconds; text as HTTP-date, RFC 3339 or duration
  epoch_seconds,  ///< since 1970-01-01T00:00:00Z; fractions are read
  epoch_milliseconds,
  delta_seconds,  ///< from receipt; fractions are read
  delta_milliseconds,
  http_date,      ///< RFC 9110, section 5.6.7
  rfc3339,        ///< 2026-03-26T16:00:00Z
  duration_text,  ///< 6m0s, 120ms
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operator as the stream.
NOUN_API std::string_view to_string(ResetForm form) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, ResetForm form);
/// @}

/// The names of the response headers that report one quota. A header whose name is empty is not read. Of a header with
/// several lines, or with the counts that a proxy has combined in one (`962, 0`), the smallest remaining count and
/// the latest reset are read. A comma without a space may separate thousands: such text is not read.
struct QuotaHeaders {
  /// The name of the quota policy; every request needs a permit of each policy. Unique in Dialect::quotas, at most 64
  /// printable ASCII characters. Entries without a name all describe the first quota: each fills in what the entries
  /// before it do not report.
  std::string name = {};
  std::string limit = {};                       ///< how many requests a window allows
  std::string remaining = {};                   ///< how many of them are left
  std::string reset = {};                       ///< when the window ends, as `reset_form` says
  ResetForm reset_form = ResetForm::automatic;  ///< what `reset` counts
  /// How many requests of a window were used; read together with `limit`, if `remaining` is not reported. Two lists of
  /// the same length report several quotas: `198,905` of `200,2000`. Each after the first is a separate quota, named by
  /// its place: `2`, or `calls/2` if `name` is `calls`.
  std::string used = {};
  /// The header with the requests used and allowed: `32/40`, or `api-usage=135/5000; per-app=17/250`, where each pair
  /// after the first is a separate quota.
  std::string used_of_limit = {};
  /// The refill rate of a token bucket, in requests per second; fractions are read.
  std::string refill_per_second = {};
  /// How long to wait, as `retry_after_form` says; read before Dialect::retry_after.
  std::string retry_after = {};
  /// What `retry_after` counts; automatic is delta seconds or a date.
  ResetForm retry_after_form = ResetForm::automatic;
  /// A prefix of header names. Each header with it reports a quota, named by the rest of the header's name: what
  /// remains (`11999`), or several values (`total=100; remaining=99; resets=41`). A list reports several quotas by
  /// name: `name;107, other;587`.
  std::string prefix = {};
};

/// A text in the JSON body of a response. It decides whether the response is a rejection because of the quota, if the
/// status alone does not.
struct BodySign {
  std::vector<int> statuses = {};  ///< of the responses that are examined; 200 to 599, at least one
  std::string pointer = {};        ///< the place of the text: a JSON pointer (RFC 6901)
  std::string text = {};           ///< what the text there contains; not empty
  /// Whether it means a rejection because of the quota. If not, a limited status has another reason: the request was
  /// not processed, and is retried as after a 425.
  bool limited = true;
  /// Whether no other attempt can succeed, as when an account has no credit: the response is a permanent error, whatever
  /// `limited` is.
  bool permanent = false;
};

/// The conventions of one API. noun::dialects has presets.
struct Dialect {
  /// Shown in messages and events.
  std::string name = "plain";
  /// Whether the path of a collection or item ends with a slash. The path of a noun::Request is sent as it is.
  bool trailing_slash = false;
  /// JSON pointers to keys of objects (RFC 6901); empty: the document is the member itself.
  struct Member {
    std::string reply = {};    ///< in the response to a verb other than `list`: `/data` reads T from `{"data": …}`
    std::string request = {};  ///< in the body of a request: `/data` sends `{"data": …}`; not around a JSON Patch
  };
  /// Where the member is in the bodies of create, replace, update and get. Items of a listing: Paging::items.
  Member member = {};
  /// The headers that report quotas. If several entries report the same value, the first counts.
  std::vector<QuotaHeaders> quotas = {
      {.limit = "X-RateLimit-Limit", .remaining = "X-RateLimit-Remaining", .reset = "X-RateLimit-Reset"}};
  /// The header that reports how long to wait: delta seconds or an HTTP-date. Read after QuotaHeaders::retry_after;
  /// empty for none.
  std::string retry_after = "Retry-After";
  /// The header that names the partition that counted the request, if the API counts some requests separately; empty
  /// for none. noun finds out from the responses which requests belong to which partition.
  std::string partition_header = {};
  /// Whether the API counts each route by itself under the same names: the requests of one method, to paths that differ
  /// in their ids only. Each of the first 255 is a partition, named by its first request; the others are one.
  bool quota_by_route = false;
  /// The header whose presence means that a rejection applies to all of the server's partitions, unless its value is
  /// `0` or `false`; empty for none.
  std::string everywhere_header = {};
  /// @{
  /// The names of the structured fields of the IETF drafts; empty for none. Each named limit in them is a separate
  /// quota, and every request needs a permit of each. A limit without a name belongs to the first quota: it fills in
  /// what `quotas` does not report.
  /// @source draft-ietf-httpapi-ratelimit-headers, revisions 04 to 11, and the names that its authors mean to give to
  ///         parameters after those.
  std::string structured = "RateLimit";
  std::string structured_policy = "RateLimit-Policy";
  /// @}
  /// Whether to read the other common spellings too. Has an effect only while the first entry of `quotas` has no name
  /// and the default `limit`, `remaining` and `reset`, and `retry_after` is the default. The `reset_form` of that entry
  /// applies to every reset. The other spellings:
  /// - `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`, the same with `X-Rate-Limit-`, and then with
  ///   `Rate-Limit-`; `Rate-Limit-Total` is a limit. They describe the first quota and fill what is missing, in this
  ///   order.
  /// - Each of these names and of the default ones with a suffix, `X-RateLimit-Remaining-Minute`. Each suffix is a
  ///   further quota policy, named by the suffix in lower case, if it reports a count of what remains. If it reports no
  ///   reset and no window, `second`, `minute`, `hour` and `day` are the length of the window. A suffix that names
  ///   another unit than requests, such as `tokens`, is not read.
  /// - `Retry-After-` with any suffix, `X-RateLimit-Retry-After` and `X-Rate-Limit-Retry-After`, also with a suffix, if
  ///   there is no `Retry-After`. The longest wait counts. With the suffix `Ms` or `Milliseconds` it is in
  ///   milliseconds, otherwise as Retry-After.
  /// @source express-rate-limit, NestJS throttler, Kong, koa-ratelimit, Spring with Bucket4j;
  ///         draft-ietf-httpapi-ratelimit-headers, revisions 00 to 06.
  bool common_spellings = true;
  /// A reset further ahead than this cannot be right and is ignored; greater than zero. If the server reports a longer
  /// wait before a poll of Client::finish(), or before a repetition by CallOptions::wait_until_ready, it is not started:
  /// the error is `refused`.
  Duration farthest_reset = std::chrono::hours(24);
  /// Statuses of a rejection because of the quota: the request was not processed. 400 to 599.
  std::vector<int> limited_statuses = {429};
  /// Further statuses of such a rejection, if the response also reports that nothing remains, or has Retry-After. 400
  /// to 599.
  std::vector<int> limited_if_exhausted = {};
  /// Texts in the body that decide whether a response is such a rejection. If several are present, the first counts.
  std::vector<BodySign> body_signs = {};
  /// Where the JSON body of a rejection reports how many seconds to wait: a JSON pointer to a number, read before the
  /// headers; empty for none.
  std::string wait_pointer = {};
  /// How long all calls wait after a rejection that reports no wait. Doubles with each further rejection, up to
  /// RetryPolicy::max_backoff or this value, whichever is longer. Zero means a second. Not negative.
  Duration default_wait = Duration::zero();
  /// Statuses of faults that may pass: the request is sent again, if it may be (RetryPolicy). Leave out those that the
  /// API sends for permanent errors, and add those that it recovers from. 400 to 599. 401, 421, 425 and the statuses of
  /// a rejection have rules of their own.
  std::vector<int> transient_statuses = {408, 500, 502, 503, 504};
  /// Whether Retry-After on a success asks for a pause before the next request.
  bool retry_after_on_success = false;
  /// The response header that reports how many seconds to wait until the next GET of the same URL; empty for none. The
  /// calls of a client wait so long, as for the quota (QuotaPolicy). The attempts of one call do not.
  std::string poll_interval_header = {};
  /// The response header that says `true` or `false`: whether to repeat the request, whatever the status. A POST or
  /// PATCH without an idempotency key is not repeated even if it says `true`.
  std::string retry_verdict_header = {};
  /// How listings are paged.
  Paging paging = {};
  /// How the streams of Client::stream() end.
  StreamRules stream = {};
  /// The method of a listing with a body (ListOptions::body): POST or QUERY. Both are repeated as a GET is; a cache
  /// stores the pages of a QUERY only.
  Method search_method = Method::post;
  /// How long-running operations are reported.
  Polling polling = {};
  /// @{
  /// Statuses of success by verb; any other 2xx is reported to the observer, and an error under `strict_statuses`. For
  /// a page of paging::ItemRange 206 is one too.
  std::vector<int> get_statuses = {200};
  std::vector<int> create_statuses = {201};
  std::vector<int> replace_statuses = {200, 201, 204};
  std::vector<int> update_statuses = {200, 204};
  std::vector<int> remove_statuses = {204};
  /// @}
  /// The Accept field of all requests, unless ClientOptions::headers or the call has one. A verb whose reply type is
  /// `void` reads nothing and accepts `*/*` too, with the weight 0.1.
  std::string accept = "application/json";
  /// The Content-Type of `create` and `replace`: application/json, or a type that ends in +json.
  std::string content_type = "application/json";
  /// The Content-Type of `update`: application/json, or a type that ends in +json, as application/merge-patch+json and
  /// application/json-patch+json do.
  std::string patch_content_type = "application/json";
  /// The request header of an idempotency key.
  std::string idempotency_header = "Idempotency-Key";
  /// Whether to retry a 409 to a request with an idempotency key: it means that the first request is still running.
  bool retry_conflict_with_key = false;
  /// Whether a 503, if it is transient, means that the request was not processed, so that any method may be repeated.
  bool unavailable_is_unprocessed = false;
  /// How many requests of the quota a 304 to a request with credentials takes: 0 or 1.
  int not_modified_cost = 1;
  /// Whether the ETag of a representation depends on the credentials, so that those of a renewed token match nothing.
  bool etag_depends_on_credentials = false;
  /// Whether a cache may ask by date (If-Modified-Since) about what has no ETag. A response may then be older than the
  /// resource: a date has whole seconds, and at many servers that of a list stays when an item is added or removed.
  bool validates_by_date = false;
  /// Whether CallOptions::if_match may be a weak ETag (`W/"…"`): by RFC 9110 it never matches, but OData services, such as
  /// Dataverse and Planner, have no others.
  /// @source https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/perform-conditional-operations-using-web-api
  bool weak_if_match = false;
  /// Response headers that may name the request, in order of preference.
  TextList request_id_headers = {"X-Request-Id", "Request-Id", "X-Correlation-Id"};
};

/// Presets for well-known APIs and rate limiters. "Paging as f()" means that the preset includes it. "For paging, f()"
/// means that lists differ: set Dialect::paging to f() of noun::paging. Services that reply 200 to a create or a remove
/// (Stripe, Slack, Notion, Airtable, Linear, OpenAI, Groq, Anthropic) have it in Dialect::create_statuses and
/// remove_statuses. A date says when a source was read.
namespace dialects {

/// The plain convention: X-RateLimit-Limit, -Remaining and -Reset and their other common spellings
/// (Dialect::common_spellings), Retry-After, Link, 201, 204.
NOUN_API Dialect plain();
/// GitHub REST API: reset in epoch seconds, and a partition for each resource. A 403 is a rejection too if it reports
/// that nothing remains, carries Retry-After, or names a secondary rate limit. Without a reported wait it is a minute.
/// A 304 to a request with credentials costs nothing, and ETags depend on the token. X-Poll-Interval is obeyed: events
/// and notifications are not requested more often. Polling as noun::polling::github_statistics().
/// @source https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
///         github.com/octokit/request-error.js, README.md (2026-11-23);
///         https://docs.github.com/en/rest/activity/events;
///         https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api,
///         github.com/eclipse-csi/otterdog, issue 201 (2026-11-28)
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
/// identities of their own. X-RateLimit-Scope is not read: it adds to the bucket and to X-RateLimit-Global only whether
/// others use the resource too. Not all lists are paged: for those that are, noun::paging::discord().
/// @source https://docs.discord.com/developers/topics/rate-limits (2026-11-23)
NOUN_API Dialect discord();
/// Slack: only Retry-After. Each method of the API has a limit of its own. Some limits are reported in the body of a 200,
/// as the error `ratelimited`. For paging, noun::paging::slack().
/// @source https://docs.slack.dev/apis/web-api/rate-limits,
///         https://docs.slack.dev/reference/methods (2026-11-23)
NOUN_API Dialect slack();
/// X: reset in epoch seconds. Each endpoint has a limit of its own. Paging as noun::paging::x().
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
/// which a request takes at least one, in RateLimit. Beta-RateLimit is not read: those limits are not enforced. Nor is
/// RateLimit-Reason, which names the limit of a rejection: a success has none, so that noun cannot find out which
/// requests the limit of an endpoint or of an issue counts. A rejection applies to all requests of the client. For
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
/// whether to repeat a failed request. Tokens are not read: how many a request takes is not known before its response.
/// A rejection because of them waits as it reports. For paging, noun::paging::openai(). Polling as
/// noun::polling::openai().
/// @source https://platform.openai.com/docs/guides/rate-limits,
///         github.com/openai/openai-python, src/openai/_base_client.py (2026-11-23)
NOUN_API Dialect openai();
/// Groq: as openai(), with the requests of a day, and without Retry-After-Ms and X-Should-Retry.
/// @source https://console.groq.com/docs/rate-limits (2026-11-23)
NOUN_API Dialect groq();
/// Anthropic: requests, with reset as RFC 3339; 529 (overload) as well as 429. Tokens are not read, as in openai().
/// For paging, noun::paging::anthropic().
/// @source https://docs.anthropic.com/en/api/rate-limits,
///         https://docs.anthropic.com/en/api/errors (2026-11-23)
NOUN_API Dialect anthropic();
/// SendGrid: reset in epoch seconds.
/// @source https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits (2026-11-23)
NOUN_API Dialect sendgrid();
/// Sentry: reset in epoch seconds. The concurrency limit is not read: its count changes with
/// the requests of other clients. A rejection because of it leads to fewer requests at one time. Paging by Link.
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
/// the code RetryableErrorDueToAnotherOperation is not a rate limit. For paging, noun::paging::azure(). Polling as
/// noun::polling::azure().
/// @source https://learn.microsoft.com/en-us/azure/azure-resource-manager/management/request-limits-and-throttling (2026-11-23)
NOUN_API Dialect azure_resource_manager();
/// Strava: the requests used of a quarter of an hour and of a day, of all requests and of those that are no uploads
/// (`read`). No reset is reported. All of these quotas limit every request: use a client of its own for uploads if they
/// must not wait for `read`. Most lists are paged by number: paging::PageNumber.
/// @source https://developers.strava.com/docs/rate-limits/ (2026-11-27)
NOUN_API Dialect strava();
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
/// not processed and is retried, a POST too. Use plain() if the application behind nginx returns 503 for other
/// reasons.
/// @source https://nginx.org/en/docs/http/ngx_http_limit_req_module.html (2026-11-23)
NOUN_API Dialect nginx();
/// The rate limiter of ASP.NET Core, which reports only what the application adds: as plain, with 503 as well as 429. A
/// request rejected with either was not processed and is retried, a POST too. Use plain() if the application returns
/// 503 for other reasons.
/// @source https://learn.microsoft.com/en-us/dotnet/api/microsoft.aspnetcore.ratelimiting.ratelimiteroptions.rejectionstatuscode (2026-11-23)
NOUN_API Dialect aspnet();
/// Django REST framework: as plain, with paths that end with a slash. Paging as noun::paging::drf().
/// @source https://www.django-rest-framework.org/api-guide/routers/ (2026-11-23)
NOUN_API Dialect django();
/// JSON:API: as plain, with documents of the type application/vnd.api+json and members in `data`. Paging as
/// noun::paging::json_api().
/// @source https://jsonapi.org/format/ (2026-11-23)
NOUN_API Dialect json_api();

}  // namespace dialects

}}  // namespace noun
