// Tests of where the items of a page are, and of pages without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_items_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ListingItems, reads_items_at_the_pointer_of_the_dialect) {
  Bench bench;
  noun::ClientOptions options;
  options.dialect.paging.items = "/data/items";
  bench.script->expect(Method::get, "/v1/numbers").reply(200, R"({"data": {"items": [1, 2]}})");
  EXPECT_THAT(all_of(bench.client(options).collection<int>("numbers").list()), ElementsAre(1, 2));
}

TEST(ListingItems, that_are_missing_are_an_error) {
  Bench bench;
  noun::ClientOptions options;
  options.dialect.paging.items = "/items";
  bench.script->expect(Method::get, "/v1/numbers").reply(200, R"({"data": [1, 2]})");
  auto listing = bench.client(options).collection<int>("numbers").list();
  const auto first = *listing.begin();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code(), noun::Errc::decode);
  EXPECT_NE(first.error().message().find("page 1 has nothing at /items"), std::string::npos) << first.error().message();
}

/// All items of a listing as `name=value`, or the message of the error.
std::vector<std::string> pairs_of(noun::Listing<std::pair<std::string, int>>&& listing) {
  std::vector<std::string> taken;
  for (const auto& item : listing)
    taken.push_back(item ? item->first + "=" + std::to_string(item->second) : item.error().message());
  return taken;
}

TEST(ListingItems, that_are_members_of_an_object_are_read_as_pairs) {
  using Numbered = std::pair<std::string, int>;
  Bench bench;
  const noun::Paging members = {.items_are_members = true};
  const noun::Paging inside = {.items = "/data", .items_are_members = true};
  const auto numbers = bench.client().collection<int>("numbers");
  const auto expect = [&](const char* body) { bench.script->expect(Method::get, "/v1/numbers").reply(200, body); };
  expect(R"({ "a" : 1, "b\u00e4\"" :2 , "a": 3})");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})), ElementsAre("a=1", "b\u00e4\"=2", "a=3"));
  expect(R"({"next": 7, "total": 100})");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})), ElementsAre("next=7", "total=100"))
      << "the names of items are no signs of further pages";
  expect("{}");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})), IsEmpty());
  expect(R"({"data": {"a": 1, "b": 2}, "c": 3})");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = inside})), ElementsAre("a=1", "b=2"));
  expect(R"({"a": {"id": 7}})");
  for (const auto& item : numbers.list_as<Json>({.paging = members})) EXPECT_EQ(item->dump(), R"(["a",{"id":7}])");
  expect(R"({"a": {"id": 7}, "b": {"id": 7}, "a": {"id": 8}})");
  auto by_name = numbers.list_as<Json>({.key = "/0", .paging = members});
  EXPECT_EQ(std::ranges::distance(by_name.begin(), by_name.end()), 2);
  expect("[1, 2]");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})),
              ElementsAre(HasSubstr("page 1 is not a list of items: object expected, array found")));
  expect(R"({"a": 1, "b": "x"})");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})),
              ElementsAre("a=1", HasSubstr(R"(item 1 of page 1: the body cannot be decoded: a number is expected, not string, in "["b","x"]")")));
  expect(R"({"a": 1)");
  EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.paging = members})), ElementsAre(HasSubstr("the text ends inside")));
}

TEST(ListingItems, that_are_members_go_on_with_the_next_page_and_a_bookmark) {
  using Numbered = std::pair<std::string, int>;
  for (const std::size_t prefetch : {0U, 4U}) {
    const auto pages = std::make_shared<PageTransport>();
    const auto numbers = Bench().client({.transport = pages}).collection<int>("numbers");
    pages->page(numbers_url, R"({"a": 1, "b": 2})", next("?page=2"));
    pages->page(numbers_url + "?page=2", R"({"c": 3})");
    const noun::Paging members = {.items_are_members = true};
    auto listing = numbers.list_as<Numbered>({.prefetch = prefetch, .paging = members});
    EXPECT_EQ((*listing.begin())->first, "a");
    const auto bookmark = listing.bookmark();
    EXPECT_THAT(pairs_of(std::move(listing)), ElementsAre("b=2", "c=3"));
    EXPECT_THAT(pairs_of(numbers.list_as<Numbered>({.resume = bookmark, .paging = members})), ElementsAre("b=2", "c=3"));
  }
}

TEST(ListingItems, that_are_missing_may_mean_an_empty_page) {
  for (const auto* body : {R"({"next": ""})", R"({"items": null})"}) {
    Bench bench;
    noun::ClientOptions options;
    options.dialect.paging.items = "/items";
    options.dialect.paging.items_may_be_absent = true;
    bench.script->expect(Method::get, "/v1/numbers").reply(200, body);
    EXPECT_THAT(all_of(bench.client(options).collection<int>("numbers").list()), IsEmpty()) << body;
  }
}

TEST(ListingItems, of_a_server_that_ignores_the_page_parameter_are_an_error) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers?per_page=2").reply(200, "[1,2]");
  bench.script->expect(Method::get, "/v1/numbers?per_page=2&page=2").reply(200, "[1,2]");
  std::vector<int> taken;
  std::string message;
  for (const auto& number : bench.client().collection<int>("numbers").list({.page_size = 2})) {
    if (number)
      taken.push_back(*number);
    else
      message = number.error().message();
  }
  EXPECT_THAT(taken, ElementsAre(1, 2));
  EXPECT_NE(message.find("ClientOptions::dialect.paging.style"), std::string::npos) << message;
}

}  // namespace listing_items_test
}  // namespace resource_test
