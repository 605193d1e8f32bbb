#pragma once
/// @file
/// How a list is paged, as data: one struct for each style, and the paging of well-known APIs.
///
///     noun::Dialect dialect;
///     dialect.paging = {.style = noun::paging::Cursor{.parameter = "after", .from = "/paging/next/after"},
///                       .items = "/results"};
///     dialect.paging = noun::paging::slack("channels");       // a preset, to be used or changed
///
/// A pointer is a JSON pointer (RFC 6901). An empty name or pointer is not used. Set only what your API has.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace paging {

/// `Link: <…>; rel="next"` if the response has a Link to a page (`next`, `prev`, `first` or `last`). Otherwise, if the
/// first page is as full as requested, or the items header counts more items, numbered pages until one is empty, is not
/// found, or repeats the last one; they count from zero if the first page reports that it is page 0. Otherwise the
/// first page is all. A listing that ends though a page says that there is more, or before its total (see
/// Totals::estimated), is an error (`incomplete`).
struct Automatic {
  std::string page_parameter = "page";  ///< the query parameter for numbered pages
};

/// The first response is the whole list, whatever total it reports.
struct SinglePage {};

/// `Link: <…>; rel="next"` until there is none. A link with an `anchor` is followed only if that is the URL of the page,
/// also without its query.
/// @source RFC 8288
struct LinkHeader {};

/// page=1, page=2 and so on, until a page is empty, or is not found after one that was found. What `next`,
/// `next_header`, Paging::end, the counts of pages and the total report comes first: a page that
/// is not found before the total is `incomplete`, also if items were removed meanwhile; see Totals::estimated.
struct PageNumber {
  std::string parameter = "page";  ///< the query parameter; must not be empty
  int first = 1;                   ///< the number of the first page; 0 or greater
  TextList next = {};              ///< where the body gives the number of the next page; null there is the end
  std::string next_header = {};    ///< the response header that gives it, read before `next`; empty there is the end
};

/// offset=0, then plus the number of items received, until a page is empty. Paging::end comes first.
struct Offset {
  std::string parameter = "offset";  ///< the query parameter
  std::string into_body = {};        ///< where it goes in a listing with a body (ListOptions::body)
  int first = 0;                     ///< the offset of the first item; 1 for servers that count from one, as SCIM's
};

/// A value from each response goes into the next request, until there is none: null, false or an empty text.
struct Cursor {
  std::string parameter = {};    ///< the query parameter; this or `into_body` must be given
  TextList from = {};            ///< where the body has the value; the first place that has one counts
  std::string from_header = {};  ///< the response header that has it, read before `from`; empty there is the end
  std::string into_body = {};    ///< where it goes in a listing with a body (ListOptions::body)
};

/// Each response has the URL of the next page, until there is none: null, false or an empty text; anything else there
/// is an error (`protocol`). It may be relative to the URL of the response. Expressions of a URL template, `{&sort}`,
/// are left out: their variables have no value (RFC 6570).
struct NextUrl {
  TextList from = {};            ///< where the body has the URL; the first place that has one counts
  std::string from_header = {};  ///< the response header that has it, read before `from`; empty there is the end
};

/// The key of a page's last item goes into the next request, until a page is empty. The server must leave out that item:
/// a page that begins with it is an error (`refused`), as with CouchDB's `startkey`; a PageStrategy can add to the key.
/// A page that begins with another item of the same key is the same error.
struct LastItem {
  std::string parameter = {};  ///< the query parameter; this or `into_body` must be given
  std::string key = "/id";     ///< where the item has its key; empty is the item itself
  std::string into_body = {};  ///< where it goes in a listing with a body (ListOptions::body)
};

/// The request field `Range` counts the items: the next range follows the Content-Range of the response.
/// @source RFC 9110, section 14, with the unit `items` or none.
struct ItemRange {
  std::string next_header = {};  ///< the response header that has the next range, instead of counting
};

/// How a page is requested, in addition to what all requests of a listing have.
struct PageRequest {
  std::string url = {};    ///< absolute, or relative to the URL of the page before
  std::string body = {};   ///< sent instead of ListOptions::body, if that is given
  std::string range = {};  ///< the request field `Range`; empty for none

  /// Whether all members are equal.
  friend bool operator==(const PageRequest&, const PageRequest&) = default;
};

/// A page as a PageStrategy sees it. Valid during the call.
struct PageResponse {
  const Response& response;    ///< the response
  std::size_t items;           ///< the number of its items
  std::string_view last_item;  ///< the bytes of the last item; empty if there is none
};

/// A paging style of your own: returns the request for the next page, nothing at the end, or an error. The error ends
/// the listing after this page. Origin, cycles and limits are checked as for any next link. The body that it returns is
/// stored in bookmarks as it is.
///
/// Called once for each page received; again for a page that is fetched again. A listing without
/// ListOptions::prefetch calls it on the thread that reads the listing. With it, and for op::next_page() in the
/// background, it runs on a thread of noun, of which a client has up to 4 for the pages of its listings; what it
/// captures must outlive the client. An exception is an error (`refused`).
using PageStrategy =
    std::function<Result<std::optional<PageRequest>>(const PageRequest& request, const PageResponse& page)>;

/// How a listing goes from page to page. A page with the same items as the one before it is an error (`refused`).
/// Exception: the response names the next page, and the page has one item, or identical items.
using Style = std::variant<Automatic, SinglePage, LinkHeader, PageNumber, Offset, Cursor, NextUrl, LastItem, ItemRange,
                           PageStrategy>;

/// How a response reports that it is the last page.
struct End {
  std::string more_pointer = {};  ///< where the body says, as a boolean, whether there are more pages
  bool more_value = true;         ///< what it says if there are; false for `isLast` and `done`
  bool absent_is_last = false;    ///< a body with nothing at `more_pointer` is the last page
  bool empty_page = false;        ///< a page without items is the last, though it has a cursor or a URL, as in etcd
  bool short_page = false;        ///< a page with fewer items than requested is the last
  bool total = false;             ///< a listing ends when as many items were received as the total reports
};

/// A place where a successful response says that it failed, or that it has a part only: `"timed_out": true`.
struct FailureSign {
  std::string pointer = {};  ///< where the body says so: a JSON pointer (RFC 6901); not empty
  /// The text or the JSON that means a failure there. Empty: anything but null, false, 0, and what is empty.
  std::string value = {};
};

/// Where a response reports how many items or pages there are.
struct Totals {
  std::string items_header = "X-Total-Count";  ///< the response header that counts all items
  std::string items_pointer = {};              ///< where the body counts them
  std::string pages_header = {};               ///< the response header that counts the pages
  std::string pages_pointer = {};              ///< where the body counts them
  /// Whether the total may be above the number of items that the list has: it is estimated, or counts items that the
  /// caller may not see. Otherwise a listing in a style other than SinglePage, ItemRange and PageStrategy that ends
  /// before its total is an error (`incomplete`). Exception: an Automatic listing whose only page has fewer items than
  /// requested, or whose links end at a page with fewer items than another.
  bool estimated = false;
};

}  // namespace paging

/// How lists are paged. See noun::paging for the styles and presets.
struct Paging {
  paging::Style style = {};  ///< which page is next
  /// Where the items are; empty is the root. A page with nothing there is an error (`decode`); null there is an empty
  /// page. A last segment `*` is the first member that is an array: `/_embedded/*`.
  std::string items = {};
  /// The query parameter for ListOptions::page_size. Its name differs from the style's own parameter.
  std::string size_parameter = "per_page";
  bool items_may_be_absent = false;           ///< nothing at `items` is an empty page
  /// The value at `items` is an object, `{"a": {…}, "b": {…}}`: each member is an item, read as an array of its name and
  /// its value, such as a std::pair<std::string, T>: `channels.list_as<std::pair<std::string, Channel>>()`. A pointer into
  /// an item (ListOptions::key, paging::LastItem::key) is `/0` for the name, and `/1/…` for the value. In `items` a last
  /// segment `*` is then the first member that is an object.
  bool items_are_members = false;
  paging::End end = {};                       ///< how the last page is recognized
  paging::Totals totals = {};                 ///< counts; used for plans, and for the end only where `end` says so
  std::vector<int> expired_statuses = {410};  ///< statuses that mean an expired cursor; 400 to 599
  /// A page with one of these is an error (`server_error`); the listing can go on with it, and so can its bookmark.
  std::vector<paging::FailureSign> failures = {};
};

/// Presets. `items` is the name of the body's member that has the items, if it differs from list to list. "No size
/// parameter" means that ListOptions::page_size is refused. APIs change: each preset names the page with which it was
/// compared in November 2026.
namespace paging {

/// GitLab, pages by number: X-Next-Page, empty at the end, with X-Total and X-Total-Pages below 10,000 items. For lists
/// with `pagination=keyset` LinkHeader is right.
/// @source https://docs.gitlab.com/api/rest/#pagination
NOUN_API Paging gitlab();
/// Numbered pages with X-Total-Count, as in Gitea. The list ends at the total, or at a page that is not full. Set
/// `page_size` to 50 at most: Gitea returns no more, and not every list has a total. For json-server 0.17 set `style`
/// to PageNumber{.parameter = "_page"} and `size_parameter` to "_limit"; without a `page_size` it returns everything.
/// @source https://docs.gitea.com/development/api-usage#pagination
NOUN_API Paging total_count();
/// Django REST framework: the URL in `next`, null at the end; items in `results`. No size parameter: it differs from
/// server to server; set `size_parameter`.
/// @source https://www.django-rest-framework.org/api-guide/pagination/
NOUN_API Paging drf();
/// OData, Microsoft Graph and Dataverse: the URL in `@odata.nextLink`; items in `value`. Empty pages with a link are
/// usual. No size parameter: send the header `Prefer: odata.maxpagesize=100` (ListOptions::headers).
/// @source https://learn.microsoft.com/en-us/graph/paging
NOUN_API Paging odata();
/// Azure Resource Manager: the URL in `nextLink`; items in `value`. No size parameter.
/// @source https://learn.microsoft.com/en-us/rest/api/azure/
NOUN_API Paging azure();
/// HAL, as Spring Data REST writes it: the URL in `_links.next`, or in its first link if that is an array; items in the
/// first array of `_embedded`, which may be absent in an empty page. The size parameter is Spring's `size`.
/// @source https://docs.spring.io/spring-data/rest/reference/paging-and-sorting.html
NOUN_API Paging hal();
/// JSON:API: the URL in `links.next`, or in its `href`; items in `data`. The size parameter is the usual `page[size]`;
/// the standard names none.
/// @source https://jsonapi.org/format/#fetching-pagination
NOUN_API Paging json_api();
/// Jira: `startAt` grows by the number of items received, until `isLast` is true or the total is reached.
/// @param items  `values`, `issues`, or a name of its own.
/// @source https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination
NOUN_API Paging start_at(std::string_view items = "values");
/// The search of Jira with JQL: `nextPageToken`.
/// @source https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/
NOUN_API Paging jira_token();
/// Confluence, version 2: the URL in `_links.next`, relative to the host of the request.
/// @source https://developer.atlassian.com/cloud/confluence/rest/v2/intro/
NOUN_API Paging confluence();
/// Google's APIs: `nextPageToken` as `pageToken`; `items` may be absent in an empty page.
/// @source https://google.aip.dev/158
NOUN_API Paging google(std::string_view items);
/// Stripe, lists: the last item's id as `starting_after`, until `has_more` is false.
/// @source https://docs.stripe.com/api/pagination
NOUN_API Paging stripe();
/// Stripe, searches: `next_page` as `page`, until `has_more` is false.
/// @source https://docs.stripe.com/api/pagination/search
NOUN_API Paging stripe_search();
/// Stripe, version 2: the URL in `next_page_url`.
/// @source https://docs.stripe.com/api-v2-overview
NOUN_API Paging stripe_v2();
/// Slack: `response_metadata.next_cursor` as `cursor`, empty at the end.
/// @source https://docs.slack.dev/apis/web-api/pagination
NOUN_API Paging slack(std::string_view items);
/// Notion: `next_cursor` as `start_cursor`, in the query or in the body, until `has_more` is false.
/// @source https://developers.notion.com/reference/intro#pagination
NOUN_API Paging notion();
/// HubSpot: `paging.next.after` as `after`, in the query or in the body.
/// @source https://developers.hubspot.com/docs/api/usage-details
NOUN_API Paging hubspot();
/// Airtable: `offset`, which is a cursor.
/// @source https://airtable.com/developers/web/api/list-records
NOUN_API Paging airtable();
/// Asana: `next_page.offset`, which is a cursor. Set `page_size`, to 100 at most: without it there is no next page.
/// @source https://developers.asana.com/docs/pagination
NOUN_API Paging asana();
/// Zendesk, by cursor: the URL in `links.next`, until `meta.has_more` is false.
/// @source https://developer.zendesk.com/api-reference/introduction/pagination/
NOUN_API Paging zendesk_cursor(std::string_view items);
/// Zendesk, by number: the URL in `next_page`; 10,000 items at most.
/// @source https://developer.zendesk.com/api-reference/introduction/pagination/
NOUN_API Paging zendesk_offset(std::string_view items);
/// Twilio: the URL in `next_page_uri`, or in `meta.next_page_url` of newer lists.
/// @source https://www.twilio.com/docs/usage/twilios-response#pagination
NOUN_API Paging twilio(std::string_view items);
/// Salesforce, queries: the URL in `nextRecordsUrl`, until `done` is true. No size parameter: send the header
/// `Sforce-Query-Options: batchSize=2000` (ListOptions::headers).
/// @source https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm
NOUN_API Paging salesforce();
/// Kubernetes: `metadata.continue` as `continue`. It expires after some minutes, with 410.
/// @source https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
NOUN_API Paging kubernetes();
/// X, version 2: `meta.next_token` as `pagination_token`; `data` may be absent in an empty page.
/// @source https://docs.x.com/x-api/fundamentals/pagination
NOUN_API Paging x();
/// Discord: the last item's id, until a page is not full. Set a page_size: without one a list ends at an empty page.
/// Not for lists that Discord does not page.
/// @param parameter  `before`, or `after` for lists in ascending order.
/// @source https://discord.com/developers/docs/resources/message#get-channel-messages
NOUN_API Paging discord(std::string_view parameter = "before");
/// Reddit: `data.after` as `after`; items in `data.children`.
/// @source https://www.reddit.com/dev/api/#listings
NOUN_API Paging reddit();
/// Elasticsearch: the last hit's `sort` as `search_after` in the body, until a page has no hits. The body has a `sort`.
/// A search that timed out, or that some shards did not answer, is an error.
/// @source https://www.elastic.co/docs/reference/elasticsearch/rest-apis/paginate-search-results
NOUN_API Paging elasticsearch();
/// Bitbucket Cloud: the URL in `next`; items in `values`.
/// @source https://developer.atlassian.com/cloud/bitbucket/rest/intro/#pagination
NOUN_API Paging bitbucket();
/// Cloudflare: pages by number, as many as `result_info.total_pages` says, or until one is empty. Some lists have a
/// cursor instead.
/// @source https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
NOUN_API Paging cloudflare();
/// DigitalOcean: the URL in `links.pages.next`.
/// @source https://docs.digitalocean.com/reference/api/
NOUN_API Paging digitalocean(std::string_view items);
/// Heroku: the response header Next-Range goes into the request header Range, until there is none. Set the page size
/// with `Range: id ..; max=1000` in ListOptions::headers.
/// @source https://devcenter.heroku.com/articles/platform-api-reference#ranges
NOUN_API Paging heroku();
/// PostgREST: Range counts the items; add `Range-Unit: items` to ListOptions::headers. Ends at the total (with
/// `Prefer: count=exact`), or at a page that is not full. Request no more items than the server's `db-max-rows`.
/// @source https://docs.postgrest.org/en/stable/references/api/pagination_count.html
NOUN_API Paging postgrest();
/// PagerDuty: `offset` grows by the number of items received, until `more` is false; 10,000 items at most.
/// @source https://developer.pagerduty.com/docs/pagination
NOUN_API Paging pagerduty(std::string_view items);
/// SCIM 2: `startIndex` counts from one, and grows by the number of items received, until `totalResults` is reached;
/// items in `Resources`, which may be absent. The size parameter is `count`.
/// @source https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4
NOUN_API Paging scim();
/// OpenAI: the last item's `id` as `after`, until `has_more` is false.
/// @source https://github.com/openai/openai-node/blob/master/src/core/pagination.ts
NOUN_API Paging openai();
/// Anthropic: `last_id` as `after_id`, until `has_more` is false, as in the list of models.
/// @source https://docs.anthropic.com/en/api/models-list
NOUN_API Paging anthropic();
/// AWS, APIs in JSON: a token, or an object, from a member of the response goes into a member of the request body, or
/// into the query of a request without a body. No size parameter. For DynamoDB:
/// `aws("Items", "LastEvaluatedKey", "ExclusiveStartKey")`.
/// @param items  the member of the response that has the items.
/// @param next   the member of the response that has the token.
/// @param goes   the member of the request that takes it; empty for the same name.
/// @source https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html
NOUN_API Paging aws(std::string_view items, std::string_view next = "nextToken", std::string_view goes = "");
/// Algolia: pages by number from zero, as many as `nbPages` says.
/// @source https://www.algolia.com/doc/rest-api/search/
NOUN_API Paging algolia();
/// json-server 1: pages by number, until `next` is null.
/// @source https://github.com/typicode/json-server#paginate
NOUN_API Paging json_server();
/// GraphQL connections, listed with ListOptions::body: `pageInfo.endCursor` goes into `variables` as `after`, until
/// `hasNextPage` is false. No size parameter: it is part of the query. A response 200 with `errors` is an error, also
/// beside `data`: without `failures` the data beside them is taken as the page.
/// @param connection  where it is, as a JSON pointer: `/data/repository/issues`.
/// @param items       `nodes` or `edges`.
/// @param variable    the name of the variable that takes the cursor.
/// @source https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api
NOUN_API Paging graphql(std::string_view connection, std::string_view items = "nodes",
                        std::string_view variable = "after");

}  // namespace paging

}}  // namespace noun
