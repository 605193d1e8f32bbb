// Tests of item keys: no item is delivered twice or lost when pages change; and of the tally: what a listing reports if
// its total and its items differ.
#include <noun/listing.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_keys_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The same two ids, in turns in another order: pages with equal items would end a listing.
std::vector<int> one_and_two(int page) { return page % 2 == 1 ? std::vector{1, 2} : std::vector{2, 1}; }

/// Items with ids, on pages that a test may change while they are read.
struct Things : ThreePages {
  std::vector<std::string> notices;
  noun::Client watched = client({.observer =
                                     [this](const noun::Event& event) {
                                       if (event.kind == noun::EventKind::notice) notices.push_back(event.note);
                                     },
                                 .transport = pages});
  noun::Collection<> things = watched.collection("numbers");

  void serve(int page, const std::vector<int>& ids, noun::Headers fields = {}) {
    Json body = Json::array();
    for (const int id : ids) body.push_back({{"id", id}});
    pages->page(page == 1 ? numbers_url : numbers_url + "?page=" + std::to_string(page), body.dump(),
                std::move(fields));
  }
};

std::vector<int> ids_of(noun::Listing<Json>& listing) {
  std::vector<int> ids;
  for (const auto& thing : listing) ids.push_back(thing ? (*thing)["id"].get<int>() : -1);
  return ids;
}
std::vector<int> ids_of(noun::Listing<Json>&& listing) { return ids_of(listing); }

TEST(ListingKeys, an_item_repeated_on_a_later_page_is_left_out_and_reported) {
  Things bench;
  bench.serve(1, {1, 2, 3}, next("?page=2"));
  bench.serve(2, {3, 4, 4});
  EXPECT_THAT(ids_of(bench.things.list()), ElementsAre(1, 2, 3, 3, 4, 4));
  EXPECT_THAT(bench.notices, IsEmpty());
  auto listing = bench.things.list({.key = "/id"});
  EXPECT_THAT(ids_of(std::move(listing)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bench.notices, ElementsAre(HasSubstr("2 items of page 2 were left out: their /id was delivered before")));
}

/// Two ids with the same FNV-1a hash of 64 bits, e3a6e6de6e1173a3, as JSON texts with their quotes.
constexpr const char* colliding[] = {"zKXTGQgFFEC", "-YutDbGg3AK"};

TEST(ListingKeys, ids_that_a_server_chose_to_collide_hide_no_item) {
  const auto fnv = [](std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    return hash;
  };
  ASSERT_EQ(fnv(Json(colliding[0]).dump()), fnv(Json(colliding[1]).dump()));
  for (const auto* key : {"/id", "/name"}) {
    Things bench;
    const auto page = [](const char* id) { return Json{{{"id", id}}}.dump(); };
    bench.pages->page(numbers_url, page(colliding[0]), next("?page=2"));
    bench.pages->page(numbers_url + "?page=2", page(colliding[1]));
    const auto texts = [&](std::string bookmark, std::size_t most) {
      auto listing = bench.things.list({.max_items = most, .resume = std::move(bookmark), .key = key});
      std::vector<std::string> ids;
      for (const auto& thing : listing) ids.push_back(thing.value()["id"]);
      return std::pair(ids, listing.bookmark());
    };
    EXPECT_THAT(texts("", 9).first, ElementsAre(colliding[0], colliding[1])) << key;
    EXPECT_THAT(texts(texts("", 1).second, 9).first, ElementsAre(colliding[1])) << key;
    EXPECT_THAT(bench.notices, IsEmpty());
  }
}

TEST(ListingKeys, a_bookmark_has_a_random_seed_with_which_the_keys_are_recognized) {
  Things bench;
  bench.serve(1, {1, 2, 3});
  const auto bookmark = [&] {
    auto listing = bench.things.list({.max_items = 2, .key = "/id"});
    ids_of(listing);
    return listing.bookmark();
  };
  const auto one = bookmark();
  EXPECT_NE(one, bookmark());
  bench.serve(1, {9, 2, 1, 3});
  EXPECT_THAT(ids_of(bench.things.list({.resume = one, .key = "/id"})), ElementsAre(9, 3));
}

TEST(ListingKeys, an_item_that_is_twice_on_its_page_is_delivered_after_resuming) {
  Things bench;
  bench.serve(1, {1, 2, 2, 3});
  for (const std::size_t taken : {0U, 1U, 2U, 3U}) {
    auto listing = bench.things.list({.max_items = taken, .key = "/id"});
    auto ids = ids_of(listing);
    for (const int id : ids_of(bench.things.list({.resume = listing.bookmark(), .key = "/id"}))) ids.push_back(id);
    EXPECT_THAT(ids, ElementsAre(1, 2, 3)) << taken;
  }
}

TEST(ListingKeys, the_tally_counts_items_left_out) {
  Things bench;
  bench.serve(1, {1, 2, 3}, next("?page=2"));
  bench.serve(2, {3, 4});
  auto listing = bench.things.list({.key = "/id"});
  for (const auto& thing : listing) static_cast<void>(thing);
  EXPECT_EQ(listing.tally().pages, 2U);
  EXPECT_EQ(listing.tally().items, 4U);
  EXPECT_EQ(listing.tally().duplicates, 1U);
}

TEST(ListingKeys, an_item_without_the_key_is_identified_by_its_text) {
  Things bench;
  bench.pages->page(numbers_url, R"([{"id":1,"a":1},{"id":1,"a":2},{"name":"x"},{"name":"y"},{"name":"x"}])");
  std::vector<std::string> seen;
  for (const auto& thing : bench.things.list({.key = "/id"})) seen.push_back(thing->dump());
  EXPECT_THAT(seen, ElementsAre(R"({"a":1,"id":1})", R"({"name":"x"})", R"({"name":"y"})"));
}

TEST(ListingKeys, a_null_key_is_no_key) {
  Things bench;
  bench.pages->page(numbers_url, R"([{"id":null,"a":1},{"id":null,"a":2},{"id":null,"a":1}])");
  auto listing = bench.things.list({.key = "/id"});
  EXPECT_EQ(listing.begin()->value()["a"], 1);
  for (const auto& thing : listing) static_cast<void>(thing);
  EXPECT_EQ(listing.tally().items, 2U);
}

TEST(ListingKeys, a_resumed_page_whose_items_moved_loses_and_repeats_nothing) {
  Things bench;
  bench.serve(1, {1, 2, 3, 4});
  auto before = bench.things.list({.max_items = 2, .key = "/id"});
  for (const auto& thing : before) static_cast<void>(thing);
  const auto bookmark = before.bookmark();
  bench.serve(1, {9, 1, 2, 3, 4});
  EXPECT_THAT(ids_of(bench.things.list({.resume = bookmark, .key = "/id"})), ElementsAre(9, 3, 4));
  bench.serve(1, {2, 3, 4});
  EXPECT_THAT(ids_of(bench.things.list({.resume = bookmark, .key = "/id"})), ElementsAre(3, 4));
  EXPECT_THAT(bench.notices, IsEmpty()) << "items delivered before the bookmark are not duplicates";
}

TEST(ListingKeys, items_delivered_before_a_bookmark_are_left_out_of_later_pages) {
  Things bench;
  bench.serve(1, {1, 2, 3}, next("?page=2"));
  auto before = bench.things.list({.max_items = 2, .key = "/id"});
  for (const auto& thing : before) static_cast<void>(thing);
  bench.serve(1, {8, 9}, next("?page=2"));
  bench.serve(2, {1, 2, 3});
  EXPECT_THAT(ids_of(bench.things.list({.resume = before.bookmark(), .key = "/id"})), ElementsAre(8, 9, 3));
}

TEST(ListingKeys, a_bookmark_of_a_resumed_listing_has_the_keys_of_both) {
  Things bench;
  bench.serve(1, {1, 2, 3, 4, 5});
  std::string bookmark;
  for (int taken = 0; taken < 5; ++taken) {
    auto listing = bench.things.list({.max_items = 1, .resume = bookmark, .key = "/id"});
    EXPECT_THAT(listing.begin()->value()["id"], taken + 1);
    bookmark = listing.bookmark();
    // The next item is first, and the delivered ones have moved to the end.
    auto moved = numbers(taken + 2, 5);
    for (const int delivered : numbers(1, taken + 1)) moved.push_back(delivered);
    bench.serve(1, moved);
  }
  EXPECT_THAT(ids_of(bench.things.list({.resume = bookmark, .key = "/id"})), IsEmpty());
}

TEST(ListingKeys, a_bookmark_without_keys_counts_the_items_of_its_page) {
  Things bench;
  bench.serve(1, {1, 2, 3});
  auto before = bench.things.list({.max_items = 2});
  for (const auto& thing : before) static_cast<void>(thing);
  EXPECT_THAT(ids_of(bench.things.list({.resume = before.bookmark(), .key = "/id"})), ElementsAre(3));
  bench.serve(1, {1, 1, 3});
  EXPECT_THAT(ids_of(bench.things.list({.resume = before.bookmark(), .key = "/id"})), ElementsAre(3))
      << "two equal items were two before the bookmark";
  bench.serve(1, {1, 2, 3});
  auto keyed = bench.things.list({.max_items = 2, .key = "/id"});
  for (const auto& thing : keyed) static_cast<void>(thing);
  EXPECT_THAT(ids_of(bench.things.list({.resume = keyed.bookmark()})), ElementsAre(3));
}

TEST(ListingKeys, a_bookmark_resumed_with_another_key_uses_the_position) {
  Things bench;
  bench.serve(1, {1, 2, 3}, next("?page=2"));
  bench.serve(2, {2, 3, 4, 5, 6});
  auto before = bench.things.list({.max_items = 5, .key = "/id"});
  EXPECT_THAT(ids_of(before), ElementsAre(1, 2, 3, 4, 5));
  for (const std::string key : {"/id", "/uid", ""})
    EXPECT_THAT(ids_of(bench.things.list({.resume = before.bookmark(), .key = key})), ElementsAre(6)) << key;
}

TEST(ListingKeys, a_bookmark_after_duplicates_only_does_not_repeat_them) {
  Things bench;
  bench.serve(1, {1, 2}, next("?page=2"));
  bench.serve(2, {2, 1});
  auto listing = bench.things.list({.key = "/id"});
  EXPECT_THAT(ids_of(listing), ElementsAre(1, 2));
  for (const std::string key : {"/id", "/uid", ""})
    EXPECT_THAT(ids_of(bench.things.list({.resume = listing.bookmark(), .key = key})), IsEmpty()) << key;
}

TEST(ListingKeys, a_page_with_duplicates_only_is_resumed_by_keys_too) {
  Things bench;
  bench.serve(1, {1, 2}, next("?page=2"));
  bench.serve(2, {2, 1});
  auto before = bench.things.list({.key = "/id"});
  EXPECT_THAT(ids_of(before), ElementsAre(1, 2));
  bench.serve(2, {8, 9, 2, 1});
  EXPECT_THAT(ids_of(bench.things.list({.resume = before.bookmark(), .key = "/id"})), ElementsAre(8, 9));
}

TEST(ListingKeys, a_key_that_is_not_a_json_pointer_is_refused) {
  Things bench;
  for (const std::string key : {"id", "/id~2", "/id~"}) {
    const auto error = first_error(bench.watched.collection<int>("numbers").list({.key = key}));
    EXPECT_EQ(error.code(), Errc::invalid_argument) << key;
    EXPECT_THAT(error.message(), HasSubstr("key")) << key;
  }
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

noun::Headers four_in_all(int next_page = 0) {
  noun::Headers fields{{"X-Total-Count", "4"}};
  if (next_page > 0) fields.add("Link", "<?page=" + std::to_string(next_page) + ">; rel=\"next\"");
  return fields;
}

TEST(ListingTally, fewer_items_than_the_total_are_reported_at_the_end) {
  Things bench;
  bench.serve(1, {1, 2}, four_in_all(2));
  bench.serve(2, {3}, four_in_all());
  EXPECT_THAT(ids_of(bench.things.list()), ElementsAre(1, 2, 3));
  EXPECT_THAT(bench.notices,
              ElementsAre("some items are missing, or the total includes items that are not listed: the server "
                          "reported 4 items, but 3 were received"));
}

TEST(ListingTally, fewer_filtered_items_than_the_total_may_be_a_total_without_the_filter) {
  Things bench;
  bench.pages->page(numbers_url + "?state=open", R"([{"id": 1}, {"id": 2}])", four_in_all(2));
  bench.serve(2, {3}, four_in_all());
  EXPECT_THAT(ids_of(bench.things.list({.query = {{"state", "open"}}})), ElementsAre(1, 2, 3));
  EXPECT_THAT(bench.notices,
              ElementsAre("the total may not take the query into account, or some items are missing: the server "
                          "reported 4 items, but 3 were received"));
}

TEST(ListingTally, a_complete_listing_is_not_reported_also_after_a_bookmark) {
  Things bench;
  bench.serve(1, {1, 2}, four_in_all(2));
  bench.serve(2, {3, 4}, four_in_all());
  auto first = bench.things.list({.max_items = 3});
  for (const auto& thing : first) static_cast<void>(thing);
  auto rest = bench.things.list({.resume = first.bookmark()});
  for (const auto& thing : rest) EXPECT_EQ((*thing)["id"], 4);
  EXPECT_EQ(rest.tally().items, 4U);
  EXPECT_EQ(rest.tally().total, 4U);
  EXPECT_THAT(bench.notices, IsEmpty());
}

TEST(ListingTally, a_total_that_changes_is_reported_once) {
  Things bench;
  bench.serve(1, {1, 2}, four_in_all(2));
  bench.serve(2, {3}, {{"X-Total-Count", "3"}, {"Link", "<?page=3>; rel=\"next\""}});
  bench.serve(3, {}, {{"X-Total-Count", "2"}});
  auto listing = bench.things.list();
  for (const auto& thing : listing) static_cast<void>(thing);
  EXPECT_TRUE(listing.tally().changed);
  EXPECT_THAT(bench.notices, ElementsAre(HasSubstr("the total changed from 4 to 3")));
}

TEST(BadItems, end_a_listing_by_default) {
  ThreePages bench;
  bench.pages->page(numbers_url, R"([1, "x", 3])", next("?page=2"));
  bench.pages->page(numbers_url + "?page=2", R"(["y", 5])");
  EXPECT_THAT(all_of(bench.numbers.list()), ElementsAre(1, -1));
  EXPECT_THAT(all_of(bench.numbers.list({.bad_items = noun::BadItems::deliver})), ElementsAre(1, -1, 3, -1, 5));
}

TEST(BadItems, of_a_page_are_separate_from_its_items_and_have_their_index) {
  ThreePages bench;
  bench.pages->page(numbers_url, R"([1, "x", 3])");
  auto listing = bench.numbers.list({.bad_items = noun::BadItems::deliver});
  for (const auto& page : listing.pages()) {
    ASSERT_TRUE(page);
    EXPECT_THAT(page->items, ElementsAre(1, 3));
    ASSERT_EQ(page->faults.size(), 1U);
    EXPECT_THAT(page->faults.front().message(), HasSubstr("item 1 of page 1"));
  }
}

TEST(BadItems, have_their_index_on_the_page_as_received) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", R"([2, 3, 4, "x", 5])", next("?page=3"));
  const auto messages = [&](noun::ListOptions options) {
    options.key = "/id";
    std::vector<std::string> all;
    for (const auto& number : bench.numbers.list(options))
      if (!number) all.push_back(number.error().message());
    options.bad_items = noun::BadItems::deliver;
    auto listing = bench.numbers.list(options);
    for (const auto& page : listing.pages())
      for (const auto& fault : page->faults) all.push_back(fault.message());
    return all;
  };
  EXPECT_THAT(messages({}), ElementsAre(HasSubstr("item 3 of page 2"), HasSubstr("item 3 of page 2")));
  auto before = bench.numbers.list({.max_items = 4, .key = "/id"});
  EXPECT_EQ(all_of(before), numbers(1, 4));
  EXPECT_THAT(messages({.resume = before.bookmark()}),
              ElementsAre(HasSubstr("item 3 of page 1"), HasSubstr("item 3 of page 1")));
}

TEST(BadItems, are_not_skipped_without_being_dereferenced) {
  ThreePages bench;
  bench.pages->page(numbers_url, R"([1, "x", 3])");
  auto listing = bench.numbers.list({.bad_items = noun::BadItems::deliver});
  auto at = listing.begin();
  ++at;
  ++at;
  EXPECT_FALSE(*at);
  ++at;
  EXPECT_EQ(**at, 3);
}

TEST(ListingKeys, pages_with_duplicates_only_count_as_empty_pages) {
  Things bench;
  bench.serve(1, {1, 2}, next("?page=2"));
  for (int page = 2; page < 300; ++page)
    bench.serve(page, one_and_two(page), next("?page=" + std::to_string(page + 1)));
  auto listing = bench.things.list({.key = "/id"});
  EXPECT_THAT(ids_of(std::move(listing)), ElementsAre(1, 2, -1));
  EXPECT_EQ(bench.pages->urls.size(), 102U) << "limits.empty_pages is 100";
}

TEST(ListingKeys, pages_with_duplicates_only_and_empty_pages_count_together) {
  Things bench;
  for (int page = 1; page < 300; ++page)
    bench.serve(page, page % 2 == 1 ? std::vector{1, 2} : std::vector<int>(),
                next("?page=" + std::to_string(page + 1)));
  auto listing = bench.things.list({.key = "/id"});
  auto at = listing.begin();
  for (int taken = 0; taken < 2; ++taken, ++at) EXPECT_EQ((**at)["id"], taken + 1);
  ASSERT_FALSE(at == listing.end());
  EXPECT_EQ(at->error().code(), Errc::refused);
  EXPECT_THAT(at->error().message(), HasSubstr("101 pages in a row"));
  EXPECT_EQ(bench.pages->urls.size(), 102U) << "limits.empty_pages is 100";
}

TEST(ListingKeys, the_listing_may_end_at_the_limit_of_empty_pages) {
  Things bench;
  bench.serve(1, {1, 2}, next("?page=2"));
  for (int page = 2; page <= 102; ++page)
    bench.serve(page, one_and_two(page), page == 102 ? noun::Headers() : next("?page=" + std::to_string(page + 1)));
  EXPECT_THAT(ids_of(bench.things.list({.key = "/id"})), ElementsAre(1, 2)) << "no further page is fetched";
}

}  // namespace listing_keys_test
}  // namespace resource_test
