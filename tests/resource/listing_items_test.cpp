// Tests of where the items of a page are, and of pages without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_items_test {

using ::testing::ElementsAre;
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
