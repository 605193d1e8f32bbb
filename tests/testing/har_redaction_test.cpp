// What must not be in a recording, and what a replay needs of it in spite of that.
#include "testing/har_redaction.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "os/temporary_folder.hpp"
#include "testing/har.hpp"

namespace testing_test { namespace har_redaction_test {

using namespace std::chrono_literals;
using namespace noun;
using noun::testing::HarExchange;
using noun::testing::HiddenValues;
using noun::testing::HidingRules;
using noun::testing::ManualClock;
using noun::testing::read_har;
using noun::testing::record;
using noun::testing::replay;
using noun::testing::ScriptedTransport;
using noun::testing::Side;
using noun::testing::without_secret_members;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto base_url = "https://api.example.com";
constexpr std::string_view form_type = "application/x-www-form-urlencoded";
constexpr std::string_view json_type = "application/json";

/// Exchanges as they are in one recording.
class Recorded {
 public:
  explicit Recorded(HidingRules rules = {}) : rules_(std::move(rules)) {}

  HarExchange operator()(HarExchange exchange) {
    noun::testing::hide_secrets(exchange, KnownSecrets(), nullptr, rules_, values_);
    return exchange;
  }
  HarExchange response(std::string body, std::string_view type = json_type) {
    HarExchange exchange{.request = {.url = "https://h/x"}};
    exchange.response = {.status = 200, .headers = {{"Content-Type", type}}, .body = std::move(body)};
    return (*this)(std::move(exchange));
  }
  HarExchange request(std::string url, std::string body, std::string_view type = json_type) {
    HarExchange exchange{.request = {.method = Method::post,
                                     .url = std::move(url),
                                     .headers = {{"Content-Type", type}},
                                     .body = std::move(body),
                                     .has_body = true}};
    exchange.response = {.status = 200, .body = "{}"};
    return (*this)(std::move(exchange));
  }

 private:
  HidingRules rules_;
  HiddenValues values_;
};

/// A recording, and a program that is run with the server and without.
class LiveAndReplayed {
 public:
  using Program = std::function<std::vector<std::string>(const Client&)>;

  std::string path() const { return folder_.path("a.har"); }
  std::string text() const { return folder_.read("a.har"); }

  /// What the program does with a server that responds as the script.
  std::vector<std::string> live(std::shared_ptr<ScriptedTransport> script, const Program& program,
                                ClientOptions options = {}) {
    options.transport = record(std::move(script), path());
    options.clock = std::make_shared<ManualClock>();
    return program(Client{base_url, std::move(options)});
  }
  /// What it does with the recording, and its complaint if there is one.
  std::vector<std::string> replayed(const Program& program, ClientOptions options = {}) {
    const auto tape = replay(path());
    options.transport = tape;
    options.clock = tape->clock();
    auto results = program(Client{base_url, std::move(options)});
    if (const auto complaint = tape->complaint(); !complaint.empty()) results.push_back(complaint);
    return results;
  }

 private:
  noun_test::TemporaryFolder folder_;
};

TEST(HarRedaction, fields_of_a_form_in_a_response_are_hidden) {
  Recorded recorded({.hidden = {"ssn"}, .shown = {"session"}});
  const auto github = recorded.response("access_token=gho_16C7e42F292c6912&scope=repo&token_type=bearer",
                                        "Application/X-WWW-Form-Urlencoded; charset=utf-8");
  EXPECT_EQ(github.response.body, "access_token=***&scope=repo&token_type=bearer");
  EXPECT_THAT(github.hidden_names, ElementsAre("response member access_token"));
  EXPECT_EQ(recorded.response("oauth_token=NPcudxy0yU5T&oauth_token_secret=veNRnAWe6inF", form_type).response.body,
            "oauth_token=***2&oauth_token_secret=***3");
  EXPECT_EQ(recorded.response("ssn=987654321&x=1&session=spring", form_type).response.body,
            "ssn=***4&x=1&session=spring");
  EXPECT_EQ(recorded.response("[\"gho_16C7e42F292c6912\"]").response.body, "[\"***\"]") << "it is searched elsewhere";

  HarExchange in_pieces{.request = {.url = "https://h/x"}};
  in_pieces.response = {.status = 200, .headers = {{"Content-Type", form_type}}};
  in_pieces.pieces = {{"access_tok", 1s}, {"en=hunter&scope=repo", 1s}};
  std::string received;
  for (const auto& piece : Recorded()(in_pieces).pieces) received += piece.bytes;
  EXPECT_EQ(received, "access_token=***&scope=repo");
}

TEST(HarRedaction, listed_members_are_hidden_whatever_their_values_are) {
  Recorded recorded({.hidden = {"ssn", "salary", "patient", "smokes", "note"}});
  EXPECT_EQ(
      recorded
          .response(
              R"({"ssn":123456789,"salary":98765.5,"patient":{"type":"HIV-positive","age":-44},"smokes":true,"n":7})")
          .response.body,
      R"({"ssn":0,"salary":1,"patient":{"type":"***3","age":3},"smokes":false,"n":7})");
  EXPECT_EQ(recorded.response(R"([{"ssn":123456789},{"note":[true,null,"",{"type":98765.5}]}])").response.body,
            R"([{"ssn":0},{"note":[false,null,"",{"type":1}]}])");
  EXPECT_EQ(
      recorded.request("https://h/x", R"({"patient":{"type":"HIV-positive","age":44,"smokes":true}})").request.body,
      R"({"patient":{"type":"***","age":"***","smokes":"***"}})");
}

struct Employee {
  std::string name;
  std::int64_t ssn = 0;
  double salary = 0;
  bool smokes = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Employee, name, ssn, salary, smokes)

TEST(HarRedaction, listed_members_are_read_as_their_types) {
  const auto shown = Recorded({.hidden = {"name", "ssn", "salary", "smokes"}})
                         .response(R"({"name":"Ann","ssn":123456789,"salary":98765.5,"smokes":true})");
  const auto employee = Json::parse(shown.response.body).get<Employee>();
  EXPECT_EQ(employee.name, "***");
  EXPECT_EQ(employee.ssn, 1);
  EXPECT_EQ(employee.salary, 2);
  EXPECT_FALSE(employee.smokes);
}

TEST(HarRedaction, credentials_in_requests_of_tokens_are_hidden_wherever_they_are) {
  Recorded recorded({.shown = {"prompt"}});
  const std::string granted =
      R"({"grant_type":"authorization_code","code":"AUTHCODE12345","code_verifier":12345678,"prompt":"now","scope":""})";
  const auto json = recorded.request("https://h/token", granted);
  EXPECT_EQ(json.request.body,
            R"({"grant_type":"authorization_code","code":"***","code_verifier":"***","prompt":"now","scope":""})");
  EXPECT_THAT(json.hidden_names, ElementsAre("request member code", "request member code_verifier"));
  const auto query = recorded.request("https://h/token?grant_type=authorization_code&code=QUERYCODE123&scope=a", "{}");
  EXPECT_EQ(query.request.url, "https://h/token?grant_type=authorization_code&code=***&scope=a");
  EXPECT_THAT(query.hidden_names, ElementsAre("parameter code"));
  EXPECT_EQ(
      recorded.request("https://h/token?grant_type=authorization_code", "code=FORMCODE123", form_type).request.body,
      "code=***");
  const auto part = [](std::string_view name, std::string_view value) {
    return fmt::format("--b\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name, value);
  };
  EXPECT_EQ(recorded
                .request("https://h/token", part("grant_type", "x") + part("code", "PARTCODE123") + "--b--",
                         "multipart/form-data; boundary=b")
                .request.body,
            part("grant_type", "x") + part("code", "***") + "--b--");
  EXPECT_EQ(recorded.request("https://h/x?code=7", R"({"code":"E-7"})").request.body, R"({"code":"E-7"})");
  EXPECT_EQ(recorded.request("https://h/x?code=7", "{}").request.url, "https://h/x?code=7");
  EXPECT_EQ(recorded.response(R"(["AUTHCODE12345", "QUERYCODE123", "FORMCODE123"])").response.body,
            R"(["***", "***2", "***3"])");
}

TEST(HarRedaction, a_complaint_hides_what_the_client_hides) {
  LiveAndReplayed run;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/a/1").reply(200, "{}");
  const auto read = [](int id) {
    return [id](const Client& api) {
      const auto item = api.collection("a")[id].get();
      return std::vector{item ? std::string("ok") : item.error().message()};
    };
  };
  EXPECT_THAT(run.live(script, read(1), {.query = {{"k", "REALSECRET42"}}}), ElementsAre("ok"));
  const auto with_query = run.replayed(read(2), {.query = {{"k", "REALSECRET42"}}});
  EXPECT_THAT(with_query, Each(Not(HasSubstr("REALSECRET42"))));
  EXPECT_THAT(with_query, ElementsAre(HasSubstr("/a/2?k=***"), HasSubstr("/a/2?k=***")));
  const auto with_another =
      run.replayed(read(1), {.headers = {{"X-Tenant", "REALTENANT42"}}, .query = {{"j", "REALTENANT42"}}});
  EXPECT_THAT(with_another, Each(Not(HasSubstr("REALTENANT42"))));
}

TEST(HarRedaction, a_complaint_of_a_script_hides_what_the_client_knows) {
  const auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/a/1?token=expected");
  const Client api{base_url, {.query = {{"k", "REALSECRET42"}}, .transport = script}};
  EXPECT_FALSE(api.send({.path = "a/1", .query = {{"token", "sent"}}}));
  EXPECT_EQ(script->complaint(), "GET /a/1?token=sent&k=*** was sent, but GET /a/1?token=expected was expected");
}

/// The bodies of the responses in a file, as far as they were received.
std::string bodies_of(const std::vector<HarExchange>& exchanges) {
  std::string bodies;
  for (const auto& exchange : exchanges) {
    bodies += exchange.response.body + "|";
    for (const auto& piece : exchange.pieces) bodies += piece.bytes + "|";
  }
  return bodies;
}

TEST(HarRedaction, a_secret_in_a_body_that_is_cut_off_is_hidden) {
  EXPECT_EQ(without_secret_members(R"({"token": "a)", {}, Side::response), R"({"token": "***)");
  EXPECT_EQ(without_secret_members(R"({"token": "a\)", {}, Side::response), R"({"token": "***)");
  EXPECT_EQ(without_secret_members(R"({"token": ")", {}, Side::response), R"({"token": ")");
  EXPECT_EQ(without_secret_members("{\"token\": \"a\n\"b\": \"c\"", {}, Side::response),
            "{\"token\": \"a\n\"b\": \"c\"");
}

TEST(HarRedaction, a_secret_that_a_download_got_in_two_parts_is_hidden) {
  const std::string whole = R"({"a":"b","access_token":"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.abcdef","c":"d"})";
  for (const std::size_t cut :
       {std::size_t{14}, whole.find("eyJ"), whole.find("IkpX"), whole.find("\",\"c"), whole.size() - 3}) {
    LiveAndReplayed run;
    auto script = std::make_shared<ScriptedTransport>();
    script->expect(Method::get, "/f")
        .reply(200, "", {{"Content-Length", whole.size()}, {"ETag", "\"1\""}, {"Accept-Ranges", "bytes"}})
        .chunk(whole.substr(0, cut))
        .fail(Errc::truncated, Sent::answered, "the connection was lost");
    script->expect(Method::get, "/f")
        .reply(
            206, "",
            {{"Content-Range", fmt::format("bytes {}-{}/{}", cut, whole.size() - 1, whole.size())}, {"ETag", "\"1\""}})
        .chunk(whole.substr(cut, 5))
        .chunk(whole.substr(std::min(cut + 5, whole.size())), 1s);
    std::string received;
    const auto download = [&](const Client& api) {
      const auto done = api.download({.path = "f"}, [&](std::string_view piece) { received += piece; });
      return std::vector{done ? std::string("ok") : done.error().message()};
    };
    EXPECT_THAT(run.live(script, download), ElementsAre("ok")) << cut;
    EXPECT_EQ(received, whole) << cut;
    const auto bodies = bodies_of(read_har(run.path()).value());
    for (std::size_t at = whole.find("eyJ"); at + 6 <= whole.find("\",\"c"); ++at)
      ASSERT_THAT(bodies, Not(HasSubstr(whole.substr(at, 6)))) << cut;
    EXPECT_THAT(bodies, HasSubstr("\"c")) << cut;
    EXPECT_THAT(run.text(), Not(HasSubstr("abcdef"))) << cut;
  }
}

TEST(HarRedaction, a_known_secret_that_is_cut_off_is_hidden) {
  const auto shown = [](std::string body, bool is_cut) {
    HarExchange exchange{.request = {.url = "https://h/x", .headers = {{"Authorization", "Bearer Zk3vALUEsECRET77"}}}};
    exchange.response = {.status = 200, .body = std::move(body)};
    if (is_cut) exchange.failure = Error(Errc::truncated, "the response is incomplete", Sent::answered);
    return Recorded()(std::move(exchange)).response.body;
  };
  EXPECT_EQ(shown(R"({"echo":"Zk3vALUE)", true), R"({"echo":"***)");
  EXPECT_EQ(shown(R"({"echo":"Zk3vALUEsECRET77)", true), R"({"echo":"***)");
  EXPECT_EQ(shown(R"({"echo":"Zk3v)", true), R"({"echo":"Zk3v)");
  EXPECT_EQ(shown(R"({"echo":"Zk3vALUE)", false), R"({"echo":"Zk3vALUE)");
}

TEST(HarRedaction, a_part_of_another_file_is_not_changed) {
  Recorded recorded;
  const auto part = [](std::string url, std::string body, std::string range) {
    HarExchange exchange{.request = {.url = std::move(url)}};
    exchange.response = {.status = 206, .headers = {{"Content-Range", std::move(range)}}};
    exchange.pieces = {{std::move(body), 1s}, {"\"}", 1s}};
    return exchange;
  };
  auto cut = part("https://h/x", R"({"token":"abcdef)", "bytes 0-15/40");
  cut.pieces.pop_back();
  EXPECT_EQ(recorded(cut).pieces[0].bytes, R"({"token":"***)");
  EXPECT_EQ(recorded(part("https://h/y", "ghi", "bytes 16-20/40")).pieces[0].bytes, "ghi");
  EXPECT_EQ(recorded(part("https://h/x", "ghi", "bytes 17-21/40")).pieces[0].bytes, "ghi");
  EXPECT_EQ(recorded(part("https://h/x", "ghi", "bytes 16-20/40")).pieces[0].bytes, "\"}");
}

/// The ids, and the error if there is one.
template <class Read>
std::vector<std::string> listed(const Collection<Json>& collection, const ListOptions& options, Read read) {
  std::vector<std::string> results;
  for (const auto& item : collection.list(options)) results.push_back(item ? read(*item) : item.error().message());
  return results;
}

std::string id_of(const Json& item) { return item.at("id").dump(); }

TEST(HarRedaction, cursors_that_are_named_like_secrets_lead_on) {
  for (const auto& [parameter, member] :
       {std::array{"scroll_token", "scroll_token"}, std::array{"pagination_token", "paginationToken"},
        std::array{"session", "session"}, std::array{"key", "last_evaluated_key"}}) {
    LiveAndReplayed run;
    auto script = std::make_shared<ScriptedTransport>();
    for (int page = 1; page <= 3; ++page)
      script->expect(Method::get, "/a")
          .reply(200, fmt::format(R"({{"items":[{{"id":{}}}],"{}":"aGVsbG8xMjM0NTY3OA{}"}})", page, member, page));
    script->expect(Method::get, "/a").reply(200, R"({"items":[{"id":4}]})");
    Dialect dialect;
    dialect.paging = {.style = paging::Cursor{.parameter = parameter, .from = "/" + std::string(member)},
                      .items = "/items"};
    const auto list = [](const Client& api) { return listed(api.collection("a"), {}, id_of); };
    const auto live = run.live(script, list, {.dialect = dialect});
    EXPECT_THAT(live, ElementsAre("1", "2", "3", "4"));
    EXPECT_EQ(run.replayed(list, {.dialect = dialect}), live) << parameter;
    EXPECT_THAT(run.text(), Not(HasSubstr("aGVsbG8"))) << parameter;
  }
}

TEST(HarRedaction, urls_of_pages_with_secrets_lead_on) {
  const std::array links{
      R"({{"items":[{{"id":{}}}],"next":"https://api.example.com/a?scroll_token=aGVsbG8xMjM0NTY3OA{}"}})",
      R"({{"items":[{{"id":{}}}],"next":"/a?scroll_token={}"}})"};
  for (const std::string link : links) {
    LiveAndReplayed run;
    auto script = std::make_shared<ScriptedTransport>();
    for (int page = 1; page <= 3; ++page)
      script->expect(Method::get, "/a").reply(200, fmt::format(fmt::runtime(link), page, page));
    script->expect(Method::get, "/a").reply(200, R"({"items":[{"id":4}]})");
    Dialect dialect;
    dialect.paging = {.style = paging::NextUrl{.from = "/next"}, .items = "/items"};
    const auto list = [](const Client& api) { return listed(api.collection("a"), {}, id_of); };
    const auto live = run.live(script, list, {.dialect = dialect});
    EXPECT_THAT(live, ElementsAre("1", "2", "3", "4"));
    EXPECT_EQ(run.replayed(list, {.dialect = dialect}), live) << link;
    EXPECT_THAT(run.text(), Not(HasSubstr("aGVsbG8"))) << link;
  }
}

TEST(HarRedaction, items_by_keys_that_look_random_are_listed) {
  const auto page = [](int first) {
    return fmt::format(R"([{{"key":"photos/2024/img000{0}.jpg","name":"photos/2024/img000{0}.jpg"}},)"
                       R"({{"key":"photos/2024/img000{1}.jpg","name":"photos/2024/img000{1}.jpg"}}])",
                       first, first + 1);
  };
  for (const auto key : {"/key", "/name"}) {
    LiveAndReplayed run;
    auto script = std::make_shared<ScriptedTransport>();
    script->expect(Method::get, "/a").reply(200, page(1), {{"Link", "</a?page=2>; rel=\"next\""}});
    script->expect(Method::get, "/a").reply(200, page(3), {{"Link", "</a?page=3>; rel=\"next\""}});
    script->expect(Method::get, "/a").reply(200, page(5));
    const auto list = [&](const Client& api) {
      return listed(api.collection("a"), {.key = key}, [](const Json&) { return std::string("an item"); });
    };
    const auto live = run.live(script, list);
    EXPECT_EQ(live.size(), 6U);
    EXPECT_EQ(run.replayed(list), live) << key;
  }
}

TEST(HarRedaction, the_last_item_leads_on_by_a_key_that_looks_random) {
  LiveAndReplayed run;
  auto script = std::make_shared<ScriptedTransport>();
  for (int page = 1; page <= 3; ++page)
    script->expect(Method::get, "/a").reply(200, fmt::format(R"([{{"key":"photos/2024/img000{}.jpg"}}])", page));
  script->expect(Method::get, "/a").reply(200, "[]");
  Dialect dialect;
  dialect.paging = {.style = paging::LastItem{.parameter = "after", .key = "/key"}};
  const auto list = [](const Client& api) {
    return listed(api.collection("a"), {}, [](const Json&) { return std::string("an item"); });
  };
  const auto live = run.live(script, list, {.dialect = dialect});
  EXPECT_EQ(live.size(), 3U);
  EXPECT_EQ(run.replayed(list, {.dialect = dialect}), live);
}

TEST(HarRedaction, equal_values_have_equal_stand_ins) {
  Recorded recorded;
  EXPECT_EQ(recorded.response(R"([{"token":"a"},{"token":"b"},{"secret":"a"},{"token":"***2"}])").response.body,
            R"([{"token":"***"},{"token":"***2"},{"secret":"***"},{"token":"***2"}])");
  EXPECT_EQ(recorded.response(R"({"token":"b","pin":"c"})").response.body, R"({"token":"***2","pin":"***3"})");
}

TEST(HarRedaction, no_number_stands_for_itself) {
  const auto shown = Recorded({.hidden = {"id"}}).response(R"([{"id":0},{"id":1},{"id":2},{"id":1},{"id":4}])");
  EXPECT_EQ(shown.response.body, R"([{"id":1},{"id":2},{"id":3},{"id":2},{"id":5}])");
}

TEST(HarRedaction, numbers_with_different_secrets_differ) {
  const Headers keys = {{"Authorization", "Bearer 987654321"}, {"X-Api-Key", "1234567"}};
  HarExchange exchange{.request = {.url = "https://h/x", .headers = keys}};
  exchange.response = {.status = 200, .body = R"([{"n":987654321},{"n":1234567},{"n":987654321}])"};
  EXPECT_EQ(Recorded()(std::move(exchange)).response.body, R"([{"n":"***"},{"n":"***2"},{"n":"***"}])");
}

TEST(HarRedaction, what_a_response_hid_is_sent_in_a_path) {
  LiveAndReplayed run;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/a").reply(200, R"({"token":"Zk3vALUEsECRET77","session":"spring"})");
  script->expect(Method::get, "/a/spring").reply(200, "{}");
  const auto follow = [](const Client& api) {
    const auto first = api.send({.path = "a"});
    const auto session = Json::parse(first->body).at("session").get<std::string>();
    return std::vector{std::string(api.send({.path = "a/" + session}) ? "ok" : "an error")};
  };
  EXPECT_THAT(run.live(script, follow), ElementsAre("ok"));
  EXPECT_THAT(run.replayed(follow), ElementsAre("ok"));
}

TEST(HarRedaction, lines_of_json_stay_json_whatever_is_hidden_in_them) {
  const auto response_with = [](std::string body, std::string_view type) {
    HarExchange exchange{.request = {.url = "https://h/x", .headers = {{"Authorization", "Bearer 987654321"}}}};
    exchange.response = {.status = 200, .headers = {{"Content-Type", type}}, .body = std::move(body)};
    return Recorded()(std::move(exchange)).response.body;
  };
  EXPECT_EQ(response_with("{\"n\":1}\n{\"n\":987654321}\n{\"n\":\"987654321\"}\n", "application/x-ndjson"),
            "{\"n\":1}\n{\"n\":\"***\"}\n{\"n\":\"***\"}\n");
  EXPECT_EQ(response_with("event: x\r\ndata: {\"n\":-987654321.5}\r\n\r\ndata:987654321\n\n", "text/event-stream"),
            "event: x\r\ndata: {\"n\":\"***\"}\r\n\r\ndata:\"***\"\n\n");
  EXPECT_EQ(response_with("\x1e{\"n\":987654321}\n", "application/json-seq"), "\x1e{\"n\":\"***\"}\n");
  EXPECT_EQ(response_with("{\"n\":1} 987654321\n", "text/plain"), "{\"n\":1} ***\n");
}

}}  // namespace testing_test::har_redaction_test
