// Tests of a call's part of the cache, without a server and without a store.
#include "cache/exchange.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noun_test { namespace exchange_test {

using namespace std::chrono_literals;
using noun::CacheMode;
using noun::CacheStatus;
using noun::Headers;
using noun::Method;
using noun::Response;
using noun::cache::Answer;
using noun::cache::Exchange;
using noun::cache::FieldViews;
using noun::cache::invalidated_by;
using noun::cache::may_use_cache;
using noun::cache::read_bytes;
using noun::cache::RequestFields;
using noun::cache::StoredResponses;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const noun::WallTime start = noun::WallTime(1'700'000'000s);

Headers copy_of(const FieldViews& fields) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return headers;
}

/// The calls for one URL, one after another.
struct Calls {
  Exchange exchange() const { return {settings, {}, bytes}; }
  /// Views of `bytes`.
  StoredResponses stored() const { return bytes->empty() ? StoredResponses() : read_bytes(*bytes).value(); }
  Headers sent_with(Headers fields) const {
    auto own = exchange();
    own.add_fields(fields, credentials);
    return fields;
  }
  /// A call that gets this response.
  Answer call(Response& response, const Headers& fields = {}) {
    auto own = exchange();
    auto sent = fields;
    own.add_fields(sent, credentials);
    const auto answer = own.on_response(response, {fields, credentials}, {.took = 0s}, now);
    if (own.change()) bytes = own.change();
    return answer;
  }
  Answer call(int status, Headers headers, std::string body = "", const Headers& fields = {}) {
    Response response{.status = status, .headers = std::move(headers), .body = std::move(body)};
    return call(response, fields);
  }
  std::string condition(const Headers& fields = {}) const {
    return std::string(sent_with(fields).get("If-None-Match").value_or("-"));
  }

  Exchange::Settings settings = {};
  Headers credentials = {};
  noun::cache::Bytes bytes = std::make_shared<const std::string>();
  noun::WallTime now = start;
};

TEST(CacheExchange, is_for_gets_heads_and_queries_without_conditions) {
  EXPECT_TRUE(may_use_cache(Method::get, {{"Accept", "a"}, {"If", "x"}}));
  EXPECT_TRUE(may_use_cache(Method::head, {}));
  EXPECT_TRUE(may_use_cache(Method::query, {{"Content-Type", "a"}}));
  EXPECT_FALSE(may_use_cache(Method::post, {}));
  EXPECT_FALSE(may_use_cache(Method::options, {}));
  for (const auto* name : {"Range", "if-none-match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"})
    EXPECT_FALSE(may_use_cache(Method::get, {{name, "x"}})) << name;
}

TEST(CacheExchange, validates_what_has_an_etag_and_stores_nothing_else) {
  Calls calls;
  calls.call(200, {{"Cache-Control", "max-age=60"}});
  EXPECT_THAT(calls.stored(), IsEmpty());
  calls.call(200, {{"ETag", "W/\"1\""}}, "body");
  EXPECT_EQ(calls.condition(), "W/\"1\"");
  calls.settings.mode = CacheMode::rfc9111;
  EXPECT_FALSE(calls.exchange().ready("u", {{}, {}}, start));
}

TEST(CacheExchange, merges_a_304_without_what_describes_its_body) {
  Calls calls;
  calls.settings.mode = noun::CacheMode::rfc9111;
  calls.call(200, {{"ETag", "\"1\""}, {"Content-Type", "a"}, {"Content-Length", "4"}, {"Link", "old"}, {"X-Old", "o"}},
             "body");
  Response response{.status = 304,
                    .headers = {{"ETag", "W/\"1\""},
                                {"Content-Type", "b"},
                                {"Content-Length", "0"},
                                {"Content-Encoding", "gzip"},
                                {"Link", "new"},
                                {"Connection", "close, X-Hop"},
                                {"X-Hop", "1"}},
                    .url = "u"};
  EXPECT_EQ(calls.call(response), Answer::confirmed);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.url, "u");
  EXPECT_EQ(response.cache, CacheStatus::validated);
  const Headers merged = {
      {"ETag", "\"1\""}, {"Content-Type", "a"}, {"Content-Length", "4"}, {"X-Old", "o"}, {"Link", "new"}};
  EXPECT_EQ(response.headers, merged);
  EXPECT_EQ(copy_of(calls.stored().front().headers), merged);
}

TEST(CacheExchange, a_304_without_age_is_not_as_old_as_what_it_confirms) {
  Calls calls{.settings = {.mode = CacheMode::rfc9111}};
  const Headers fresh = {{"ETag", "\"1\""}, {"Cache-Control", "max-age=60"}};
  auto aged = fresh;
  aged.add("Age", "60");
  const Headers none;
  const auto is_fresh = [&] { return calls.exchange().ready("u", {none, none}, calls.now).has_value(); };
  calls.call(200, aged, "body");
  EXPECT_FALSE(is_fresh());
  calls.call(304, fresh);
  EXPECT_TRUE(is_fresh());
  EXPECT_FALSE(copy_of(calls.stored().front().headers).contains("Age"));
}

TEST(CacheExchange, stores_a_response_without_the_fields_of_its_connection) {
  Calls calls;
  const Response received{
      .status = 200,
      .headers = {{"connection", "close, X-Hop"}, {"X-Hop", "1"}, {"ETag", "\"1\""}, {"transfer-encoding", "chunked"}},
      .body = "body",
      .url = "u",
      .trailers = {{"X-Sum", "1"}}};
  auto response = received;
  EXPECT_EQ(calls.call(response), Answer::as_received);
  EXPECT_EQ(response.cache, CacheStatus::stored);
  response.cache = received.cache;
  EXPECT_EQ(response, received) << "the caller gets all of it";
  ASSERT_EQ(calls.stored().size(), 1U);
  EXPECT_EQ(copy_of(calls.stored().front().headers), (Headers{{"ETag", "\"1\""}}));
  EXPECT_EQ(calls.stored().front().body, "body");
}

TEST(CacheExchange, stores_nothing_for_a_304_that_changes_only_what_is_returned) {
  Calls calls;
  calls.call(200, {{"ETag", "\"1\""}, {"Vary", "Accept"}, {"X-Remaining", "9"}}, "body", {{"Accept", "a"}});
  const auto stored_after = [&](Headers received, const Headers& fields) {
    auto own = calls.exchange();
    Headers sent = fields;
    own.add_fields(sent, {});
    Response response{.status = 304, .headers = std::move(received)};
    EXPECT_EQ(own.on_response(response, {fields, {}}, {.took = 0s}, start), Answer::confirmed);
    EXPECT_EQ(response.headers.get("X-Remaining"), "8");
    return own.change() != nullptr;
  };
  const Headers same = {{"ETag", "\"1\""}, {"Vary", "Accept"}, {"X-Remaining", "8"}};
  EXPECT_FALSE(stored_after(same, {{"Accept", "a"}}));
  EXPECT_TRUE(stored_after(same, {{"Accept", "b"}})) << "the server selects it for another request";
  for (const auto* name : {"Cache-Control", "Expires", "Vary", "Last-Modified"}) {
    auto changed = same;
    changed.set(name, "Accept, x");
    EXPECT_TRUE(stored_after(changed, {{"Accept", "a"}})) << name;
  }
  calls.settings.mode = noun::CacheMode::rfc9111;
  EXPECT_TRUE(stored_after(same, {{"Accept", "a"}})) << "it is fresh for longer";
}

TEST(CacheExchange, a_weak_etag_names_only_what_the_request_selects) {
  Calls calls;
  const auto store = [&](const char* accept) {
    calls.call(200, {{"ETag", "W/\"7\""}, {"Vary", "Accept"}}, accept, {{"Accept", accept}});
  };
  store("json");
  store("xml");
  EXPECT_EQ(calls.condition({{"Accept", "json"}}), "W/\"7\"");
  EXPECT_EQ(calls.condition({{"Accept", "csv"}}), "-");
  Response json{.status = 304, .headers = {{"ETag", "W/\"7\""}}};
  EXPECT_EQ(calls.call(json, {{"Accept", "json"}}), Answer::confirmed);
  EXPECT_EQ(json.body, "json");
}

TEST(CacheExchange, a_response_for_other_fields_than_the_negotiated_ones_is_not_asked_for) {
  Calls calls;
  calls.call(200, {{"ETag", "\"1\""}, {"Vary", "X-Tenant"}}, "of a", {{"X-Tenant", "a"}});
  EXPECT_EQ(calls.condition({{"X-Tenant", "b"}}), "-");
  calls.call(200, {{"ETag", "\"1\""}, {"Vary", "X-Tenant"}}, "of b", {{"X-Tenant", "b"}});
  Response response{.status = 304, .headers = {{"ETag", "\"1\""}}};
  EXPECT_EQ(calls.call(response, {{"X-Tenant", "a"}}), Answer::confirmed);
  EXPECT_EQ(response.body, "of a");
}

TEST(CacheExchange, a_304_confirms_what_it_names) {
  Calls calls;
  const auto store = [&](const char* tag, const char* accept) {
    calls.call(200, {{"ETag", tag}, {"Vary", "Accept"}}, tag, {{"Accept", accept}});
  };
  store("\"a\"", "a");
  store("\"b\"", "b");
  EXPECT_EQ(calls.condition({{"Accept", "c"}}), "\"b\", \"a\"");
  Response named{.status = 304, .headers = {{"ETag", "\"a\""}}};
  EXPECT_EQ(calls.call(named, {{"Accept", "c"}}), Answer::confirmed);
  EXPECT_EQ(named.body, "\"a\"");
  EXPECT_EQ(calls.call(304, {}, "", {{"Accept", "c"}}), Answer::unexpected);
  EXPECT_EQ(calls.call(304, {{"ETag", "\"z\""}}, "", {{"Accept", "c"}}), Answer::unexpected);
}

TEST(CacheExchange, after_an_unexpected_304_it_asks_without_conditions) {
  Calls calls;
  calls.call(200, {{"ETag", "\"1\""}});
  auto own = calls.exchange();
  Headers fields;
  own.add_fields(fields, {});
  Response response{.status = 304, .headers = {{"ETag", "\"2\""}}};
  EXPECT_EQ(own.on_response(response, {fields, {}}, {.took = 0s}, start), Answer::unexpected);
  fields.clear();
  own.add_fields(fields, {});
  EXPECT_TRUE(fields.empty());
  EXPECT_FALSE(own.may_add_fields());
  for (const auto& headers : {response.headers, Headers()}) {
    Response again{.status = 304, .headers = headers};
    EXPECT_EQ(own.on_response(again, {fields, {}}, {.took = 0s}, start), Answer::as_received);
  }
}

TEST(CacheExchange, asks_by_date_where_the_dialect_says_so) {
  const Headers dated = {{"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  Calls calls;
  calls.call(200, dated);
  EXPECT_THAT(calls.stored(), IsEmpty());
  calls.settings.by_date = true;
  calls.call(200, dated, "old");
  EXPECT_EQ(calls.sent_with({}).get("If-Modified-Since"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(calls.call(304, {}), Answer::confirmed);
}

TEST(CacheExchange, stores_by_explicit_freshness_alone) {
  const auto stores = [](int status, Headers headers, Headers request = {}) {
    Calls calls{.settings = {.mode = CacheMode::rfc9111}};
    calls.call(status, std::move(headers), "", request);
    return !calls.stored().empty();
  };
  const Headers fresh = {{"Cache-Control", "max-age=60"}};
  for (const int status : {200, 203, 204, 301, 302, 303, 307, 308, 404, 410}) EXPECT_TRUE(stores(status, fresh)) << status;
  for (const int status : {206, 304, 400, 403, 429, 500, 503}) EXPECT_FALSE(stores(status, fresh)) << status;
  EXPECT_TRUE(stores(200, {{"ETag", "\"1\""}}));
  EXPECT_FALSE(stores(404, {{"ETag", "\"1\""}}));
  EXPECT_FALSE(stores(200, {}));
  EXPECT_FALSE(stores(200, {{"Cache-Control", "max-age=0"}}));
  for (const auto* control : {"no-store, max-age=60", "max-age=60, max-age", "max-age=6x"})
    EXPECT_FALSE(stores(200, {{"ETag", "\"1\""}, {"Cache-Control", control}})) << control;
  EXPECT_FALSE(stores(200, fresh, {{"Cache-Control", "no-store"}}));
  EXPECT_FALSE(stores(200, {{"ETag", "\"1\""}, {"Vary", "Accept, *"}}));
  EXPECT_FALSE(stores(200, {{"ETag", "\"1\""}, {"Content-Range", "bytes 0-1/9"}}));
}

TEST(CacheExchange, forgets_what_is_gone_or_must_not_be_stored_any_more) {
  for (const auto& [status, headers] : {std::pair(404, Headers()), std::pair(410, Headers()),
                                        std::pair(200, Headers{{"ETag", "\"2\""}, {"Cache-Control", "no-store"}}),
                                        std::pair(304, Headers{{"ETag", "\"1\""}, {"Cache-Control", "no-store"}})}) {
    Calls calls;
    calls.call(200, {{"ETag", "\"1\""}});
    calls.call(status, headers);
    EXPECT_THAT(calls.stored(), IsEmpty()) << status;
  }
  Calls calls;
  calls.call(200, {{"ETag", "\"1\""}});
  calls.call(500, {});
  EXPECT_EQ(calls.condition(), "\"1\"");
}

TEST(CacheExchange, selects_by_the_fields_that_vary_names) {
  Calls calls{.settings = {.mode = CacheMode::rfc9111}};
  const auto store = [&](const char* body, const Headers& fields) {
    calls.call(200, {{"Cache-Control", "max-age=60"}, {"Vary", "ACCEPT-language, x-a"}}, body, fields);
  };
  store("de", {{"Accept-Language", "de , en"}});
  store("a", {{"Accept-Language", "de, en"}, {"X-A", "1"}});
  const auto used = [&](const Headers& fields) {
    const auto response = calls.exchange().ready("u", {fields, {}}, start);
    return response ? response->body : "-";
  };
  EXPECT_EQ(used({{"Accept-Language", "de,EN"}}), "de");
  EXPECT_EQ(used({{"Accept-Language", "de, en"}, {"x-a", "1 "}}), "a");
  EXPECT_EQ(used({{"accept-language", "de"}, {"Accept-Language", "en"}}), "de");
  EXPECT_EQ(used({{"Accept-Language", "de, en"}, {"X-A", "1"}}), "a");
  EXPECT_EQ(used({{"Accept-Language", "en, de"}}), "-");
  EXPECT_EQ(used({}), "-");
}

TEST(CacheExchange, credentials_that_come_later_make_a_miss) {
  Calls calls{.settings = {.mode = CacheMode::rfc9111}};
  calls.call(200, {{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Encoding"}}, "plain");
  EXPECT_TRUE(calls.exchange().ready("u", {{}, {}, true}, start));
  calls.call(200, {{"Cache-Control", "max-age=60"}, {"Vary", "Authorization"}}, "varies");
  EXPECT_FALSE(calls.exchange().ready("u", {{}, {}, true}, start));
  EXPECT_TRUE(calls.exchange().ready("u", {{}, {}, false}, start));
}

TEST(CacheExchange, keeps_credentials_apart_if_it_is_to) {
  Calls calls{.settings = {.by_credentials = true}, .credentials = {{"Authorization", "one"}}};
  calls.call(200, {{"ETag", "\"1\""}});
  EXPECT_EQ(calls.condition(), "\"1\"");
  calls.credentials = {{"Authorization", "two"}};
  EXPECT_EQ(calls.condition(), "-");
  calls.call(200, {{"ETag", "\"2\""}});
  EXPECT_EQ(calls.condition(), "\"2\"");
  EXPECT_EQ(calls.stored().size(), 2U);
  calls.credentials = {{"Authorization", "one"}};
  EXPECT_EQ(calls.condition(), "\"1\"");
}

TEST(CacheExchange, keeps_a_few_responses_of_a_url) {
  Calls calls;
  for (int i = 0; i < 20; ++i)
    calls.call(200, {{"ETag", std::to_string(i)}, {"Vary", "Accept"}}, "", {{"Accept", std::to_string(i)}});
  EXPECT_EQ(calls.stored().size(), noun::cache::most_variants);
  EXPECT_EQ(calls.condition(), "19, 18, 17, 16, 15, 14, 13, 12");
}

TEST(CacheExchange, reload_uses_nothing_and_stores) {
  Calls calls{.settings = {.mode = CacheMode::rfc9111}};
  calls.call(200, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=60, stale-if-error=60"}});
  calls.settings.reload = true;
  EXPECT_FALSE(calls.exchange().ready("u", {{}, {}}, start));
  EXPECT_FALSE(calls.exchange().instead_of_failure("u", {{}, {}}, start));
  EXPECT_EQ(calls.sent_with({}), (Headers{{"Cache-Control", "no-cache"}}));
  calls.call(200, {{"ETag", "\"2\""}});
  EXPECT_EQ(calls.stored().size(), 1U);
  EXPECT_EQ(calls.stored().front().headers.get("ETag"), "\"2\"");
}

TEST(CacheExchange, a_failure_is_replaced_by_what_allows_it) {
  Calls calls{.settings = {.mode = CacheMode::rfc9111}};
  calls.call(200, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=10, stale-if-error=60"}});
  const auto used = [&](std::chrono::seconds after) {
    return calls.exchange().instead_of_failure("u", {{}, {}}, start + after).has_value();
  };
  EXPECT_TRUE(used(69s));
  EXPECT_FALSE(used(70s));
  const Headers no_cache = {{"Cache-Control", "no-cache"}};
  EXPECT_FALSE(calls.exchange().instead_of_failure("u", {no_cache, {}}, start + 1s));
  calls.settings.mode = CacheMode::validate;
  EXPECT_FALSE(used(1s));
}

TEST(CacheExchange, a_write_invalidates_its_urls) {
  const Response moved{.status = 204, .url = "https://a.example/new/7"};
  EXPECT_THAT(invalidated_by("https://a.example/items/7", "", &moved),
              ElementsAre("https://a.example/items/7", "https://a.example/new/7"));
  const Response created{.status = 201,
                         .headers = {{"Location", "/items/7?x=1"}, {"Content-Location", "https://other.example/items/7"}}};
  EXPECT_THAT(invalidated_by("https://a.example/items/?y=2", "", &created),
              ElementsAre("https://a.example/items", "https://a.example/items/7"));
  EXPECT_THAT(invalidated_by("https://a.example/items/7", "https://a.example/items", nullptr),
              UnorderedElementsAre("https://a.example/items/7", "https://a.example/items"));
}

}}  // namespace noun_test::exchange_test
