#pragma once
/// @file
/// The paging of well-known services, ready to be used or to be changed in a copy:
///
///     noun::Dialect dialect = noun::dialects::slack();
///     dialect.paging = noun::paging::slack("channels");
///
/// Where the items are under a name of their own the function takes it: the key of the body's member that has them.
/// Services change: what is here was collected in November 2026, and a source of each is named. Check a detail there
/// before you rely on it.

#include <string>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace paging {

/// GitLab, pages by number: X-Next-Page, empty at the end, with X-Total and X-Total-Pages below 10,000 items. For lists
/// with `pagination=keyset` PagingStyle::link_header is right.
/// @source https://docs.gitlab.com/api/rest/#pagination
NOUN_API PagingConvention gitlab();
/// Pages by number, with X-Total-Count, as Gitea has them: to a total that is reached or a page that is not full. Set
/// `page_size` to 50 at most: Gitea gives no more, and not every list has a total. For json-server 0.17 change
/// `page_parameter` to "_page" and `size_parameter` to "_limit"; without a `page_size` it gives everything at once.
/// @source https://docs.gitea.com/development/api-usage#pagination
NOUN_API PagingConvention total_count();
/// Django REST framework: the URL in `next`, null at the end; items in `results`. What counts the items of a page is
/// for each service to say: `size_parameter`.
/// @source https://www.django-rest-framework.org/api-guide/pagination/
NOUN_API PagingConvention drf();
/// OData, Microsoft Graph and Dataverse: the URL in `@odata.nextLink`; items in `value`. Empty pages with a link are
/// usual, and how many items a page has is for the header `Prefer: odata.maxpagesize` to say.
/// @source https://learn.microsoft.com/en-us/graph/paging
NOUN_API PagingConvention odata();
/// Azure Resource Manager: the URL in `nextLink`; items in `value`.
/// @source https://learn.microsoft.com/en-us/rest/api/azure/
NOUN_API PagingConvention azure();
/// HAL, as Spring Data REST writes it: `_links.next`; the first array of `_embedded`, which may be left out where
/// it is empty.
/// @source https://docs.spring.io/spring-data/rest/reference/paging-and-sorting.html
NOUN_API PagingConvention hal();
/// JSON:API: `links.next`, a text or an object; items in `data`. The standard leaves the size parameter to the service:
/// `page[size]` is the usual one.
/// @source https://jsonapi.org/format/#fetching-pagination
NOUN_API PagingConvention json_api();
/// Jira: `startAt` and as many as came, to `isLast` or to the total.
/// @param items  `values`, `issues`, or a name of its own.
/// @source https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination
NOUN_API PagingConvention start_at(std::string_view items = "values");
/// The search of Jira with JQL: `nextPageToken`.
/// @source https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/
NOUN_API PagingConvention jira_token();
/// Confluence, version 2: the URL in `_links.next`, by which the request's own host is meant.
/// @source https://developer.atlassian.com/cloud/confluence/rest/v2/intro/
NOUN_API PagingConvention confluence();
/// The services of Google: `nextPageToken` as `pageToken`; the items, left out where there are none, under `items`.
/// @source https://google.aip.dev/158
NOUN_API PagingConvention google(std::string_view items);
/// Stripe, lists: the last item's id as `starting_after`, to `has_more` false.
/// @source https://docs.stripe.com/api/pagination
NOUN_API PagingConvention stripe();
/// Stripe, searches: `next_page` as `page`, to `has_more` false.
/// @source https://docs.stripe.com/api/pagination/search
NOUN_API PagingConvention stripe_search();
/// Stripe, version 2: the URL in `next_page_url`.
/// @source https://docs.stripe.com/api-v2-overview
NOUN_API PagingConvention stripe_v2();
/// Slack: `response_metadata.next_cursor` as `cursor`, empty at the end.
/// @source https://docs.slack.dev/apis/web-api/pagination
NOUN_API PagingConvention slack(std::string_view items);
/// Notion: `next_cursor` as `start_cursor`, in the query or in the body, to `has_more` false.
/// @source https://developers.notion.com/reference/intro#pagination
NOUN_API PagingConvention notion();
/// HubSpot: `paging.next.after` as `after`, in the query or in the body.
/// @source https://developers.hubspot.com/docs/api/usage-details
NOUN_API PagingConvention hubspot();
/// Airtable: `offset`, which is a cursor.
/// @source https://airtable.com/developers/web/api/list-records
NOUN_API PagingConvention airtable();
/// Asana: `next_page.offset`, which is a cursor. Set `page_size`, to 100 at most: without it there is no next page.
/// @source https://developers.asana.com/docs/pagination
NOUN_API PagingConvention asana();
/// Zendesk, by cursor: the URL in `links.next`, to `meta.has_more` false.
/// @source https://developer.zendesk.com/api-reference/introduction/pagination/
NOUN_API PagingConvention zendesk_cursor(std::string_view items);
/// Zendesk, by number: the URL in `next_page`; 10,000 items at most.
/// @source https://developer.zendesk.com/api-reference/introduction/pagination/
NOUN_API PagingConvention zendesk_offset(std::string_view items);
/// Twilio: the URL in `next_page_uri`, or in `meta.next_page_url` of newer lists.
/// @source https://www.twilio.com/docs/usage/twilios-response#pagination
NOUN_API PagingConvention twilio(std::string_view items);
/// Salesforce, queries: the URL in `nextRecordsUrl`, to `done`. How many items a page has is for the header
/// `Sforce-Query-Options: batchSize=` to say.
/// @source https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm
NOUN_API PagingConvention salesforce();
/// Kubernetes: `metadata.continue` as `continue`; 410 once it is some minutes old.
/// @source https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
NOUN_API PagingConvention kubernetes();
/// X, version 2: `meta.next_token` as `pagination_token`; `data` is left out where it is empty.
/// @source https://docs.x.com/x-api/fundamentals/pagination
NOUN_API PagingConvention x();
/// Discord: the last item's id, to a page that is not full. Give a page_size: without one a list ends at an empty page.
/// Not for lists that Discord does not page.
/// @param parameter  `before`, or `after` for lists that go upwards.
/// @source https://discord.com/developers/docs/resources/message#get-channel-messages
NOUN_API PagingConvention discord(std::string_view parameter = "before");
/// Reddit: `data.after` as `after`; items in `data.children`.
/// @source https://www.reddit.com/dev/api/#listings
NOUN_API PagingConvention reddit();
/// Elasticsearch: the last hit's `sort` as `search_after` in the body, which sorts, to a page without hits.
/// @source https://www.elastic.co/docs/reference/elasticsearch/rest-apis/paginate-search-results
NOUN_API PagingConvention elasticsearch();
/// Bitbucket Cloud: the URL in `next`; items in `values`.
/// @source https://developer.atlassian.com/cloud/bitbucket/rest/intro/#pagination
NOUN_API PagingConvention bitbucket();
/// Cloudflare: pages by number, as many as `result_info.total_pages` says, or to an empty page. Some lists have a
/// cursor instead.
/// @source https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
NOUN_API PagingConvention cloudflare();
/// DigitalOcean: the URL in `links.pages.next`.
/// @source https://docs.digitalocean.com/reference/api/
NOUN_API PagingConvention digitalocean(std::string_view items);
/// Heroku: what the header Next-Range gives goes into Range; 206 until there is none. Set the size of a page with a
/// first header `Range: id ..; max=1000`.
/// @source https://devcenter.heroku.com/articles/platform-api-reference#ranges
NOUN_API PagingConvention heroku();
/// PostgREST: Range counts the items, with `Range-Unit: items` among the listing's headers; to the total of
/// `Prefer: count=exact`, or to a page that is not full. Ask for no more items than the service's `db-max-rows`.
/// @source https://docs.postgrest.org/en/stable/references/api/pagination_count.html
NOUN_API PagingConvention postgrest();
/// PagerDuty: `offset` and as many as came, to `more` false; 10,000 items at most.
/// @source https://developer.pagerduty.com/docs/pagination
NOUN_API PagingConvention pagerduty(std::string_view items);
/// OpenAI: the last item's `id` as `after`, to `has_more` false.
/// @source https://github.com/openai/openai-node/blob/master/src/core/pagination.ts
NOUN_API PagingConvention openai();
/// Anthropic: `last_id` as `after_id`, to `has_more` false, as the list of models has it.
/// @source https://docs.anthropic.com/en/api/models-list
NOUN_API PagingConvention anthropic();
/// AWS, services that speak JSON: a token, or an object, from one member of the answer into one of the request; in the
/// body, or in the query of a request without one. DynamoDB: `aws("Items", "LastEvaluatedKey", "ExclusiveStartKey")`.
/// @param items  the member of the answer that has the items.
/// @param next   the member of the answer that has the token.
/// @param goes   the member of the request that takes it; empty for the same name.
/// @source https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html
NOUN_API PagingConvention aws(std::string_view items, std::string_view next = "nextToken", std::string_view goes = "");
/// Algolia: pages by number from zero, as many as `nbPages` says.
/// @source https://www.algolia.com/doc/rest-api/search/
NOUN_API PagingConvention algolia();
/// json-server 1: pages by number, to `next` null.
/// @source https://github.com/typicode/json-server#paginate
NOUN_API PagingConvention json_server();
/// GraphQL connections, with a body whose `variables` have the cursor: `pageInfo.endCursor` as `after`, to
/// `hasNextPage` false. An answer 200 with `errors` and without the connection is `decode`.
/// @param connection  where it is, as a JSON pointer: `/data/repository/issues`.
/// @param items       `nodes` or `edges`.
/// @param variable    the cursor's.
/// @source https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api
NOUN_API PagingConvention graphql(std::string_view connection, std::string_view items = "nodes",
                                  std::string_view variable = "after");

}}}  // namespace noun::paging
