// Calls of a client with a cache, as a program sees them.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "os/temporary_folder.hpp"

namespace noun_test { namespace cached_calls_test {

using namespace std::chrono_literals;
using noun::CacheMode;
using noun::CacheStatus;
using noun::Method;
using noun::UseCache;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Keeps everything, and fails on demand.
class MapCache final : public noun::Cache {
 public:
  std::string seed() const override { return "0123456789abcdef"; }
  noun::Result<std::optional<std::string>> get(const noun::CacheKey& key) override {
    const std::lock_guard lock(mutex);
    if (fails) return fault();
    const auto found = entries.find({key.group, key.name});
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  }
  noun::Result<bool> put(const noun::CacheKey& key, std::string_view bytes) override {
    if (const auto run = std::exchange(before_put, nullptr)) run();
    const std::lock_guard lock(mutex);
    if (fails) return fault();
    entries[{key.group, key.name}] = bytes;
    ++puts;
    changed.notify_all();
    return true;
  }
  noun::Result<void> remove(const noun::CacheKey& key) override {
    const std::lock_guard lock(mutex);
    entries.erase({key.group, key.name});
    return {};
  }
  noun::Result<void> remove_group(std::string_view group) override {
    std::unique_lock lock(mutex);
    ++removing;
    changed.notify_all();
    changed.wait(lock, [&] { return !keeps_groups; });
    std::erase_if(entries, [&](const auto& entry) { return entry.first.first == group; });
    ++removed_groups;
    changed.notify_all();
    return {};
  }
  void wait_for_puts(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return puts >= count; });
  }
  static noun::Error fault() { return noun::Error(noun::Errc::resource, "the disk of the-disk-token is full", "make room"); }

  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::string> entries;
  std::condition_variable changed;
  int puts = 0;
  int removing = 0;
  int removed_groups = 0;
  /// remove_group() waits until this is false.
  bool keeps_groups = false;
  std::function<void()> before_put;
  bool fails = false;
};

struct CachedCalls : ::testing::Test {
  noun::Client client(noun::ClientOptions options = {}) {
    options.transport = script;
    options.clock = clock;
    if (!options.cache) options.cache = cache;
    options.observer = [this](const noun::Event& event) {
      const std::lock_guard lock(cache->mutex);
      events.push_back(event);
      cache->changed.notify_all();
    };
    return noun::Client("https://api.example.com", std::move(options));
  }
  static CacheStatus status_of(const auto& result) { return result.response()->cache; }
  std::string sent(std::size_t index, std::string_view header) const {
    return std::string(script->requests().at(index).headers.get(header).value_or("-"));
  }

  std::shared_ptr<noun::testing::ManualClock> clock = std::make_shared<noun::testing::ManualClock>();
  std::shared_ptr<noun::testing::ScriptedTransport> script =
      std::make_shared<noun::testing::ScriptedTransport>(clock);
  std::shared_ptr<MapCache> cache = std::make_shared<MapCache>();
  std::vector<noun::Event> events;
};

const noun::Headers fresh_for_a_minute = {{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}};

TEST_F(CachedCalls, what_has_not_changed_is_validated) {
  script->expect(Method::get, "/items/1").reply(200, R"({"id":1})", {{"ETag", "\"1\""}, {"X-A", "old"}});
  script->expect(Method::get, "/items/1")
      .with_header("If-None-Match", "\"1\"")
      .reply(304, "", {{"ETag", "\"1\""}, {"X-A", "new"}, {"Content-Length", "0"}});
  const auto api = client();
  const auto first = api.collection("items")[1].get();
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(status_of(first), CacheStatus::stored);
  const auto second = api.collection("items")[1].get();
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(status_of(second), CacheStatus::validated);
  EXPECT_EQ(*second, *first);
  EXPECT_EQ(second.response()->status, 200);
  EXPECT_EQ(second.response()->headers.get("X-A"), "new");
  EXPECT_FALSE(second.response()->headers.contains("Content-Length"));
  EXPECT_EQ(script->complaint(), "");
  EXPECT_THAT(events, Contains(AllOf(Field(&noun::Event::kind, noun::EventKind::cached),
                                     Field(&noun::Event::cache, CacheStatus::validated))));
}

TEST_F(CachedCalls, what_has_changed_replaces_what_was_stored) {
  script->expect(Method::get, "/items/1").reply(200, "1", {{"ETag", "\"1\""}});
  script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"1\"").reply(200, "2", {{"ETag", "\"2\""}});
  script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"2\"").reply(304);
  const auto item = client().collection("items")[1];
  EXPECT_EQ(item.get().value(), 1);
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, what_is_fresh_is_asked_for_in_validate_mode_alone) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"1\"").reply(304);
  const auto validating = client().collection("items")[1];
  EXPECT_TRUE(validating.get());
  EXPECT_EQ(status_of(validating.get()), CacheStatus::validated);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  clock->advance(59s);
  EXPECT_EQ(status_of(item.get()), CacheStatus::fresh);
  EXPECT_EQ(item.get().response()->headers.get("Age"), "59");
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, what_is_fresh_is_used_until_it_is_stale) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"1\"").reply(304, "", fresh_for_a_minute);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_EQ(status_of(item.get()), CacheStatus::stored);
  clock->advance(60s);
  EXPECT_EQ(status_of(item.get()), CacheStatus::validated);
  clock->advance(59s);
  EXPECT_EQ(status_of(item.get()), CacheStatus::fresh);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_304_out_of_the_blue_is_requested_once_more) {
  script->expect(Method::get, "/items/1").reply(200, "1", {{"ETag", "\"1\""}});
  script->expect(Method::get, "/items/1").reply(304, "", {{"ETag", "\"other\""}});
  script->expect(Method::get, "/items/1").reply(200, "2", {{"ETag", "\"2\""}});
  script->expect(Method::get, "/other").reply(304).times(2);
  const auto api = client();
  EXPECT_TRUE(api.collection("items")[1].get());
  EXPECT_EQ(api.collection("items")[1].get().value(), 2);
  EXPECT_EQ(sent(1, "If-None-Match"), "\"1\"");
  EXPECT_EQ(sent(2, "If-None-Match"), "-");
  const auto failed = api.singleton("other").get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), noun::Errc::protocol) << failed.error().message();
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, the_callers_own_condition_bypasses_the_cache) {
  script->expect(Method::get, "/items/1").reply(200, "1", {{"ETag", "\"1\""}});
  script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"mine\"").reply(304);
  script->expect(Method::get, "/items/1").with_header("Range", "bytes=0-1").reply(206, "1");
  const auto item = client().collection("items")[1];
  EXPECT_TRUE(item.get());
  const auto result = item.get({.if_none_match = "\"mine\""});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), noun::Errc::not_modified);
  EXPECT_TRUE(item.get({.headers = {{"Range", "bytes=0-1"}}}));
  EXPECT_EQ(sent(2, "If-None-Match"), "-");
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, reload_asks_for_all_of_it_and_off_leaves_the_cache_alone) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").with_header("Cache-Control", "no-cache").reply(200, "2", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").reply(200, "3", fresh_for_a_minute);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_TRUE(item.get());
  EXPECT_EQ(status_of(item.get({.cache = UseCache::reload})), CacheStatus::stored);
  EXPECT_EQ(sent(1, "If-None-Match"), "-");
  EXPECT_EQ(status_of(item.get({.cache = UseCache::off})), CacheStatus::none);
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_write_drops_the_item_and_every_page_of_its_collection) {
  for (int round = 0; round < 2; ++round) {
    for (const auto* target : {"/items?page=1", "/items?page=2", "/items/1", "/items/2"}) {
      if (round == 1 && std::string_view(target) == "/items/2") continue;
      script->expect(Method::get, target).reply(200, "[]", fresh_for_a_minute);
    }
    if (round == 0) script->expect(Method::patch, "/items/1").reply(200, "{}");
  }
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const auto items = api.collection("items");
  const auto all = [&] {
    return std::vector{status_of(api.send({.path = "items?page=1"})), status_of(api.send({.path = "items?page=2"})),
                       status_of(items[1].get()), status_of(items[2].get())};
  };
  using enum CacheStatus;
  EXPECT_THAT(all(), ElementsAre(stored, stored, stored, stored));
  EXPECT_THAT(all(), ElementsAre(fresh, fresh, fresh, fresh));
  EXPECT_TRUE(items[1].update({{"a", 1}}));
  EXPECT_THAT(all(), ElementsAre(stored, stored, stored, fresh));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_write_that_may_have_been_processed_drops_too) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::patch, "/items/1").fail(noun::Errc::timeout, noun::Sent::maybe);
  script->expect(Method::get, "/items/1").reply(200, "2", fresh_for_a_minute);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_TRUE(item.get());
  EXPECT_FALSE(item.update({{"a", 1}}));
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_cache_that_fails_fails_no_call) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute).times(3);
  cache->fails = true;
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(item.get());
  std::vector<std::string> notices;
  for (const auto& event : events)
    if (event.kind == noun::EventKind::notice) notices.push_back(event.note);
  EXPECT_THAT(notices, ElementsAre(AllOf(HasSubstr("the cache failed"), HasSubstr("is full"))));
}

TEST_F(CachedCalls, a_cache_that_cannot_store_gives_one_notice) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute).times(3);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  for (int i = 0; i < 3; ++i) {
    // The disk is full: what is there can be read.
    cache->before_put = [&] { throw std::runtime_error("the disk is full"); };
    EXPECT_TRUE(item.get());
  }
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const noun::Event& event) { return event.kind == noun::EventKind::notice; }),
            1);
}

TEST_F(CachedCalls, a_damaged_entry_is_a_miss_and_is_removed) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute).times(2);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_TRUE(item.get());
  for (auto& [key, bytes] : cache->entries) bytes.resize(bytes.size() / 2);
  EXPECT_EQ(status_of(item.get()), CacheStatus::stored);
  for (auto& [key, bytes] : cache->entries) bytes.resize(bytes.size() / 2);
  script->expect(Method::get, "/items/1").reply(500);
  EXPECT_FALSE(item.get({.retry = noun::RetryPolicy{.max_attempts = 1}}));
  EXPECT_THAT(cache->entries, IsEmpty());
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, what_the_dialect_takes_for_an_error_is_not_stored) {
  for (int i = 0; i < 2; ++i)
    script->expect(Method::get, "/items/1").reply(200, R"({"state":"broken"})", fresh_for_a_minute);
  noun::Dialect dialect;
  dialect.body_signs = {{.statuses = {200}, .pointer = "/state", .text = "broken", .permanent = true}};
  const auto item = client({.dialect = dialect, .cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_FALSE(item.get());
  EXPECT_FALSE(item.get());
  EXPECT_EQ(script->complaint(), "");
  EXPECT_THAT(cache->entries, IsEmpty());
}

TEST_F(CachedCalls, a_fault_that_is_fresh_is_repeated_all_the_same) {
  script->expect(Method::get, "/items/1").reply(404, "", {{"Cache-Control", "max-age=60"}}).times(4);
  noun::Dialect dialect;
  dialect.transient_statuses = {404};
  const auto item =
      client({.dialect = dialect, .retry = {.max_attempts = 2}, .cache_mode = CacheMode::rfc9111}).collection("items")[1];
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(item.get());
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, what_is_stored_is_judged_by_the_dialect_of_today) {
  script->expect(Method::get, "/items/1").reply(404, "", {{"Cache-Control", "max-age=60"}});
  script->expect(Method::get, "/items/1").reply(200, "1");
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  for (int i = 0; i < 2; ++i) EXPECT_EQ(item.get().error().code(), noun::Errc::not_found);
  noun::Dialect dialect;
  dialect.transient_statuses = {404};
  EXPECT_TRUE(client({.dialect = dialect, .cache_mode = CacheMode::rfc9111}).collection("items")[1].get());
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, what_is_fresh_and_a_fault_by_the_dialect_of_today_is_requested_without_conditions) {
  script->expect(Method::get, "/items/1").reply(404, "", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").reply(200, "1");
  EXPECT_FALSE(client({.cache_mode = CacheMode::rfc9111}).collection("items")[1].get());
  noun::Dialect dialect;
  dialect.transient_statuses = {404};
  EXPECT_TRUE(client({.dialect = dialect, .cache_mode = CacheMode::rfc9111}).collection("items")[1].get());
  EXPECT_EQ(sent(1, "If-None-Match"), "-");
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_write_that_ends_as_an_error_after_a_success_drops_too) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::patch, "/items/1").reply(206, "{}");
  script->expect(Method::get, "/items/1").reply(200, "2", fresh_for_a_minute);
  script->expect(Method::patch, "/items/1").reply(303, "", {{"Location", "/items/1/state"}});
  script->expect(Method::get, "/items/1").reply(200, "3", fresh_for_a_minute);
  script->expect(Method::patch, "/items/1").reply(409);
  const auto item = client({.strict_statuses = true, .cache_mode = CacheMode::rfc9111}).collection("items")[1];
  for (const int value : {1, 2, 3}) {
    EXPECT_EQ(item.get().value(), value);
    EXPECT_FALSE(item.update({{"a", 1}}));
  }
  EXPECT_EQ(item.get().value(), 3);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_write_whose_result_nobody_reads_drops_too) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::get, "/items/2").reply(200, "1");
  script->expect(Method::patch, "/items/1").reply(200, "{}");
  script->expect(Method::get, "/items/1").reply(200, "2", fresh_for_a_minute);
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const auto item = api.collection("items")[1];
  EXPECT_TRUE(item.get());
  const auto wait_until = [&](auto holds) {
    std::unique_lock lock(cache->mutex);
    return cache->changed.wait_for(lock, 10s, holds);
  };
  {
    std::vector<noun::Operation<noun::Json>> operations;
    operations.push_back(noun::op::get(api.collection("items")[2]));
    operations.push_back(noun::op::update(item, noun::Json{{"a", 1}}));
    auto outcomes = api.run_all(operations, {.in_flight = 2});
    auto first = outcomes.begin();
    EXPECT_TRUE(*first);
    EXPECT_TRUE(wait_until([&] {
      return std::any_of(events.begin(), events.end(), [](const noun::Event& event) {
        return event.kind == noun::EventKind::attempt_ended && event.method == Method::patch;
      });
    }));
  }
  EXPECT_TRUE(wait_until([&] { return cache->removed_groups > 0; }));
  EXPECT_EQ(item.get().value(), 2);
}

TEST_F(CachedCalls, the_end_of_the_client_waits_for_writes_to_drop) {
  // More than there are workers for it; each drops its item and the collection.
  constexpr int writes = 6;
  script->expect(Method::patch, "/items/1").reply(200, "{}").times(writes);
  cache->keeps_groups = true;
  std::optional<noun::Client> api = client();
  for (int i = 0; i < writes; ++i)
    noun::start(noun::op::update(api->collection("items")[1], noun::Json{{"a", 1}}), [](auto) {}, [](auto) {});
  const auto wait_until = [&](auto holds) {
    std::unique_lock lock(cache->mutex);
    return cache->changed.wait_for(lock, 10s, holds);
  };
  EXPECT_TRUE(wait_until([&] {
    return cache->removing == 4 && std::count_if(events.begin(), events.end(), [](const noun::Event& event) {
                                     return event.kind == noun::EventKind::attempt_ended;
                                   }) == writes;
  }));
  std::thread later([&] {
    const std::lock_guard lock(cache->mutex);
    cache->keeps_groups = false;
    cache->changed.notify_all();
  });
  api.reset();
  later.join();
  EXPECT_TRUE(wait_until([&] { return cache->removed_groups == 2 * writes; })) << cache->removed_groups;
}

TEST_F(CachedCalls, a_write_while_a_response_is_stored_wins) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::patch, "/items/1").reply(200, "{}");
  script->expect(Method::get, "/items/1").reply(200, "2", fresh_for_a_minute);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  cache->before_put = [&] { EXPECT_TRUE(item.update({{"a", 1}})); };
  EXPECT_EQ(item.get().value(), 1);
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_head_is_kept_apart_from_the_get) {
  script->expect(Method::head, "/items/1").reply(200, "", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const auto head = [&] { return status_of(api.send({.method = Method::head, .path = "items/1"})); };
  EXPECT_EQ(head(), CacheStatus::stored);
  EXPECT_EQ(status_of(api.collection("items")[1].get()), CacheStatus::stored);
  EXPECT_EQ(head(), CacheStatus::fresh);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_query_is_kept_by_its_body_and_what_describes_it) {
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const auto query = [&](const char* body, const char* type = "application/json") {
    return api.send({.method = Method::query, .path = "items", .headers = {{"Content-Type", type}}, .body = body});
  };
  for (const auto* found : {"1", "2", "3", "4"})
    script->expect(Method::query, "/items").reply(200, found, fresh_for_a_minute);
  EXPECT_EQ(query("a")->body, "1");
  EXPECT_EQ(query("b")->body, "2");
  EXPECT_EQ(query("a", "text/csv")->body, "3");
  EXPECT_EQ(query("a")->body, "1");
  EXPECT_EQ(status_of(query("b")), CacheStatus::fresh);
  clock->advance(60s);
  script->expect(Method::query, "/items").with_header("If-None-Match", "\"1\"").reply(304);
  EXPECT_EQ(query("b")->body, "4");
  EXPECT_EQ(status_of(query("a")), CacheStatus::validated);
  script->expect(Method::post, "/items").reply(201, "{}");
  EXPECT_TRUE(api.send({.method = Method::post, .path = "items", .body = "{}"}));
  script->expect(Method::query, "/items").reply(200, "5");
  EXPECT_EQ(query("a")->body, "5");
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_query_whose_body_is_streamed_is_not_kept) {
  script->expect(Method::query, "/items").reply(200, "1", fresh_for_a_minute).times(2);
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const TemporaryFolder folder;
  folder.write("query.json", "{}");
  const noun::Request request{
      .method = Method::query, .path = "items", .body = noun::body::file(folder.path("query.json"))};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(status_of(api.send(request)), CacheStatus::none);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_secret_in_the_fault_of_a_cache_is_hidden) {
  script->expect(Method::get, "/items/1").reply(200, "1");
  cache->fails = true;
  EXPECT_TRUE(client({.credentials = noun::bearer("the-disk-token")}).collection("items")[1].get());
  std::string notices;
  for (const auto& event : events) notices += event.note;
  EXPECT_THAT(notices, HasSubstr("of *** is full"));
}

TEST_F(CachedCalls, a_server_that_fails_is_replaced_by_what_it_allows) {
  script->expect(Method::get, "/items/1")
      .reply(200, "1", {{"Cache-Control", "max-age=1, stale-if-error=60"}, {"ETag", "\"1\""}});
  script->expect(Method::get, "/items/1").reply(503);
  script->expect(Method::get, "/items/1").fail(noun::Errc::connect, noun::Sent::no);
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_TRUE(item.get());
  clock->advance(30s);
  EXPECT_EQ(status_of(item.get()), CacheStatus::stale);
  EXPECT_EQ(status_of(item.get()), CacheStatus::stale);
  EXPECT_THAT(clock->waits(), IsEmpty());
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, responses_are_kept_apart_by_credentials) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").reply(200, "2", fresh_for_a_minute);
  script->expect(Method::get, "/items/1").reply(200, "3", fresh_for_a_minute);
  const auto options = [](noun::Credentials credentials) {
    return noun::ClientOptions{.credentials = std::move(credentials), .cache_mode = CacheMode::rfc9111};
  };
  const auto value = [](const noun::Client& api, noun::Headers headers = {}) {
    return api.collection("items")[1].get({.headers = std::move(headers)}).value();
  };
  const auto one = client(options(noun::bearer("one-token")));
  const auto two = client(options(noun::bearer("two-token")));
  const auto none = client(options({}));
  EXPECT_EQ(value(one), 1);
  EXPECT_EQ(value(two), 2);
  EXPECT_EQ(value(none, {{"Authorization", "Bearer three"}}), 3);
  EXPECT_EQ(value(one), 1);
  EXPECT_EQ(value(two), 2);
  EXPECT_EQ(value(none, {{"Authorization", "Bearer three"}}), 3);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, responses_are_kept_apart_by_whose_data_they_are) {
  // Their ETags are numbers of versions, and the server does not name the field in Vary.
  const auto api = client();
  for (const auto* field : {"X-Tenant-Id", "openai-organization", "Stripe-Account", "X-Account"}) {
    script->expect(Method::get, "/items/1").reply(200, "7", {{"ETag", "\"1\""}});
    script->expect(Method::get, "/items/1").reply(200, "8", {{"ETag", "\"1\""}});
    script->expect(Method::get, "/items/1").with_header("If-None-Match", "\"1\"").reply(304);
    const auto value_for = [&](const char* owner) {
      return api.with({.headers = noun::Headers{{field, owner}}}).collection("items")[1].get().value();
    };
    EXPECT_EQ(value_for("7"), 7);
    EXPECT_EQ(value_for("8"), 8);
    EXPECT_EQ(sent(script->requests().size() - 1, "If-None-Match"), "-") << field;
    EXPECT_EQ(value_for("7"), 7);
  }
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, vary_selects) {
  const auto in = [&](const char* language, const char* body) {
    script->expect(Method::get, "/items/1")
        .with_header("Accept-Language", language)
        .reply(200, body, {{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Language, accept-encoding"}});
  };
  in("de", "1");
  in("en", "2");
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  const auto value = [&](const char* language) { return item.get({.headers = {{"Accept-Language", language}}}).value(); };
  EXPECT_EQ(value("de"), 1);
  EXPECT_EQ(value("en"), 2);
  EXPECT_EQ(value("de"), 1);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_listing_validates_page_by_page) {
  const auto page = [&](const char* target, const char* body, const char* next) {
    script->expect(Method::get, target)
        .reply(200, body, {{"ETag", body}, {"Link", "<" + std::string(next) + ">; rel=\"next\""}});
  };
  page("/items", "[1,2]", "/items?page=2");
  script->expect(Method::get, "/items?page=2").reply(200, "[3]", {{"ETag", "\"last\""}});
  script->expect(Method::get, "/items").with_header("If-None-Match", "[1,2]").reply(304);
  script->expect(Method::get, "/items?page=2").reply(200, "[3,4]", {{"ETag", "\"more\""}});
  const auto items = client().collection<int>("items");
  const auto all = [&] {
    std::vector<int> values;
    for (const auto& item : items.list()) values.push_back(item.value());
    return values;
  };
  EXPECT_THAT(all(), ElementsAre(1, 2, 3));
  EXPECT_THAT(all(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_response_is_as_old_as_its_date_by_the_clock_of_the_server) {
  // The server is a day ahead.
  const auto date = [&](noun::Duration ago) {
    const auto at = std::chrono::floor<std::chrono::seconds>(clock->now().wall + 24h - ago);
    return noun::Headers{{"Date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(at))},
                         {"Cache-Control", "max-age=60"}};
  };
  script->expect(Method::get, "/items/2").reply(200, "2", date(0s));
  script->expect(Method::get, "/items/1").reply(200, "1", date(50s));
  script->expect(Method::get, "/items/1").reply(200, "1", date(0s));
  const auto items = client({.cache_mode = CacheMode::rfc9111}).collection("items");
  EXPECT_TRUE(items[2].get());
  EXPECT_TRUE(items[1].get());
  clock->advance(5s);
  EXPECT_EQ(status_of(items[1].get()), CacheStatus::fresh);
  clock->advance(10s);
  EXPECT_EQ(status_of(items[1].get()), CacheStatus::stored) << "65 s";
  EXPECT_EQ(status_of(items[2].get()), CacheStatus::fresh);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, a_stale_response_is_validated_in_the_background) {
  script->expect(Method::get, "/items/1")
      .reply(200, "1", {{"Cache-Control", "max-age=1, stale-while-revalidate=60"}, {"ETag", "\"1\""}});
  script->expect(Method::get, "/items/1")
      .with_header("If-None-Match", "\"1\"")
      .reply(200, "2", {{"Cache-Control", "max-age=60"}, {"ETag", "\"2\""}});
  const auto item = client({.cache_mode = CacheMode::rfc9111}).collection("items")[1];
  EXPECT_TRUE(item.get());
  clock->advance(30s);
  const auto stale = item.get();
  EXPECT_EQ(status_of(stale), CacheStatus::stale);
  EXPECT_EQ(stale.value(), 1);
  cache->wait_for_puts(2);
  EXPECT_EQ(status_of(item.get()), CacheStatus::fresh);
  EXPECT_EQ(item.get().value(), 2);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, calls_in_the_background_use_it_too) {
  for (const auto* target : {"/items/1", "/items/2"}) script->expect(Method::get, target).reply(200, "1", fresh_for_a_minute);
  const auto api = client({.cache_mode = CacheMode::rfc9111});
  const auto items = api.collection("items");
  const auto statuses = [&] {
    std::vector<CacheStatus> all;
    for (const auto& item : items.get_all(std::vector{1, 2}, {.in_flight = 1})) all.push_back(status_of(item));
    return all;
  };
  EXPECT_THAT(statuses(), ElementsAre(CacheStatus::stored, CacheStatus::stored));
  EXPECT_THAT(statuses(), ElementsAre(CacheStatus::fresh, CacheStatus::fresh));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, pages_that_are_fetched_ahead_are_validated) {
  for (const auto* condition : {"", "\"1\""}) {
    auto& first = script->expect(Method::get, "/items");
    if (*condition != '\0') first.with_header("If-None-Match", condition).reply(304);
    else first.reply(200, "[1,2]", {{"ETag", "\"1\""}});
  }
  const auto items = client().collection<int>("items");
  for (int round = 0; round < 2; ++round) {
    std::vector<int> values;
    for (const auto& item : items.list({.prefetch = 4})) values.push_back(item.value());
    EXPECT_THAT(values, ElementsAre(1, 2));
  }
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(CachedCalls, no_token_and_no_url_reach_the_store) {
  script->expect(Method::get, "/items/1").reply(200, "1", fresh_for_a_minute);
  const auto api = client({.credentials = noun::bearer("canary-token"), .query = {{"api_key", "canary-key"}}});
  EXPECT_TRUE(api.collection("items")[1].get({.headers = {{"Cookie", "canary-cookie"}}}));
  ASSERT_FALSE(cache->entries.empty());
  for (const auto& [key, bytes] : cache->entries) EXPECT_EQ((key.first + key.second + bytes).find("canary"), std::string::npos);
}

}}  // namespace noun_test::cached_calls_test
