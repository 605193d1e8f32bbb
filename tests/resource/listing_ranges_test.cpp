// Tests of listings by ranges: the expected status, and responses with another range.
#include <noun/listing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_ranges_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct People : Bench {
  explicit People(noun::Dialect dialect = {.paging = noun::paging::postgrest()}, bool strict = false)
      : api(client(
            {.dialect = std::move(dialect), .strict_statuses = strict, .observer = [this](const noun::Event& event) {
               if (event.kind == noun::EventKind::notice) notices.push_back(event.note);
             }})) {}

  void reply(int status, const char* body, const char* content_range) {
    script->expect(Method::get, "/v1/people").reply(status, body, {{"Content-Range", content_range}});
  }
  noun::Listing<int> list(std::string resume = {}) {
    return people.list({.page_size = 2, .resume = std::move(resume)});
  }

  std::vector<std::string> notices;
  noun::Client api;
  noun::Collection<int> people = api.collection<int>("people");
};

TEST(ListingOfRanges, expects_206) {
  for (const bool strict : {false, true}) {
    People bench({.paging = noun::paging::postgrest()}, strict);
    bench.reply(206, "[1, 2]", "0-1/3");
    bench.reply(206, "[3]", "2-2/3");
    EXPECT_THAT(all_of(bench.list()), ElementsAre(1, 2, 3));
    EXPECT_THAT(bench.notices, IsEmpty());
  }
}

TEST(ListingOfRanges, only_ranges_expect_206) {
  People pages{noun::Dialect()};
  pages.reply(206, "[1]", "0-0/1");
  EXPECT_THAT(all_of(pages.people.list()), ElementsAre(1));
  EXPECT_EQ(pages.notices.size(), 1U) << "about the status";
  People ranges;
  ranges.script->expect(Method::get, "/v1/people/1").reply(206, "1");
  EXPECT_TRUE(ranges.people.item("1").get());
  EXPECT_EQ(ranges.notices.size(), 1U) << "about the response that is not a page";
}

TEST(ListingOfRanges, delivers_nothing_of_another_range_and_resumes_before_it) {
  People bench;
  bench.reply(206, "[1, 2]", "0-1/*");
  bench.script->expect(Method::get, "/v1/people").reply(200, "[1, 2, 3, 4]");
  auto listing = bench.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, -1));
  EXPECT_EQ(listing.tally().items, 2U);
  bench.reply(206, "[1, 2]", "0-1/*");
  bench.reply(206, "[3]", "2-2/*");
  EXPECT_THAT(all_of(bench.list(listing.bookmark())), ElementsAre(3));
}

TEST(ListingOfRanges, keeps_its_bookmark_if_the_first_response_is_another_range) {
  People bench;
  bench.reply(206, "[1, 2]", "0-1/5");
  bench.reply(206, "[3, 4]", "2-3/5");
  auto started = bench.people.list({.page_size = 2, .max_items = 3});
  EXPECT_THAT(all_of(started), ElementsAre(1, 2, 3));
  bench.reply(206, "[2, 3]", "1-2/5");
  auto resumed = bench.list(started.bookmark());
  EXPECT_THAT(all_of(resumed), ElementsAre(-1));
  EXPECT_EQ(resumed.bookmark(), started.bookmark());
  bench.reply(206, "[3, 4]", "2-3/5");
  bench.reply(206, "[5]", "4-4/5");
  EXPECT_THAT(all_of(bench.list(resumed.bookmark())), ElementsAre(4, 5));
  EXPECT_EQ(bench.last().headers.get("Range"), "4-5");
}

TEST(ListingOfRanges, does_not_end_before_the_reported_total) {
  People bench;
  bench.reply(206, "[1, 2]", "0-1/100");
  bench.reply(416, "", "*/100");
  EXPECT_THAT(all_of(bench.list()), ElementsAre(1, 2, -1));
  bench.reply(206, "[1, 2]", "0-1/*");
  bench.reply(416, "", "*/2");
  EXPECT_THAT(all_of(bench.list()), ElementsAre(1, 2));
}

}  // namespace listing_ranges_test
}  // namespace resource_test
