// Tests of the libcurl transport with the sample server: every verb, complete listings, and faults.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>

#include "integration/atlas_round.hpp"
#include "joining_thread.hpp"

namespace atlas_round_test {

using namespace std::chrono_literals;

TEST(AtlasRound, every_verb_works) {
  atlas::Service service;
  noun::Client api{service.base_url()};
  const auto languages = api.collection<Language>("languages");
  const auto made = languages.create({.alpha_3 = "qat", .name = "First"});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made.response()->status, 201);
  const auto language = languages["qat"];
  EXPECT_EQ(language.get().value().name, "First");
  EXPECT_EQ(language.replace({.alpha_3 = "qat", .name = "Second"}).value().name, "Second");
  EXPECT_EQ(language.update(noun::Json{{"name", "Third"}}).value().name, "Third");
  const auto removed = language.remove();
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(removed.response()->status, 204);
  EXPECT_EQ(language.get().error().code(), noun::Errc::not_found);
}

TEST(AtlasRound, lists_a_sub_resource) {
  atlas::Service service{{.prefix = "/v1"}};
  noun::Client api{service.base_url() + "/"};
  std::set<std::string> codes;
  for (const auto& subdivision : api.collection("countries")["IS"].collection("subdivisions").list({.page_size = 5}))
    codes.insert(subdivision.value().at("code").get<std::string>());
  EXPECT_TRUE(codes.contains("IS-1"));
  EXPECT_GT(codes.size(), 60U);
}

TEST(AtlasRound, an_id_with_a_slash_is_one_segment) {
  atlas::Service service;
  noun::Client api{service.base_url()};
  const auto scripts = api.collection("scripts");
  ASSERT_TRUE(scripts["a/b?c"].replace(noun::Json{{"alpha_4", "a/b?c"}, {"name", "odd"}}));
  EXPECT_EQ(scripts["a/b?c"].get().value().at("name"), "odd");
  EXPECT_EQ(scripts["a"].get().error().code(), noun::Errc::not_found);
}

TEST(AtlasRound, a_lost_update_is_a_conflict) {
  atlas::Service service;
  noun::Client api{service.base_url()};
  const auto script = api.collection("scripts")["Latn"];
  const auto first = script.get();
  const std::string etag(first.response()->headers.get("ETag").value());
  ASSERT_TRUE(script.update(noun::Json{{"name", "changed"}}));
  const auto second = script.update(noun::Json{{"name", "mine"}}, {.if_match = etag});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), noun::Errc::conflict);
  EXPECT_EQ(script.get({.if_none_match = etag}).value().at("name"), "changed");
  const std::string now(script.get().response()->headers.get("ETag").value());
  EXPECT_EQ(script.get({.if_none_match = now}).error().code(), noun::Errc::not_modified);
}

TEST(AtlasRound, every_reset_format_is_drained_without_a_rejection) {
  struct ResetFormat {
    const char* name;
    atlas::ResetForm reset;
    bool retry_after;
    std::chrono::milliseconds clock_offset;
  };
  const ResetFormat formats[] = {{"epoch", atlas::ResetForm::epoch, true, 0ms},
                                 {"delta", atlas::ResetForm::delta, false, 0ms},
                                 {"an hour fast", atlas::ResetForm::epoch, false, 1h},
                                 {"an hour slow", atlas::ResetForm::epoch, true, -1h}};
  for (const auto& [name, reset, retry_after, clock_offset] : formats) {
    SCOPED_TRACE(name);
    atlas::Service service{{.limit = 40,
                            .period = 1s,
                            .reset = reset,
                            .retry_after = retry_after,
                            .latency = 2ms,
                            .clock_offset = clock_offset}};
    noun::Client api{service.base_url()};
    EXPECT_EQ(drain(api, 200), service.stats().items.at("languages"));
    EXPECT_EQ(service.stats().rejected, 0U);
    EXPECT_EQ(api.quota_snapshot().rejected, 0U);
  }
}

TEST(AtlasRound, without_rate_headers_a_listing_completes_with_retry_after) {
  atlas::Service service{{.limit = 20, .period = 1s, .rate_headers = false, .latency = 1ms}};
  std::vector<noun::Duration> waits;
  noun::Client api{service.base_url(), {.observer = [&](const noun::Event& event) {
                     if (event.reason == noun::WaitReason::retry_after) waits.push_back(event.wait);
                   }}};
  EXPECT_EQ(drain(api, 100), service.stats().items.at("languages"));
  EXPECT_FALSE(waits.empty());
  for (const auto wait : waits) EXPECT_GE(wait, 1s);
}

TEST(AtlasRound, dropped_connections_and_503s_lose_no_item) {
  atlas::Service service{{.drop = 0.05, .drop_after = 0.05, .unavailable = 0.05, .seed = 7}};
  noun::Client api{
      service.base_url(),
      {.retry = {.max_attempts = 10, .initial_backoff = 1ms, .max_backoff = 5ms}, .budget = {.capacity = 1000}}};
  EXPECT_EQ(drain(api, 100), service.stats().items.at("languages"));
}

TEST(AtlasRound, a_create_with_a_key_is_applied_once_if_its_response_is_lost) {
  atlas::Service service{{.drop_after = 0.5, .seed = 3}};
  noun::Client api{
      service.base_url(),
      {.retry = {.max_attempts = 30, .initial_backoff = 1ms, .max_backoff = 1ms}, .budget = {.capacity = 1e6}}};
  const auto before = service.stats().applied_writes;
  constexpr std::uint64_t creates = 50;
  for (std::uint64_t i = 0; i < creates; ++i) {
    const auto made =
        api.collection<Language>("languages")
            .create({.alpha_3 = "q" + std::to_string(i), .name = "n"}, {.idempotency_key = noun::auto_key});
    ASSERT_TRUE(made) << made.error().message();
  }
  EXPECT_EQ(service.stats().applied_writes - before, creates);
}

TEST(AtlasRound, a_create_without_a_key_is_never_repeated_and_sent_is_maybe) {
  atlas::Service service{{.drop_after = 0.5, .seed = 11}};
  noun::Client api{service.base_url()};
  std::uint64_t lost = 0;
  constexpr std::uint64_t creates = 1000;
  for (std::uint64_t i = 0; i < creates; ++i) {
    const auto made = api.collection<Language>("languages").create({.alpha_3 = "q" + std::to_string(i), .name = "n"});
    if (made) continue;
    ++lost;
    ASSERT_EQ(made.error().sent(), noun::Sent::maybe) << made.error().message();
    ASSERT_EQ(made.error().stopped_because(), noun::StopReason::not_repeatable);
  }
  EXPECT_GT(lost, 300U);
  EXPECT_EQ(service.stats().requests, creates);
  EXPECT_EQ(service.stats().applied_writes, creates);
}

TEST(AtlasRound, many_threads_share_one_client_and_one_quota) {
  atlas::Service service{{.limit = 100, .period = 1s, .latency = 2ms}};
  noun::Client api{service.base_url()};
  std::vector<noun_test::JoiningThread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 15; ++i)
        if (api.collection<Language>("languages")["deu"].get()) ++good;
    });
  threads.clear();
  EXPECT_EQ(good, 240);
  EXPECT_EQ(service.stats().rejected, 0U);
}

}  // namespace atlas_round_test
