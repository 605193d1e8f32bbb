// Which recorded exchange is the response to a request, and what is said if there is none.
#include "testing/har_match.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace testing_test { namespace har_match_test {

using namespace noun;
using noun::testing::conditional_headers;
using noun::testing::difference;
using noun::testing::HarExchange;
using noun::testing::HarHeaders;
using noun::testing::HarMatcher;
using noun::testing::SentRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

SentRequest get(std::string url, Headers headers = {}) {
  return {.url = std::move(url), .headers = std::move(headers)};
}

SentRequest post(std::string body, std::string_view type = "application/json") {
  return {.method = Method::post,
          .url = "https://api.example.com/tasks",
          .headers = {{"Content-Type", type}},
          .body = std::move(body),
          .has_body = true};
}

HarExchange recorded(SentRequest request, std::string body = "") {
  HarExchange exchange;
  exchange.request = std::move(request);
  exchange.response = {.status = 200, .body = std::move(body)};
  return exchange;
}

std::vector<std::string> differences(const SentRequest& sent, const SentRequest& original,
                                     const HarHeaders& headers = conditional_headers()) {
  const auto found = difference(sent, recorded(original), headers);
  EXPECT_EQ(found.distance == 0, found.what.empty());
  return found.what;
}

TEST(HarMatch, parameters_match_in_any_order_and_spelling) {
  EXPECT_THAT(
      differences(get("https://api.example.com/tasks?b=x%20y&a=1"), get("https://api.example.com/tasks?a=1&b=x+y")),
      IsEmpty());
  EXPECT_THAT(differences(get("https://API.example.com:443/t%61sks"), get("https://api.example.com/tasks")), IsEmpty());
  EXPECT_THAT(differences(get("https://api.example.com/?a=1&a=2"), get("https://api.example.com/?a=2&a=1")),
              ElementsAre("the parameter a is 2 values, and was recorded as 2 values"));
}

TEST(HarMatch, a_difference_says_which_parameter) {
  EXPECT_THAT(differences(get("https://api.example.com/tasks?page=4"), get("https://api.example.com/tasks?page=3")),
              ElementsAre("the parameter page is 4, and was recorded as 3"));
  EXPECT_THAT(
      differences(get("https://api.example.com/tasks?sort=id"), get("https://api.example.com/tasks?page=3")),
      ElementsAre("the parameter sort (id) was not recorded", "the parameter page was recorded as 3, and is missing"));
}

TEST(HarMatch, no_difference_shows_a_secret) {
  EXPECT_THAT(differences(get("https://api.example.com/tasks?api_key=hunter22"), get("https://api.example.com/tasks")),
              ElementsAre("the parameter api_key (***) was not recorded"));
  EXPECT_THAT(differences(post(R"({"password":"hunter22"})"), post(R"({"password":7})")),
              ElementsAre("the body has *** at '/password', and was recorded with ***"));
  EXPECT_THAT(differences(post(R"({"login":{"password":"hunter22"}})"), post(R"({"login":null})")),
              ElementsAre(R"(the body has {"password":"***"} at '/login', and was recorded with null)"));
  EXPECT_THAT(differences(post(R"({"secrets":{"a":"hunter22"}})"), post(R"({"secrets":{"a":"x"}})")),
              ElementsAre("the body has *** at '/secrets/a', and was recorded with ***"));
  EXPECT_THAT(differences(post(R"({"password":"hunter22"} 1)"), post("x")),
              ElementsAre(R"(the body is {"password":"***"} 1, and was recorded as x)"));
  EXPECT_THAT(differences(get("https://api.example.com/?a=%7B%22token%22:%22hunter22%22%7D"),
                          get("https://api.example.com/?a=1")),
              ElementsAre(R"(the parameter a is {"token":"***"}, and was recorded as 1)"));
}

TEST(HarMatch, a_hidden_value_matches_any) {
  EXPECT_THAT(differences(get("https://api.example.com/tasks?key=hunter22&a=1"),
                          get("https://api.example.com/tasks?a=1&key=***")),
              IsEmpty());
  EXPECT_THAT(differences(get("https://api.example.com/bot12:ab/tasks"), get("https://api.example.com/bot***/tasks")),
              IsEmpty());
  EXPECT_THAT(differences(post(R"({"a":[1,{"token":{"x":1}}]})"), post(R"({"a":[1,{"token":"***"}]})")), IsEmpty());
  EXPECT_THAT(differences(post(R"({"a":"Bearer x, y"})"), post(R"({"a":"Bearer ***, y"})")), IsEmpty());
  EXPECT_THAT(differences(post("a=1&client_secret=x", "application/x-www-form-urlencoded"),
                          post("client_secret=***&a=1", "application/x-www-form-urlencoded")),
              IsEmpty());
  EXPECT_THAT(differences(post("one two three four", "text/plain"), post("one *** three ***", "text/plain")),
              IsEmpty());
  EXPECT_THAT(differences(post("one two three", "text/plain"), post("one *** two", "text/plain")), Not(IsEmpty()));
  EXPECT_THAT(differences(post("ab", "text/plain"), post("a***ab", "text/plain")), Not(IsEmpty()));
}

TEST(HarMatch, json_bodies_match_as_values) {
  EXPECT_THAT(differences(post(R"({"a":1.0,"b":[true,null]})"), post(R"({ "b" : [ true, null ], "a" : 1 })")),
              IsEmpty());
  EXPECT_THAT(differences(post(R"({"filter":{"state":"open"}})"), post(R"({"filter":{"state":"done"}})")),
              ElementsAre(R"(the body has "open" at '/filter/state', and was recorded with "done")"));
  EXPECT_THAT(differences(post(R"({"a":1,"b":2})"), post(R"({"a":1})")),
              ElementsAre("the body has 2 at '/b', and was recorded with nothing"));
  EXPECT_THAT(differences(post(R"({"a":1})"), post(R"({"a":1,"b":2})")),
              ElementsAre("the body has nothing at '/b', and was recorded with 2"));
  EXPECT_THAT(differences(post("[1,2]"), post("[1]")),
              ElementsAre("the body has 2 at '/1', and was recorded with nothing"));
  EXPECT_THAT(differences(post("[1]"), post("[1,2]")),
              ElementsAre("the body has nothing at '/1', and was recorded with 2"));
}

TEST(HarMatch, json_bodies_with_an_integer_beyond_64_bits_match_as_text) {
  const auto with = [](std::string_view number) { return post(fmt::format(R"({{"n":{}}})", number)); };
  EXPECT_THAT(differences(with("18446744073709551617"), with("18446744073709551999")),
              ElementsAre(R"(the body is {"n":18446744073709551617}, and was recorded as {"n":18446744073709551999})"));
  HarMatcher matcher({recorded(with("18446744073709551617"))}, conditional_headers(), "a.har");
  EXPECT_FALSE(matcher.take(with("18446744073709551999")));
  EXPECT_TRUE(matcher.take(with("18446744073709551617")));
}

TEST(HarMatch, bodies_match_as_json_if_their_type_names_it_or_is_absent) {
  EXPECT_THAT(differences(post(" -5.0 ", "text/plain"), post("-5", "text/plain")), Not(IsEmpty()));
  EXPECT_THAT(differences(post(" -5.0 ", "text/plain"), post("-5")), Not(IsEmpty()));
  EXPECT_THAT(differences(post(" -5.0 "), post("-5", "application/merge-patch+json; charset=utf-8")), IsEmpty());
  auto without_type = post("-5");
  without_type.headers = {};
  EXPECT_THAT(differences(post(" -5.0 "), without_type), IsEmpty());
  EXPECT_THAT(differences(post(" -5.0 ", "text/plain"), without_type), Not(IsEmpty()));
}

TEST(HarMatch, other_bodies_match_as_text) {
  EXPECT_THAT(differences(post("a", "text/plain"), post("b", "text/plain")),
              ElementsAre("the body is a, and was recorded as b"));
  EXPECT_THAT(differences(post(""), get("https://api.example.com/tasks")).front(), HasSubstr("the method is POST"));
  auto without = post("");
  without.has_body = false;
  EXPECT_THAT(differences(without, post("")), IsEmpty()) << "proxies write none as an empty one";
  EXPECT_THAT(differences(without, post("a")), ElementsAre("the body is missing"));
  EXPECT_THAT(differences(post("a"), without), ElementsAre("no body was recorded"));
}

TEST(HarMatch, a_body_that_was_not_recorded_matches_any) {
  auto exchange = recorded(post(""));
  exchange.lacks_request_body = true;
  EXPECT_EQ(difference(post("anything"), exchange, conditional_headers()).distance, 0u);
}

TEST(HarMatch, the_delimiter_of_a_multipart_body_does_not_matter) {
  EXPECT_THAT(differences(post("--x1\r\n\r\ntea\r\n--x1--", "multipart/form-data; boundary=x1"),
                          post("--y22\r\n\r\ntea\r\n--y22--", "multipart/form-data; boundary=\"y22\"")),
              IsEmpty());
  EXPECT_THAT(differences(post("--x1\r\n\r\ntea\r\n--x1--", "multipart/form-data; boundary=x1"),
                          post("--y22\r\n\r\nrum\r\n--y22--", "multipart/form-data; boundary=y22")),
              Not(IsEmpty()));
}

TEST(HarMatch, headers_match_that_change_what_a_response_means) {
  const std::string url = "https://api.example.com/tasks";
  EXPECT_THAT(differences(get(url, {{"Accept", "a"}}), get(url, {{"Accept", "b"}})), IsEmpty());
  EXPECT_THAT(differences(get(url, {{"If-None-Match", "\"1\""}}), get(url)),
              ElementsAre("the header If-None-Match (\"1\") was not recorded"));
  EXPECT_THAT(differences(get(url), get(url, {{"Range", "bytes=5-"}})),
              ElementsAre("the header Range was recorded as bytes=5-, and is missing"));
}

TEST(HarMatch, all_recorded_headers_can_be_required) {
  const std::string url = "https://api.example.com/tasks";
  EXPECT_THAT(differences(get(url, {{"Accept", "a"}}), get(url, {{"Accept", "b"}, {"Host", "x"}}), std::nullopt),
              ElementsAre("the header Accept is a, and was recorded as b"));
  EXPECT_THAT(
      differences(get(url, {{"Authorization", "Bearer x"}}), get(url, {{"Authorization", "***"}}), std::nullopt),
      IsEmpty());
  EXPECT_THAT(differences(get(url), get(url, {{"Authorization", "***"}}), std::nullopt),
              ElementsAre("the header Authorization was recorded as ***, and is missing"));
}

TEST(HarMatch, a_complaint_shows_no_secret_of_a_recording) {
  const HarMatcher matcher({recorded(get("https://a.example/2?access_token=abc"))}, conditional_headers(), "a.har");
  EXPECT_EQ(matcher.complaint(), "GET https://a.example/2?access_token=*** (log.entries[0]) was not sent");
}

TEST(HarMatch, each_exchange_is_taken_once_and_in_order) {
  HarMatcher matcher({recorded(get("https://a.example/1"), "first"), recorded(get("https://a.example/2")),
                      recorded(get("https://a.example/1"), "second")},
                     conditional_headers(), "a.har");
  EXPECT_EQ((*matcher.take(get("https://a.example/1")))->response.body, "first");
  EXPECT_EQ((*matcher.take(get("https://a.example/1")))->response.body, "second");
  EXPECT_EQ(matcher.complaint(), "GET https://a.example/2 (log.entries[0]) was not sent");
  EXPECT_TRUE(matcher.take(get("https://a.example/2")));
  EXPECT_EQ(matcher.complaint(), "");
  const auto again = matcher.take(get("https://a.example/2"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Errc::refused);
  EXPECT_EQ(again.error().sent(), Sent::no);
  EXPECT_EQ(again.error().what(), "sent more often than the recording \"a.har\" has it: log.entries[0] was served");
  EXPECT_EQ(matcher.complaint(), fmt::format("GET https://a.example/2: {}", again.error().what()));
}

TEST(HarMatch, a_request_that_was_not_recorded_shows_the_nearest_one) {
  HarMatcher matcher({recorded(get("https://a.example/users?page=1")),
                      recorded(get("https://a.example/tasks?page=1&per_page=5")), recorded(post("{}"))},
                     conditional_headers(), "a.har");
  EXPECT_EQ(matcher.take(get("https://a.example/tasks?page=2&per_page=5")).error().what(),
            "not in the recording \"a.har\": the nearest is log.entries[0], GET "
            "https://a.example/tasks?page=1&per_page=5; the parameter page is 2, and was recorded as 1");
  EXPECT_THAT(matcher.complaint(), StartsWith("GET https://a.example/tasks?page=2&per_page=5: not in the recording"));
  EXPECT_THAT(matcher.take(get("https://a.example/task?page=1&token=hunter22")).error().what(),
              AllOf(HasSubstr("the path is /task"), Not(HasSubstr("hunter22"))));
  EXPECT_THAT(matcher.take(get("https://b.example/users?page=1")).error().what(),
              HasSubstr("the origin is https://b.example"));
  HarMatcher empty({}, conditional_headers(), "a.har");
  EXPECT_THAT(empty.take(get("https://a.example/")).error().what(),
              HasSubstr("which has no entry that can be replayed: one with an http or https URL, a method"));
}

constexpr std::string_view form = "application/x-www-form-urlencoded";

TEST(HarMatch, the_nearest_request_has_the_most_similar_body) {
  const std::string text(1000, 'x');
  const auto multipart = [](std::string_view boundary, std::string_view second) {
    return post(fmt::format("--{0}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--{0}\r\n"
                            "Content-Disposition: form-data; name=\"b\"\r\n\r\n{1}\r\n--{0}--\r\n",
                            boundary, second),
                fmt::format("multipart/form-data; boundary={}", boundary));
  };
  std::vector<HarExchange> exchanges{recorded(post("<q/>", "text/xml")),
                                     recorded(post("user=u&b=2", form)),
                                     recorded(post(text + "<a>1</a>" + text, "text/xml")),
                                     recorded(post("a=1&b=2&c=3&d=" + text, form)),
                                     recorded(post(R"({"a":1})")),
                                     recorded(post(R"({"a":5,"b":6,"c":7,"d":8})")),
                                     recorded(multipart("x1", "2"))};
  for (std::size_t at = 0; at < exchanges.size(); ++at) exchanges[at].entry = at;
  HarMatcher matcher(exchanges, conditional_headers(), "a.har");
  const auto said = [&](const SentRequest& request) {
    auto what = matcher.take(request).error().what();
    return what.substr(what.find("log.entries"));
  };
  const std::string url = ", POST https://api.example.com/tasks; ";
  EXPECT_EQ(said(post("user=u&b=3", form)), "log.entries[1]" + url + "the form field b is 3, and was recorded as 2");
  EXPECT_THAT(said(post(text + "<a>2</a>" + text, "text/xml")),
              AllOf(StartsWith("log.entries[2]"), HasSubstr("the body is \u2026"), HasSubstr("x<a>2</a>x"),
                    HasSubstr("recorded as \u2026"), HasSubstr("x<a>1</a>x")));
  EXPECT_THAT(said(post("a=1&b=2&c=3&d=" + text + "y", form)),
              AllOf(StartsWith("log.entries[3]"), HasSubstr("the form field d is \u2026xxxx"), HasSubstr("xxxy,")));
  EXPECT_EQ(said(post(R"({"a":5,"b":6,"c":7,"d":9})")),
            "log.entries[5]" + url + "the body has 9 at '/d', and was recorded with 8");
  EXPECT_EQ(said(multipart("y22", "3")), "log.entries[6]" + url + "the part b is 3, and was recorded as 2");
  EXPECT_TRUE(matcher.take(post(R"({"a":5,"b":6,"c":7,"d":8})")));
  EXPECT_THAT(said(post(R"({"a":5,"b":6,"c":7,"d":9})")), Not(StartsWith("log.entries[5]"))) << "it was served";
}

TEST(HarMatch, few_differences_are_listed) {
  std::string sent;
  for (int number = 0; number < 5000; ++number) sent += fmt::format("a{}=1&", number);
  const auto what = differences(post(sent, form), post("", form));
  ASSERT_THAT(what, SizeIs(11));
  EXPECT_EQ(what.front(), "the form field a0 (1) was not recorded");
  EXPECT_EQ(what.back(), "and 4990 more");
}

TEST(HarMatch, forms_match_in_each_spelling) {
  EXPECT_THAT(differences(post("a=1%202&b=%C3%A4", form), post("b=\u00e4&a=1+2", form)), IsEmpty());
  auto without_type = post("a=1+2");
  without_type.headers = {};
  EXPECT_THAT(differences(post("a=1%202", form), without_type), IsEmpty()) << "as browsers export it";
  HarMatcher matcher({recorded(without_type)}, conditional_headers(), "a.har");
  EXPECT_TRUE(matcher.take(post("a=1%202", form)));
}

TEST(HarMatch, a_request_has_asterisks_only_if_a_response_had_them) {
  const auto sent = post(R"({"i":"***","s":"***"})");
  const auto matches = [&](const std::string& body, const std::string& response) {
    HarMatcher matcher({recorded(post(body), response)}, conditional_headers(), "a.har");
    return static_cast<bool>(matcher.take(sent));
  };
  EXPECT_FALSE(matches(R"({"i":"a","s":"b"})", "{}"));
  EXPECT_TRUE(matches(R"({"i":"a","s":"b"})", R"({"next":"***"})"));
  EXPECT_FALSE(matches(R"({"i":0,"s":"b"})", R"({"next":"***"})")) << "a number is never hidden in a response";
  EXPECT_TRUE(matches(R"({"i":"***","s":"***"})", "{}"));
}

TEST(HarMatch, many_requests_are_found_in_any_order) {
  constexpr int count = 20'000;
  const auto request = [](int number, std::string_view key = "hunter22") {
    switch (number % 4) {
      case 3: return get("https://api.example.com/file", {{"Range", fmt::format("bytes={}-", number)}});
      case 0: return get(fmt::format("https://api.example.com/tasks?api_key={}&page={}", key, number));
      case 1: return post(fmt::format(R"({{"n": {}}})", number));
      default: return post(fmt::format("a=1&n={}", number), form);
    }
  };
  std::vector<HarExchange> exchanges;
  for (int number = 0; number < count; ++number)
    exchanges.push_back(recorded(request(number, "***"), std::to_string(number)));
  HarMatcher matcher(std::move(exchanges), conditional_headers(), "a.har");
  for (int number = count; number-- > 0;) {
    const auto found = matcher.take(request(number));
    ASSERT_TRUE(found) << number;
    ASSERT_EQ((*found)->response.body, std::to_string(number));
  }
  EXPECT_EQ(matcher.complaint(), "");
}

TEST(HarMatch, an_exchange_is_found_whatever_was_hidden_in_it) {
  HarMatcher matcher(
      {recorded(get("https://a.example/***?a=1"), "1"), recorded(get("https://a.example/x?a=1"), "2"),
       recorded(post(R"({"a":"***"})"), "3"), recorded(post(R"({"a":1.0})"), "4"), recorded(post(R"({"a":1})"), "***")},
      conditional_headers(), "a.har");
  const auto taken = [&](const SentRequest& request) { return (*matcher.take(request))->response.body; };
  EXPECT_EQ(taken(get("https://a.example/x?a=1")), "1");
  EXPECT_EQ(taken(get("https://a.example/%2A%2A%2A?a=1")), "2");
  EXPECT_EQ(taken(post(R"({"a":1})")), "3");
  EXPECT_EQ(taken(post(R"({"a":1})")), "4");
  EXPECT_EQ(taken(post(R"({ "a" : 1e0 })")), "***");
  const auto matches = [](const SentRequest& sent, const SentRequest& original) {
    HarMatcher one({recorded(original)}, conditional_headers(), "a.har");
    return static_cast<bool>(one.take(sent));
  };
  EXPECT_TRUE(matches(post(R"({"a":-0.0})"), post(R"({"a":0})")));
  EXPECT_TRUE(matches(post(R"({"a":"b"})"), post(R"({"a":"\u002a\u002A*"})")));
  EXPECT_TRUE(
      matches(get("https://a.example/", {{"Range", "bytes=0-"}}), get("https://a.example/", {{"Range", "***"}})));
}

}}  // namespace testing_test::har_match_test
