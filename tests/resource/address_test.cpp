// Tests of addresses: names, ids and their paths. An invalid one is an error of the call, and nothing is sent.
#include <noun/address.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace address_test {

using ::testing::HasSubstr;

using namespace std::literals;

TEST(Address, joins_names_and_ids_to_a_path) {
  const auto api = Bench().client();
  const auto repo = api.collection("repos").item("fmtlib", "fmt");
  const auto text = "search/issues"s;
  const std::pair<std::string, const char*> cases[] = {
      {api.collection<Language>("languages").path(), "/languages"},
      {api.collection<Language>("languages")["deu"].path(), "/languages/deu"},
      {api.collection<Language>("languages").item("deu").path(), "/languages/deu"},
      {repo.path(), "/repos/fmtlib/fmt"},
      {repo.collection<Language>("issues").path(), "/repos/fmtlib/fmt/issues"},
      {repo.collection("branches")["main"].singleton<Json>("protection").path(),
       "/repos/fmtlib/fmt/branches/main/protection"},
      {api.singleton<Json>("user").path(), "/user"},
      {api.singleton("user").collection("keys")[7].path(), "/user/keys/7"},
      // A slash in a name separates segments.
      {api.collection("search/issues").path(), "/search/issues"},
      {api.singleton("a/b/c").path(), "/a/b/c"},
      // Characters that a path allows are kept in names; all others are encoded.
      {api.collection("a-._~!$&'()*+,;=:@9Z").path(), "/a-._~!$&'()*+,;=:@9Z"},
      {api.collection("l\u00e4nder").path(), "/l%C3%A4nder"},
      {api.collection("a\"b<c>[d]^`{|}").path(), "/a%22b%3Cc%3E%5Bd%5D%5E%60%7B%7C%7D"},
      // A run-time name is treated like a literal.
      {api.collection(noun::runtime(text)).path(), "/search/issues"},
      {api.singleton(noun::runtime("l\u00e4nder")).path(), "/l%C3%A4nder"},
      {api.collection("a")[1].collection(noun::runtime("b")).path(), "/a/1/b"},
      {api.collection("a")[1].singleton(noun::runtime("b")).path(), "/a/1/b"},
      // The base URL itself, and an id at which there is a list.
      {api.root().path(), ""},
      {api.root().as_collection()[7].path(), "/7"},
      {api.root().collection("a").path(), "/a"},
      {api.collection("queues")["/"].as_collection().path(), "/queues/%2F"},
      {api.collection("queues")["/"].as_collection()["jobs"].path(), "/queues/%2F/jobs"},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(path, expected);
}

TEST(Address, path_is_sent_unchanged) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/repos/fmtlib/fmt/branches/main/protection").reply(200, "{}");
  const auto api = bench.client();
  const auto got =
      api.collection("repos").item("fmtlib", "fmt").collection("branches")["main"].singleton("protection").get();
  EXPECT_TRUE(got) << message_of(got);
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/repos/fmtlib/fmt/branches/main/protection");
}

TEST(Address, of_the_base_url_has_verbs) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1").reply(200, R"({"version": 2})");
  bench.script->expect(Method::get, "/v1").reply(200, R"(["a"])");
  bench.script->expect(Method::get, "/").reply(200, "1");
  bench.script->expect(Method::get, "/v1/").reply(200, "1");
  const auto api = bench.client();
  const auto got = api.root().get();
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(got->at("version"), 2);
  auto listing = api.root<std::string>().as_collection().list();
  EXPECT_EQ(**listing.begin(), "a");
  EXPECT_TRUE(bench.client({}, "https://api.example.com").root().get());
  EXPECT_TRUE(bench.client({.dialect = {.trailing_slash = true}}).root().get());
  expect_refused(api.root().as_collection()[""].get(), "the id below the base URL is empty");
}

TEST(Address, with_an_id_may_be_a_list) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/queues/%2F").reply(200, "[" + std::string(german) + "]");
  bench.script->expect(Method::get, "/v1/queues/%2F/deu").reply(200, german);
  const auto queues = bench.client().collection<Language>("queues")["/"].as_collection();
  for (const auto& queue : queues.list()) EXPECT_EQ(queue->name, "German");
  EXPECT_EQ(queues["deu"].get()->name, "German");
}

TEST(Id, is_encoded_as_one_segment_for_every_type) {
  const auto text = "abc"s;
  const auto json = Json::parse(R"({"id": 42, "name": "a/b", "low": -5, "big": 18446744073709551615})");
  const std::pair<noun::Id, std::string> cases[] = {
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
      {text, "abc"},
      {std::string_view(text), "abc"},
      {text.c_str(), "abc"},
      {text + "d", "abcd"},
      {-1, "-1"},
      {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {std::int16_t{-7}, "-7"},
      {7UL, "7"},
      {json["id"], "42"},
      {json["name"], "a%2Fb"},
      {json["low"], "-5"},
      {json["big"], "18446744073709551615"},
  };
  const auto things = Bench().client().collection("things");
  for (const auto& [id, segment] : cases) EXPECT_EQ(things[id].path(), "/things/" + segment);
  EXPECT_EQ(things[0].path(), "/things/0") << "0 is not a null pointer";
  EXPECT_EQ(things["abc"].path(), "/things/abc");
}

/// Calls every verb of an item, and expects each call to be refused.
void expect_all_refused(const noun::Item<Json>& item, const std::string& because) {
  const std::vector<noun::Result<Json>> results = {item.get(), item.replace(Json(1)), item.update(Json(1)),
                                                   item.remove<Json>(), item.collection("below").create(Json(1))};
  for (const auto& result : results) expect_refused(result, because);
  auto listing = item.collection("below").list();
  auto first = listing.begin();
  ASSERT_FALSE(first == listing.end());
  EXPECT_EQ(code_of(*first), Errc::invalid_argument);
}

TEST(Id, that_cannot_be_encoded_safely_is_refused) {
  Bench bench;
  const auto api = bench.client();
  const auto users = api.collection("users");
  const auto repos = api.collection("repos");
  const char* null = nullptr;
  const std::pair<noun::Item<Json>, const char*> cases[] = {
      {users[""], "the id below /users is empty"},
      {users[null], "the id below /users is empty"},
      {users[std::string()], "the id below /users is empty"},
      {users[std::string_view()], "the id below /users is empty"},
      {users["."], "the id below /users is a dot segment"},
      {users[".."], "the id below /users is a dot segment"},
      {users[Json("")], "is empty"},
      {users[Json("..")], "is a dot segment"},
      {repos.item("", "fmt"), "the id below /repos is empty"},
      {repos.item("fmtlib", ".."), "the id below /repos/fmtlib is a dot segment"},
      {repos[""].collection("issues")[".."], "the id below /repos is empty"},
  };
  for (const auto& [item, because] : cases) expect_all_refused(item, because);
  for (const auto& json : {Json(nullptr), Json(true), Json(1.5), Json(2.0), Json::array({1}), Json::object(),
                           Json::binary({1, 2}), Json(Json::value_t::discarded)})
    expect_all_refused(users[json], "is a Json that is neither a string nor an integer");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(RuntimeName, owns_its_text) {
  const auto name = [] {
    const auto local = "a name that is far too long "s;
    return noun::runtime(local.substr(0, 6) + "/after-a-slash-for-its-length");
  }();
  EXPECT_EQ(name.view(), "a name/after-a-slash-for-its-length");
}

TEST(RuntimeName, that_is_invalid_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto api = bench.client();
  const char* null = nullptr;
  const std::pair<noun::Text, const char*> cases[] = {
      {"", "is empty"},
      {null, "is empty"},
      {"/a", "has an empty segment"},
      {"a/", "has an empty segment"},
      {"a//b", "has an empty segment"},
      {"..", "has a dot segment"},
      {"a/../b", "has a dot segment"},
      {"./a", "has a dot segment"},
      {"a?b", "contains a query"},
      {"a#b", "contains a query"},
      {"a%2fb", "contains a percent sign (write the character itself"},
      {"a\\b", "contains a query"},
      {"a b", "contains a query"},
      {"a\r\nb", "contains a query"},
      {"a\x7f", "contains a query"},
      {"a\0b"sv, "contains a query"},
  };
  for (const auto& [text, because] : cases) {
    const auto name = noun::runtime(text);
    expect_all_refused(api.singleton(name), because);
    expect_all_refused(api.collection("things")[1].singleton(name), because);
    EXPECT_EQ(code_of(api.collection(name).create(Json(1))), Errc::invalid_argument);
    EXPECT_EQ(code_of(api.collection("a")[1].collection(name)[1].get()), Errc::invalid_argument);
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(RuntimeName, is_quoted_in_the_message_in_printable_form) {
  const auto got = Bench().client().singleton(noun::runtime("a\x1b[31mb")).get();
  EXPECT_THAT(message_of(got), HasSubstr("the name \"a.[31mb\" below the base URL contains"));
}

TEST(NameRules, are_checked_at_compile_time) {
  static_assert(noun::detail::fault_of_name("a/b") == nullptr);
  static_assert(noun::detail::fault_of_name("a..b/.c/d.") == nullptr);
  static_assert(noun::detail::fault_of_name("") != nullptr);
  static_assert(noun::detail::fault_of_name("a/./b") != nullptr);
  static_assert(noun::Name("search/issues").view() == "search/issues");
}

TEST(Address, query_parameters_never_change_the_path) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/users/7").reply(200, "{}").times(2);
  const auto user = bench.client().collection("users")[7];
  EXPECT_TRUE(
      user.get({.query = {{"../x", "/../y?#"}, {"a b", "\r\n"}, {"", ""}, {"n", -1}, {"b", true}, {"f", 0.5}}}));
  EXPECT_EQ(bench.last().url,
            "https://api.example.com/v1/users/7?..%2Fx=%2F..%2Fy%3F%23&a%20b=%0D%0A&=&n=-1&b=true&f=0.5");
  EXPECT_TRUE(user.get({.query = {{"a", "1"}, {"a", "2"}}}));
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/users/7?a=1&a=2");
}

TEST(Address, copies_and_assignments_are_equal) {
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

}  // namespace address_test
}  // namespace resource_test
