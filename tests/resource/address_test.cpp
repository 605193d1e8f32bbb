// Addresses: names, ids, and the paths that they make; what is unfit surfaces in the call, and nothing is sent.
#include <noun/address.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "resource/scripted_client.hpp"

namespace resource_test {
namespace address_test {

using ::testing::HasSubstr;

using namespace std::literals;

struct Issue {
  int id = 0;
};

TEST(Address, every_spelling_of_the_contract_makes_its_path) {
  const auto api = Bench().client();
  const auto languages = api.collection<Language>("languages");
  EXPECT_EQ(languages.path(), "/languages");
  EXPECT_EQ(languages["deu"].path(), "/languages/deu");
  EXPECT_EQ(languages.item("deu").path(), "/languages/deu");
  const auto repo = api.collection("repos").item("fmtlib", "fmt");
  EXPECT_EQ(repo.path(), "/repos/fmtlib/fmt");
  EXPECT_EQ(repo.collection<Issue>("issues").path(), "/repos/fmtlib/fmt/issues");
  const auto branch = repo.collection("branches")["main"];
  EXPECT_EQ(branch.singleton<Json>("protection").path(), "/repos/fmtlib/fmt/branches/main/protection");
  EXPECT_EQ(api.singleton<Json>("user").path(), "/user");
  EXPECT_EQ(api.singleton("user").collection("keys")[7].path(), "/user/keys/7");
}

TEST(Address, its_path_is_what_goes_out) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/repos/fmtlib/fmt/branches/main/protection").reply(200, "{}");
  const auto api = bench.client();
  const auto got =
      api.collection("repos").item("fmtlib", "fmt").collection("branches")["main"].singleton("protection").get();
  EXPECT_TRUE(got) << message_of(got);
  EXPECT_EQ(bench.script->complaint(), "");
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/repos/fmtlib/fmt/branches/main/protection");
}

TEST(Address, a_slash_in_a_name_separates_segments) {
  const auto api = Bench().client();
  EXPECT_EQ(api.collection("search/issues").path(), "/search/issues");
  EXPECT_EQ(api.singleton("a/b/c").path(), "/a/b/c");
}

TEST(Address, characters_that_a_path_allows_stand_as_they_are_in_a_name_and_others_are_encoded) {
  const auto api = Bench().client();
  EXPECT_EQ(api.collection("a-._~!$&'()*+,;=:@9Z").path(), "/a-._~!$&'()*+,;=:@9Z");
  EXPECT_EQ(api.collection("l\u00e4nder").path(), "/l%C3%A4nder");
  EXPECT_EQ(api.collection("a\"b<c>[d]^`{|}").path(), "/a%22b%3Cc%3E%5Bd%5D%5E%60%7B%7C%7D");
}

struct IdCase {
  noun::Id id;
  std::string segment;
};

TEST(Id, is_encoded_as_one_segment) {
  const IdCase cases[] = {
      {"a/b?c", "a%2Fb%3Fc"},
      {"a b", "a%20b"},
      {"gr\u00fcn", "gr%C3%BCn"},
      {"\U0001F600", "%F0%9F%98%80"},
      {"100%2F", "100%252F"},
      {"%2e%2e", "%252e%252e"},
      {"a\r\nHost: evil", "a%0D%0AHost%3A%20evil"},
      {"nul\0here"sv, "nul%00here"},
      {"..x", "..x"},
      {"...", "..."},
      {"../x", "..%2Fx"},
      {"a#b", "a%23b"},
      {"\\evil", "%5Cevil"},
      {"x;y=1,2&+", "x%3By%3D1%2C2%26%2B"},
      {"\xff\xfe", "%FF%FE"},
      {"AZaz09-._~", "AZaz09-._~"},
  };
  const auto things = Bench().client().collection("things");
  for (const auto& [id, segment] : cases) EXPECT_EQ(things[id].path(), "/things/" + segment);
}

TEST(Id, is_made_from_every_kind_of_integer) {
  const auto things = Bench().client().collection("things");
  EXPECT_EQ(things[0].path(), "/things/0");
  EXPECT_EQ(things[-1].path(), "/things/-1");
  EXPECT_EQ(things[std::numeric_limits<std::int64_t>::min()].path(), "/things/-9223372036854775808");
  EXPECT_EQ(things[std::numeric_limits<std::uint64_t>::max()].path(), "/things/18446744073709551615");
  EXPECT_EQ(things[std::int16_t{-7}].path(), "/things/-7");
  EXPECT_EQ(things[7UL].path(), "/things/7");
}

TEST(Id, is_made_from_every_kind_of_text) {
  const auto things = Bench().client().collection("things");
  const std::string text = "abc";
  const char* pointer = text.c_str();
  EXPECT_EQ(things["abc"].path(), "/things/abc");
  EXPECT_EQ(things[text].path(), "/things/abc");
  EXPECT_EQ(things[std::string_view(text)].path(), "/things/abc");
  EXPECT_EQ(things[pointer].path(), "/things/abc");
  EXPECT_EQ(things[text + "d"].path(), "/things/abcd");
}

TEST(Id, is_made_from_a_json_that_is_text_or_an_integer) {
  const auto things = Bench().client().collection("things");
  const auto made = Json::parse(R"({"id": 42, "name": "a/b", "low": -5, "big": 18446744073709551615})");
  EXPECT_EQ(things[made["id"]].path(), "/things/42");
  EXPECT_EQ(things[made["name"]].path(), "/things/a%2Fb");
  EXPECT_EQ(things[made["low"]].path(), "/things/-5");
  EXPECT_EQ(things[made["big"]].path(), "/things/18446744073709551615");
}

/// Calls every verb of an item, and expects each to refuse.
void expect_all_refused(const noun::Item<Json>& item, const std::string& because) {
  const std::vector<noun::Result<Json>> results = {item.get(), item.replace(Json(1)), item.update(Json(1)),
                                                   item.remove<Json>(), item.collection("below").create(Json(1))};
  for (const auto& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::invalid_argument);
    EXPECT_EQ(result.error().sent(), Sent::no);
    EXPECT_EQ(result.error().attempts(), 0);
    EXPECT_THAT(result.error().message(), HasSubstr(because));
    EXPECT_THAT(result.error().message(), HasSubstr("nothing was sent"));
  }
  auto listing = item.collection("below").list();
  auto first = listing.begin();
  ASSERT_FALSE(first == listing.end());
  EXPECT_EQ(code_of(*first), Errc::invalid_argument);
}

TEST(Id, that_cannot_be_made_safe_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto users = bench.client().collection("users");
  const char* null = nullptr;
  expect_all_refused(users[""], "the id below /users is empty");
  expect_all_refused(users[null], "the id below /users is empty");
  expect_all_refused(users[std::string()], "the id below /users is empty");
  expect_all_refused(users[std::string_view()], "the id below /users is empty");
  expect_all_refused(users["."], "the id below /users is a dot segment");
  expect_all_refused(users[".."], "the id below /users is a dot segment");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Id, of_a_json_of_a_wrong_kind_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto users = bench.client().collection("users");
  for (const auto& json : {Json(nullptr), Json(true), Json(1.5), Json(2.0), Json::array({1}), Json::object(),
                           Json::binary({1, 2}), Json(Json::value_t::discarded)})
    expect_all_refused(users[json], "is a Json that is neither text nor an integer");
  expect_all_refused(users[Json("")], "is empty");
  expect_all_refused(users[Json("..")], "is a dot segment");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Id, that_is_unfit_anywhere_in_the_address_refuses_the_call) {
  Bench bench;
  const auto repos = bench.client().collection("repos");
  expect_all_refused(repos.item("", "fmt"), "the id below /repos is empty");
  expect_all_refused(repos.item("fmtlib", ".."), "the id below /repos/fmtlib is a dot segment");
  expect_all_refused(repos[""].collection("issues")[".."], "the id below /repos is empty");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(RuntimeName, that_is_fit_makes_the_same_path_as_a_literal) {
  const auto api = Bench().client();
  const std::string name = "search/issues";
  EXPECT_EQ(api.collection(noun::runtime(name)).path(), "/search/issues");
  EXPECT_EQ(api.singleton(noun::runtime("l\u00e4nder")).path(), "/l%C3%A4nder");
  EXPECT_EQ(api.collection("a")[1].collection(noun::runtime("b")).path(), "/a/1/b");
  EXPECT_EQ(api.collection("a")[1].singleton(noun::runtime("b")).path(), "/a/1/b");
}

TEST(RuntimeName, owns_its_text) {
  const auto api = Bench().client();
  const auto name = [] {
    const std::string first = "a name that is far too long ";
    return noun::runtime(first.substr(0, 6) + "/behind-a-slash-for-its-length");
  }();
  EXPECT_EQ(name.view(), "a name/behind-a-slash-for-its-length");
}

TEST(RuntimeName, that_is_unfit_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto api = bench.client();
  const char* null = nullptr;
  const std::pair<noun::RuntimeName, std::string> cases[] = {
      {noun::runtime(""), "is empty"},
      {noun::runtime(null), "is empty"},
      {noun::runtime("/a"), "has an empty segment"},
      {noun::runtime("a/"), "has an empty segment"},
      {noun::runtime("a//b"), "has an empty segment"},
      {noun::runtime(".."), "has a dot segment"},
      {noun::runtime("a/../b"), "has a dot segment"},
      {noun::runtime("./a"), "has a dot segment"},
      {noun::runtime("a?b"), "contains a query"},
      {noun::runtime("a#b"), "contains a query"},
      {noun::runtime("a%2fb"), "contains a query"},
      {noun::runtime("a\\b"), "contains a query"},
      {noun::runtime("a b"), "contains a query"},
      {noun::runtime("a\r\nb"), "contains a query"},
      {noun::runtime("a\x7f"), "contains a query"},
      {noun::runtime("a\0b"sv), "contains a query"},
  };
  for (const auto& [name, because] : cases) {
    expect_all_refused(api.singleton(name), because);
    expect_all_refused(api.collection("things")[1].singleton(name), because);
    EXPECT_EQ(code_of(api.collection(name).create(Json(1))), Errc::invalid_argument);
    EXPECT_EQ(code_of(api.collection("a")[1].collection(name)[1].get()), Errc::invalid_argument);
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(RuntimeName, is_quoted_in_the_message_fit_to_be_printed) {
  const auto got = Bench().client().singleton(noun::runtime("a\x1b[31mb")).get();
  EXPECT_THAT(message_of(got), HasSubstr("the name \"a.[31mb\" below the base URL contains"));
}

TEST(NameRules, hold_at_compile_time) {
  static_assert(noun::fault_of_name("a/b") == nullptr);
  static_assert(noun::fault_of_name("a..b/.c/d.") == nullptr);
  static_assert(noun::fault_of_name("") != nullptr);
  static_assert(noun::fault_of_name("a/./b") != nullptr);
  static_assert(noun::Name("search/issues").view() == "search/issues");
}

TEST(Address, query_parameters_never_change_the_path) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/users/7").reply(200, "{}").times(2);
  const auto user = bench.client().collection("users")[7];
  EXPECT_TRUE(
      user.get({.query = {{"../x", "/../y?#"}, {"a b", "\r\n"}, {"", ""}, {"n", -1}, {"b", true}, {"f", 0.5}}}));
  EXPECT_EQ(bench.last().url,
            "https://api.example.com/v1/users/7?..%2Fx=%2F..%2Fy%3F%23&a%20b=%0D%0A&=&n=-1&b=true&f=0.5");
  EXPECT_TRUE(user.get({.query = {{"a", "1"}, {"a", "2"}}}));
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/users/7?a=1&a=2");
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(Address, that_is_copied_or_assigned_is_the_same) {
  const auto api = Bench().client();
  auto item = api.collection("a")[1];
  const auto copy = item;
  item = api.collection("b")[2];
  EXPECT_EQ(copy.path(), "/a/1");
  EXPECT_EQ(item.path(), "/b/2");
  noun::Item<Json> moved = std::move(item);
  EXPECT_EQ(moved.path(), "/b/2");
  const auto& other = copy;
  moved = other;
  EXPECT_EQ(moved.path(), "/a/1");
}

TEST(Address, keeps_its_client_alive) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/a/1").reply(200, "[]");
  const auto item = bench.client().collection("a")[1];
  EXPECT_TRUE(item.get());
}

}  // namespace address_test
}  // namespace resource_test
