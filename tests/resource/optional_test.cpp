// std::optional members: read from null, left out of bodies.
#include <noun/optional.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test {

struct PostPatch {
  std::optional<std::string> title;
  std::optional<int> views;
  std::vector<std::string> tags;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PostPatch, title, views, tags)

struct Wrapped {
  PostPatch patch;
  std::optional<PostPatch> more;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Wrapped, patch, more)

namespace optional_test {

TEST(OptionalMember, that_is_absent_is_left_out_at_every_level) {
  const auto text_of = [](const auto& body) { return noun::encode_body(body, 128).value(); };
  EXPECT_EQ(text_of(PostPatch{.title = {}, .views = 5, .tags = {}}), R"({"tags":[],"views":5})");
  EXPECT_EQ(text_of(Wrapped{{.title = "a", .views = {}, .tags = {}}, {}}), R"({"patch":{"tags":[],"title":"a"}})");
  EXPECT_EQ(text_of(Wrapped{{}, PostPatch{}}), R"({"more":{"tags":[]},"patch":{"tags":[]}})");
}

TEST(OptionalMember, reads_null_as_nothing_and_a_value_as_itself) {
  noun::DecodeFault fault;
  const auto read = noun::decode_value<PostPatch>(R"({"title": null, "views": 7})", 128, fault);
  ASSERT_TRUE(read) << fault.what;
  EXPECT_EQ(read->title, std::nullopt);
  EXPECT_EQ(read->views, 7);
  const auto wrapped = noun::decode_value<Wrapped>(R"({"patch": {}, "more": {"title": "b"}})", 128, fault);
  ASSERT_TRUE(wrapped) << fault.what;
  EXPECT_EQ(wrapped->more->title, "b");
}

TEST(OptionalBody, that_is_absent_is_refused) {
  Bench bench;
  const auto got = bench.client().collection("posts").create(std::optional<int>());
  expect_refused(got, "an absent optional");
  EXPECT_FALSE(noun::encode_body(std::vector<std::optional<int>>{1, {}}, 128));
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(OptionalReply, of_a_number_is_checked_as_the_number_is) {
  noun::DecodeFault fault;
  using Number = std::optional<int>;
  EXPECT_EQ(noun::decode_value<Number>("null", 128, fault), std::make_optional(Number()));
  EXPECT_EQ(noun::decode_value<Number>("7", 128, fault), std::make_optional(Number(7)));
  EXPECT_FALSE(noun::decode_value<Number>("7.5", 128, fault));
  EXPECT_FALSE(noun::decode_value<std::vector<std::optional<std::uint8_t>>>("[null, 256]", 128, fault));
}

}  // namespace optional_test
}  // namespace resource_test
