// Tests of --share: several exports with one quota.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <atlas_service.hpp>

#include "export/export_bench.hpp"
#include "export/export_process.hpp"
#ifdef NOUN_EXPORT_REDIS
#include "redis/redis_server.hpp"
#endif

namespace export_test { namespace export_share_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(std::string_view text, std::string_view words) {
  std::size_t found = 0;
  for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

struct ExportShare : Bench {};

TEST_F(ExportShare, two_exports_at_once_have_every_item_and_no_rejection) {
  const atlas::Service service{{.limit = 15, .period = 1s}};
  const auto line = service.base_url() + " /languages --page-size 100 --max-items 2000 --concurrency 4 --share " +
                    (folder / "quotas").string() + " --identity ci-bot";
  const Folder other;
  Process first(folder.path, words_of(line));
  Process second(other.path, words_of(line));
  EXPECT_EQ(first.wait(), 0) << first.err();
  EXPECT_EQ(second.wait(), 0) << second.err();
  EXPECT_EQ(service.stats().rejected, 0U);
  const auto lines = lines_of(folder / "stdout");
  EXPECT_EQ(lines.size(), 2000U);
  EXPECT_EQ(lines, lines_of(other / "stdout"));
  EXPECT_THAT(first.err(), HasSubstr("this process shares the quota now\n"));
}

TEST_F(ExportShare, an_export_continues_with_what_the_one_before_has_left) {
  const atlas::Service service{{.limit = 5, .period = 1h}};
  const auto line = service.base_url() + " /languages --page-size 100 --share ./quotas";
  EXPECT_EQ(run(line + " --max-items 500"), 0) << err;
  EXPECT_EQ(run(line + " --deadline 20s"), 75) << err;
  EXPECT_EQ(out, "");
  EXPECT_EQ(service.stats().requests, 5U);
}

TEST_F(ExportShare, goes_on_without_the_store_and_says_so_once) {
  const atlas::Service service{{.limit = 15, .period = 500ms}};
  const auto line = service.base_url() + " /languages --page-size 100 --max-items 2000 --share ./absent/quotas";
  EXPECT_EQ(run(line + " --stats run.jsonl"), 0) << err;
  EXPECT_EQ(lines_of(folder / "stdout").size(), 2000U);
  EXPECT_EQ(count(err, "the store of the shared quota is unavailable: the folder of"), 1U) << err;
  EXPECT_EQ(count(err, "unavailable"), 1U) << err;
  EXPECT_THAT(err, HasSubstr("create it"));
  EXPECT_THAT(text_of(folder / "run.jsonl"), HasSubstr("the store of the shared quota is unavailable"));
  EXPECT_EQ(run(line + " --quiet"), 0);
  EXPECT_EQ(err, "");
}

TEST_F(ExportShare, refuses_a_place_that_cannot_be_one) {
  const auto export_to = [&](const std::string& place) { return run("https://127.0.0.1:1 /items --share " + place); };
  put("file", "");
  EXPECT_EQ(export_to("./file"), 64);
  EXPECT_THAT(err, HasSubstr("Not a directory"));
#ifdef NOUN_EXPORT_REDIS
  EXPECT_EQ(export_to("http://h"), 64);
  EXPECT_THAT(err, HasSubstr("the URL of the Redis server does not start with redis://"));
  EXPECT_EQ(export_to("rediss://h"), 64);
  EXPECT_THAT(err, HasSubstr("no TLS"));
#else
  EXPECT_EQ(export_to("redis://h"), 64);
  EXPECT_THAT(err, HasSubstr("this program was built without Redis; name a directory"));
#endif
  EXPECT_EQ(run("https://127.0.0.1:1 /items --share-env NOTHING_HERE"), 64);
  EXPECT_THAT(err, HasSubstr("the environment variable NOTHING_HERE (--share-env) is not set"));
}

#ifdef NOUN_EXPORT_REDIS
TEST_F(ExportShare, machines_share_through_redis) {
  const noun_test::RedisServer redis;
  const auto place = "redis://127.0.0.1:" + std::to_string(redis.port());
  const atlas::Service service{{.limit = 15, .period = 1s}};
  const auto line =
      service.base_url() + " /languages --page-size 100 --max-items 2000 --concurrency 4 --share " + place;
  const Folder other;
  Process first(folder.path, words_of(line));
  Process second(other.path, words_of(line));
  EXPECT_EQ(first.wait(), 0) << first.err();
  EXPECT_EQ(second.wait(), 0) << second.err();
  EXPECT_EQ(service.stats().rejected, 0U);
  EXPECT_EQ(lines_of(folder / "stdout").size(), 2000U);
  EXPECT_EQ(lines_of(folder / "stdout"), lines_of(other / "stdout"));
  Process shown(folder.path, {place}, {}, {}, quota_program);
  EXPECT_EQ(shown.wait(), 0) << shown.err();
  EXPECT_THAT(shown.out(), AllOf(HasSubstr("noun:"), HasSubstr("no process shares it now")));
}

TEST_F(ExportShare, goes_on_without_redis_and_does_not_show_its_password) {
  const atlas::Service service;
  EXPECT_EQ(run(words_of(service.base_url() + " /scripts --share-env PLACE"),
                {{"PLACE", "redis://me:canary-0815@127.0.0.1:1/0"}}),
            0);
  EXPECT_EQ(count(err, "the store of the shared quota is unavailable: cannot connect to the Redis server"), 1U) << err;
  EXPECT_THAT(err, AllOf(Not(HasSubstr("canary-0815")), Not(HasSubstr("::"))));
  EXPECT_EQ(run(words_of(service.base_url() + " /scripts --share-env PLACE"),
                {{"PLACE", "redis://me:canary-0815@quota.example.com/0"}}),
            64);
  EXPECT_THAT(err, AllOf(HasSubstr("the password would be sent unencrypted to quota.example.com:6379; use redis:// to"),
                         Not(HasSubstr("canary-0815")), Not(HasSubstr("::"))));
}
#endif

}  // namespace export_share_test
}  // namespace export_test
