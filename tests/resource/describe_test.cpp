// Tests of structs with std::optional members: absent or null is empty, and empty members are left out of bodies.
#include <noun/describe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test {

struct PostPatch {
  std::optional<std::string> title = {};
  std::optional<int> views = {};
  std::optional<Json> extra = {};
};
NOUN_DESCRIBE(PostPatch, title, views, extra)

struct Post {
  int id = 0;
  std::vector<std::uint8_t> bytes = {};
  std::optional<PostPatch> more = {};
};
NOUN_DESCRIBE(Post, id, bytes, more)

struct OneMember {
  bool done = false;
};
NOUN_DESCRIBE(OneMember, done)

/// Its members have other names in JSON.
struct Renamed {
  std::optional<int> row_count;
};
inline void to_json(Json& json, const Renamed& value) { noun::write_member(json, "rowCount", value.row_count); }
inline void from_json(const Json& json, Renamed& value) { noun::read_member(json, "rowCount", value.row_count); }

enum class Priority : std::uint8_t { normal, high };

struct Measured {
  std::optional<Priority> priority = {};
  std::optional<std::vector<Priority>> priorities = {};
  std::optional<std::pair<std::uint8_t, std::string>> pair = {};
  std::optional<std::tuple<std::uint8_t, int>> tuple = {};
  std::optional<std::array<int, 2>> array = {};
  std::optional<std::map<int, std::uint8_t>> map = {};
  std::optional<char> letter = {};
  std::optional<float> share = {};
};
NOUN_DESCRIBE(Measured, priority, priorities, pair, tuple, array, map, letter, share)

struct Address {
  std::uint8_t bytes[2] = {};
};
NOUN_DESCRIBE(Address, bytes)

struct Wide {
  int a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8, a9 = 9, a10 = 10, a11 = 11, a12 = 12, a13 = 13;
  int b1 = 1, b2 = 2, b3 = 3, b4 = 4, b5 = 5, b6 = 6, b7 = 7, b8 = 8, b9 = 9, b10 = 10, b11 = 11, b12 = 12, b13 = 13;
  int c1 = 1, c2 = 2, c3 = 3, c4 = 4, c5 = 5, c6 = 6, c7 = 7, c8 = 8, c9 = 9, c10 = 10, c11 = 11, c12 = 12, c13 = 13;
  int d1 = 1, d2 = 2, d3 = 3, d4 = 4, d5 = 5, d6 = 6, d7 = 7, d8 = 8, d9 = 9, d10 = 10, d11 = 11, d12 = 12, d13 = 13;
  int e1 = 1, e2 = 2, e3 = 3, e4 = 4, e5 = 5, e6 = 6, e7 = 7, e8 = 8, e9 = 9, e10 = 10, e11 = 11, e12 = 12, e13 = 13;
  int f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9, f10 = 10, f11 = 11, f12 = 12, f13 = 13;
  int g1 = 1, g2 = 2;
};
NOUN_DESCRIBE(Wide, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10,
              b11, b12, b13, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, d1, d2, d3, d4, d5, d6, d7, d8, d9,
              d10, d11, d12, d13, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, f1, f2, f3, f4, f5, f6, f7,
              f8, f9, f10, f11, f12, f13, g1, g2)

namespace describe_test {

using ::testing::HasSubstr;

template <class T>
std::string text_of(const T& body) {
  return noun::detail::encode_body(body, 128).value();
}

template <class T>
std::optional<T> decoded(std::string_view text) {
  noun::detail::DecodeFault fault;
  return noun::detail::decode_value<T>(text, noun::Limits(), fault);
}

template <class T>
std::string fault_of(std::string_view text) {
  noun::detail::DecodeFault fault;
  return noun::detail::decode_value<T>(text, noun::Limits(), fault) ? std::string() : fault.what;
}

TEST(OptionalMember, that_is_empty_is_left_out_at_every_level) {
  EXPECT_EQ(text_of(PostPatch{}), "{}");
  EXPECT_EQ(text_of(PostPatch{.title = {}, .views = 5, .extra = {}}), R"({"views":5})");
  EXPECT_EQ(text_of(Post{1, {}, {}}), R"({"bytes":[],"id":1})");
  EXPECT_EQ(text_of(Post{1, {2}, PostPatch{.title = "a"}}), R"({"bytes":[2],"id":1,"more":{"title":"a"}})");
  EXPECT_EQ(text_of(std::vector<PostPatch>{{}, {.views = 1}}), R"([{},{"views":1}])");
  EXPECT_EQ(text_of(Renamed{.row_count = 7}), R"({"rowCount":7})");
}

TEST(OptionalMember, of_a_null_json_is_written_as_null) {
  EXPECT_EQ(text_of(PostPatch{.extra = Json(nullptr)}), R"({"extra":null})");
}

TEST(OptionalMember, that_is_absent_or_null_is_empty) {
  const auto read = decoded<PostPatch>(R"({"title": null, "views": 7})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->title, std::nullopt);
  EXPECT_EQ(read->views, 7);
  EXPECT_EQ(read->extra, std::nullopt);
  EXPECT_EQ(decoded<Post>(R"({"id": 1, "bytes": [], "more": {"title": "b"}})")->more->title, "b");
  EXPECT_EQ(decoded<Renamed>(R"({"rowCount": 7})")->row_count, 7);
  const auto at_once = Json::parse(R"({"title": "c"})").get<PostPatch>();
  EXPECT_EQ(at_once.title, "c") << "also outside of noun";
}

TEST(DefinedType, names_the_invalid_member) {
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<Post>("{}"), "key 'id' not found"},
      {fault_of<Post>(R"({"id": 65536.5, "bytes": []})"), "at id: the number 65536.5 does not fit the type"},
      {fault_of<Post>(R"({"id": 1, "bytes": [256]})"), "at bytes: at 0: the number 256 does not fit the type"},
      {fault_of<Post>(R"({"id": 1, "bytes": [], "more": {"title": 7}})"),
       "at more: at title: type must be string, but is number"},
      {fault_of<Post>(R"({"id": 1, "bytes": [], "more": {"views": 1.5}})"), "at more: at views: the number 1.5"},
      {fault_of<Post>(R"({"id": 1, "bytes": [], "more": []})"), "at more: an object is expected, not array"},
      {fault_of<PostPatch>("[]"), "an object is expected, not array"},
      {fault_of<OneMember>(R"({"done": 1})"), "at done: type must be boolean, but is number"},
  };
  for (const auto& [fault, text] : cases) {
    EXPECT_THAT(fault, HasSubstr(text));
    EXPECT_EQ(fault.find("json.exception"), std::string::npos) << fault;
  }
}

TEST(DefinedType, refuses_what_a_member_would_lose) {
  const std::string whole =
      R"({"array":[1,2],"letter":97,"map":[[1,255]],"pair":[255,"x"],"priorities":[1],"priority":1,"tuple":[1,3]})";
  EXPECT_EQ(text_of(decoded<Measured>(whole).value()), whole);
  EXPECT_EQ(text_of(decoded<Address>(R"({"bytes": [1, 255]})").value()), R"({"bytes":[1,255]})");
  EXPECT_TRUE(decoded<Measured>(R"({"share": 3.4028235e38})"));
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<Measured>(R"({"priority": 258})"), "at priority: the number 258 does not fit the type"},
      {fault_of<Measured>(R"({"priority": 1.9})"), "at priority: the number 1.9 does not fit the type"},
      {fault_of<Measured>(R"({"priorities": [0, -1]})"), "at priorities: at 1: the number -1 does not fit the type"},
      {fault_of<Measured>(R"({"pair": [300, "x"]})"), "at pair: at 0: the number 300 does not fit the type"},
      {fault_of<Measured>(R"({"pair": [3, "x", "y"]})"), "at pair: an array of size 2 is expected, not of size 3"},
      {fault_of<Measured>(R"({"tuple": [1, 1.5]})"), "at tuple: at 1: the number 1.5 does not fit the type"},
      {fault_of<Measured>(R"({"array": [1, 2, 3]})"), "at array: an array of size 2 is expected, not of size 3"},
      {fault_of<Measured>(R"({"map": [[1.5, 3]]})"), "at map: at 0: at 0: the number 1.5 does not fit the type"},
      {fault_of<Measured>(R"({"letter": 300})"), "at letter: the number 300 does not fit the type"},
      {fault_of<Address>(R"({"bytes": [300, 1]})"), "at bytes: at 0: the number 300 does not fit the type"},
      {fault_of<Address>(R"({"bytes": [1, 2, 3]})"), "at bytes: an array of size 2 is expected, not of size 3"},
  };
  for (const auto& [fault, text] : cases) EXPECT_THAT(fault, HasSubstr(text));
}

TEST(DefinedType, has_up_to_eighty_members) {
  const auto text = text_of(Wide{});
  EXPECT_EQ(Json::parse(text).size(), 80U);
  EXPECT_EQ(decoded<Wide>(text)->g2, 2);
}

/// noun specializes templates of nlohmann and of the standard library only for its own types.
template <class T>
concept known_to_nlohmann = requires(Json& json, const T& value) {
  json = Json(value);
};
#if NLOHMANN_JSON_VERSION_MAJOR == 3 && NLOHMANN_JSON_VERSION_MINOR < 12
static_assert(!known_to_nlohmann<std::optional<int>>, "what std::optional is in JSON is the program's to say");
#endif

TEST(OptionalReply, is_empty_for_null_and_otherwise_checked) {
  using Number = std::optional<int>;
  EXPECT_EQ(decoded<Number>("null"), std::make_optional(Number()));
  EXPECT_EQ(decoded<Number>(" null\n"), std::make_optional(Number()));
  EXPECT_EQ(decoded<Number>("7"), std::make_optional(Number(7)));
  EXPECT_FALSE(decoded<Number>("7.5"));
  EXPECT_FALSE(decoded<Number>(""));
  EXPECT_FALSE(decoded<Number>("nul"));
  Bench bench;
  bench.script->expect(Method::get, "/v1/posts/1").reply(200, "null");
  const auto got = bench.client().collection<std::optional<PostPatch>>("posts")[1].get();
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_FALSE(got->has_value());
}

}  // namespace describe_test
}  // namespace resource_test
