// Tests of numbers from JSON: out-of-range values are errors and are never changed.
#include <noun/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <valarray>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test {

struct Server {
  std::string name;
  noun::checked<std::uint16_t> port;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Server, name, port)

struct Pixel {
  noun::checked<std::uint8_t> red;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Pixel, red)

/// Integers that are written as text.
struct Ids : std::vector<int> {};
inline void from_json(const noun::Json& json, Ids& ids) {
  for (const auto& id : json) ids.push_back(std::stoi(id.get<std::string>()));
}
inline void to_json(noun::Json& json, const Ids& ids) { json = static_cast<const std::vector<int>&>(ids); }

namespace checked_test {

enum class Level : std::uint8_t { low, high = 200 };
enum class Letter : char { a = 'a' };
enum class Named : std::uint8_t { none, first };
NLOHMANN_JSON_SERIALIZE_ENUM(Named, {{Named::none, nullptr}, {Named::first, 1000}})

using ::testing::HasSubstr;

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

TEST(Fits, accepts_the_full_range_of_each_integer) {
  EXPECT_EQ(decoded<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(decoded<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(decoded<std::uint16_t>("-1"), std::nullopt);
  EXPECT_EQ(decoded<std::int8_t>("-128"), -128);
  EXPECT_EQ(decoded<std::int8_t>("-129"), std::nullopt);
  EXPECT_EQ(decoded<std::uint8_t>("255"), 255);
  EXPECT_EQ(decoded<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(decoded<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(decoded<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(decoded<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(decoded<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(decoded<int>("1e10"), std::nullopt);
}

TEST(Fits, rejects_a_fraction_and_accepts_an_integral_float) {
  EXPECT_EQ(decoded<int>("3.0"), 3);
  EXPECT_EQ(decoded<int>("3e2"), 300);
  EXPECT_EQ(decoded<int>("-0.0"), 0);
  EXPECT_EQ(decoded<int>("3.14"), std::nullopt);
  EXPECT_EQ(decoded<int>("1e-9"), std::nullopt);
  EXPECT_EQ(decoded<unsigned>("-3.0"), std::nullopt);
  EXPECT_EQ(decoded<std::int64_t>("9007199254740992.0"), 9007199254740992);
  EXPECT_EQ(decoded<std::int64_t>("9007199254740994.0"), std::nullopt);
  EXPECT_EQ(decoded<std::int64_t>("1e300"), std::nullopt);
}

TEST(Fits, rejects_a_float_out_of_range) {
  EXPECT_EQ(decoded<double>("1.5e308"), 1.5e308);
  EXPECT_EQ(decoded<float>("1.5"), 1.5F);
  EXPECT_EQ(decoded<float>("1e39"), std::nullopt);
  EXPECT_EQ(decoded<float>("-1e39"), std::nullopt);
  EXPECT_EQ(decoded<float>("3.4028235e38"), std::numeric_limits<float>::max()) << "its shortest text";
  EXPECT_EQ(decoded<float>("-3.4028235677973362e38"), std::numeric_limits<float>::lowest());
  EXPECT_EQ(decoded<float>("3.4028235677973366e38"), std::nullopt) << "would round to infinity";
  EXPECT_EQ(decoded<double>("7"), 7.0);
  EXPECT_EQ(decoded<double>("\"7\""), std::nullopt);
  EXPECT_FALSE(noun::detail::fits<double>(Json("7")));
  EXPECT_FALSE(noun::detail::fits<int>(Json("7")));
  EXPECT_FALSE(noun::detail::fits<int>(Json()));
}

TEST(Fits, accepts_the_range_of_a_character_type) {
  EXPECT_EQ(decoded<char>("97"), 'a');
  EXPECT_EQ(decoded<char>("300"), std::nullopt);
  EXPECT_EQ(decoded<char16_t>("65535"), char16_t{0xFFFF});
  EXPECT_EQ(decoded<char16_t>("65536"), std::nullopt);
  EXPECT_EQ(decoded<char32_t>("-1"), std::nullopt);
}

TEST(LossCheck, accepts_what_fits_the_underlying_type_of_an_enum) {
  EXPECT_EQ(decoded<Level>("200"), Level::high);
  EXPECT_EQ(decoded<Level>("200.0"), Level::high);
  EXPECT_EQ(decoded<std::byte>("255"), std::byte{255});
  EXPECT_EQ(decoded<Letter>("97"), Letter::a);
  for (const auto* number : {"258", "1.9", "-1", "1e300"})
    EXPECT_EQ(fault_of<Level>(number), "the body cannot be decoded: the number " + Json::parse(number).dump() +
                                           " does not fit the type");
  EXPECT_EQ(decoded<std::byte>("256"), std::nullopt);
  EXPECT_EQ(decoded<Letter>("300"), std::nullopt);
  EXPECT_THAT(fault_of<std::vector<Level>>("[0, 300]"), HasSubstr("at 1: the number 300 does not fit the type"));
  EXPECT_THAT(fault_of<Level>("true"), HasSubstr("type must be number, but is boolean"));
}

TEST(LossCheck, leaves_an_enum_with_a_from_json_to_it) {
  EXPECT_EQ(decoded<Named>("1000"), Named::first);
  EXPECT_EQ(decoded<Named>("null"), Named::none);
  EXPECT_EQ(decoded<std::vector<Named>>("[1000]"), std::vector{Named::first});
}

TEST(LossCheck, refuses_an_array_of_another_size) {
  EXPECT_EQ((decoded<std::array<int, 2>>("[1, 2]")), (std::array{1, 2}));
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<std::array<int, 2>>("[1, 2, 3]"), "an array of size 2 is expected, not of size 3"},
      {fault_of<std::array<std::string, 2>>(R"(["a"])"), "an array of size 2 is expected, not of size 1"},
      {fault_of<std::pair<int, std::string>>(R"([3, "x", "y"])"), "an array of size 2 is expected, not of size 3"},
      {fault_of<std::tuple<int, int, int>>("[1, 2, 3, 4]"), "an array of size 3 is expected, not of size 4"},
      {fault_of<std::tuple<>>("[1]"), "an array of size 0 is expected, not of size 1"},
      {fault_of<std::map<int, std::string>>(R"([[1, "a"], [2, "b", "c"]])"), "at 1: an array of size 2 is expected"},
      {fault_of<std::vector<std::pair<bool, bool>>>("[[true, true, true]]"), "at 0: an array of size 2 is expected"},
      {fault_of<std::array<int, 2>>("7"), "type must be array, but is number"},
      {fault_of<std::tuple<int>>(R"({"a": 1})"), "type must be array, but is object"},
  };
  for (const auto& [fault, words] : cases) EXPECT_THAT(fault, HasSubstr(words));
}

TEST(LossCheck, names_the_number_in_a_pair_a_tuple_and_a_map_with_other_keys) {
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<std::pair<std::uint8_t, std::string>>(R"([300, "x"])"), "at 0: the number 300"},
      {fault_of<std::pair<std::string, std::uint8_t>>(R"(["x", 300])"), "the number 300"},
      {fault_of<std::tuple<std::uint8_t, int>>("[1, 1.5]"), "at 1: the number 1.5"},
      {fault_of<std::map<int, std::uint8_t>>("[[1, 300]]"), "at 0: at 1: the number 300"},
      {fault_of<std::unordered_map<int, std::uint8_t>>("[[1.5, 3]]"), "at 0: at 0: the number 1.5"},
      {fault_of<std::map<int, int>>(R"({"1": 1})"), "type must be array, but is object"},
      {fault_of<std::multimap<std::string, std::uint8_t>>(R"({"a": 300})"), "at a: the number 300"},
      {fault_of<std::valarray<std::uint8_t>>("[300]"), "at 0: the number 300"},
      {fault_of<std::vector<char>>("[97, 300]"), "at 1: the number 300"},
      {fault_of<std::string>(R"(["a"])"), "type must be string, but is array"},
  };
  for (const auto& [fault, words] : cases) EXPECT_THAT(fault, HasSubstr(words));
  EXPECT_EQ((decoded<std::pair<std::uint8_t, char>>("[255, 97]")), (std::pair<std::uint8_t, char>(255, 'a')));
  EXPECT_EQ((decoded<std::tuple<std::uint8_t, int>>("[1, 3.0]")), (std::tuple<std::uint8_t, int>(1, 3)));
  EXPECT_EQ((decoded<std::map<int, std::uint8_t>>("[[1, 255]]")), (std::map<int, std::uint8_t>{{1, 255}}));
  EXPECT_EQ(decoded<std::vector<char>>("[97]"), std::vector{'a'});
}

TEST(LossCheck, asks_the_from_json_of_a_class_that_derives_from_a_container) {
  EXPECT_EQ(decoded<Ids>(R"(["1", "2"])")->size(), 2U);
  EXPECT_TRUE(decoded<nlohmann::ordered_json>(R"({"b": 300, "a": [0.5]})"));
}

TEST(LossCheck, names_the_value_out_of_range_and_leaves_non_numbers_to_nlohmann) {
  using Bytes = std::vector<std::uint8_t>;
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<int>("3.14"), "the number 3.14 does not fit the type"},
      {fault_of<Bytes>("[0, 256]"), "at 1: the number 256 does not fit the type"},
      {fault_of<std::vector<int>>("[1, 2.5]"), "at 1: the number 2.5"},
      {fault_of<std::array<int, 2>>("[1, 3000000000]"), "at 1: the number 3000000000"},
      {fault_of<std::map<std::string, int>>(R"({"a": 1, "b": 1.5})"), "at b: the number 1.5"},
      {fault_of<std::unordered_map<std::string, int>>(R"({"b": 1.5})"), "at b: the number 1.5"},
      {fault_of<std::vector<std::vector<int>>>("[[1], [2, 0.5]]"), "at 1: at 1: the number 0.5"},
      {fault_of<std::map<std::string, std::vector<unsigned>>>(R"({"a": [-1]})"), "at a: at 0:"},
      {fault_of<std::list<int>>("[0.5]"), "at 0: the number 0.5"},
      {fault_of<std::deque<int>>("[0.5]"), "at 0: the number 0.5"},
      {fault_of<std::forward_list<int>>("[0.5]"), "at 0: the number 0.5"},
      {fault_of<std::set<std::uint8_t>>("[1, 257]"), "at 1: the number 257"},
      {fault_of<Server>(R"({"name": "a", "port": 65536})"), "the number 65536 does not fit its field"},
      {fault_of<Server>(R"({"name": "a", "port": 80.5})"), "80.5 does not fit its field"},
      {fault_of<Server>(R"({"name": "a", "port": "80"})"), "a number is expected, not string"},
      {fault_of<Pixel>(R"({"red": 256})"), "the number 256 does not fit its field"},
      {fault_of<std::vector<noun::checked<int>>>("[1, 0.5]"), "0.5 does not fit"},
      {fault_of<noun::checked<float>>("1e39"), "does not fit"},
      {fault_of<std::vector<int>>(R"(["a"])"), "at 0: a number is expected, not string"},
      {fault_of<std::vector<int>>("7"), "type must be array, but is number"},
      {fault_of<bool>("1"), "type must be boolean"},
  };
  for (const auto& [fault, words] : cases) EXPECT_THAT(fault, HasSubstr(words));
  EXPECT_EQ(decoded<Bytes>("[0, 255]"), (Bytes{0, 255}));
  EXPECT_EQ(decoded<std::vector<std::string>>(R"(["a"])"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(decoded<std::vector<bool>>("[true]"), (std::vector<bool>{true}));
}

TEST(Checked, behaves_like_its_number) {
  EXPECT_EQ(decoded<Server>(R"({"name": "a", "port": 65535})")->port, 65535);
  EXPECT_EQ(decoded<Pixel>(R"({"red": 255})")->red, 255);
  noun::checked<std::uint16_t> port = 80;
  EXPECT_EQ(port + 1, 81);
  EXPECT_EQ(port.value(), 80);
  port = 443;
  EXPECT_EQ(noun::detail::encode_body(Server{"a", port}, 128).value(), R"({"name":"a","port":443})");
  EXPECT_EQ(noun::checked<double>(), 0.0);
}

}  // namespace checked_test
}  // namespace resource_test
