// What a client did with a server, recorded, it does again without one: the same results, attempts and waits.
#include <noun/testing/recording.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "curl/raw_server.hpp"
#include "os/temporary_folder.hpp"
#include "testing/har.hpp"
#include "testing/har_redaction.hpp"

namespace testing_test { namespace recording_test {

using namespace std::chrono_literals;
using namespace noun;
using noun::testing::har_end;
using noun::testing::har_entry;
using noun::testing::har_start;
using noun::testing::HarExchange;
using noun::testing::ManualClock;
using noun::testing::read_har;
using noun::testing::record;
using noun::testing::Replay;
using noun::testing::replay;
using noun::testing::ScriptedTransport;
using noun::testing::ServiceOptions;
using noun::testing::Side;
using noun::testing::SimulatedService;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto base_url = "https://api.example.com";

struct Task {
  int id = 0;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, title)

/// A path for a recording.
class RecordingFile {
 public:
  std::string path() const { return folder_.path("a.har"); }
  std::string text() const { return folder_.read("a.har"); }
  std::vector<HarExchange> exchanges() const { return read_har(path()).value(); }
  void write(const std::vector<HarExchange>& exchanges) const {
    std::string text(har_start);
    for (const auto& exchange : exchanges) text += (&exchange == exchanges.data() ? "" : ",") + har_entry(exchange);
    folder_.write("a.har", text.append(har_end));
  }

 private:
  noun_test::TemporaryFolder folder_;
};

/// How a program and its clock ended.
struct Ending {
  std::vector<std::string> results;
  std::vector<Duration> waits;
  std::string complaint = {};
};

std::string line_of(std::string_view what, const Error& error) {
  return fmt::format("{}: {} {} {} sent {} attempts {} elapsed {}", what, to_string(error.code()), error.status(),
                     error.message(), to_string(error.sent()), error.attempts(), error.elapsed().count());
}
std::string line_of(std::string_view what, const auto& result, auto show) {
  return result ? fmt::format("{}: {}", what, show(*result)) : line_of(what, result.error());
}

/// Lists, reads, writes and follows a stream.
std::vector<std::string> use(const Client& api) {
  std::vector<std::string> results;
  const auto tasks = api.collection<Task>("tasks");
  const auto title = [](const Task& task) { return fmt::format("{} {}", task.id, task.title); };
  for (const auto& task : tasks.list({.page_size = 7})) results.push_back(line_of("listed", task, title));
  results.push_back(line_of("read", tasks[3].get(), title));
  results.push_back(line_of("absent", tasks[4000].get(), title));
  results.push_back(line_of("created", tasks.create(Task{900, "new"}, {.idempotency_key = "k-1"}), title));
  results.push_back(line_of("replaced", tasks[5].replace(Task{5, "five"}), title));
  const auto removed = tasks[6].remove();
  results.push_back(removed ? "removed" : line_of("removed", removed.error()));
  for (const auto& change : api.stream<Task>({.path = "changes"}, {.reconnect = true}))
    results.push_back(line_of("change", change, [&](const auto& event) { return title(event.value); }));
  std::string bytes;
  const auto done = api.download({.path = "tasks"}, [&](std::string_view piece) { bytes += piece; });
  results.push_back(line_of("download", done, [](const Download& one) { return fmt::format("{} bytes", one.size); }));
  results.push_back(bytes);
  return results;
}

ClientOptions options_with(std::shared_ptr<Transport> transport, std::shared_ptr<Clock> clock) {
  return {.retry = {.jitter = 0},
          .timeouts = {.attempt = 10s},
          .headers = {{"Authorization", "Bearer 0123456789"}},
          .transport = std::move(transport),
          .clock = std::move(clock)};
}

/// Sometimes something else than the server's response.
SimulatedService::Outcome misfortune(std::mt19937& random) {
  using When = SimulatedService::When;
  const auto draw = std::uniform_int_distribution<int>(0, 19)(random);
  const auto fail = [](Errc code, Sent sent, When when) -> SimulatedService::Outcome {
    return {{Error(code, "an injected fault", sent), when}};
  };
  switch (draw) {
    case 0: return {{Response{.status = 503, .headers = {{"Retry-After", 7}}}, When::instead}};
    case 1: return {{Response{.status = 500, .body = "{\"detail\":\"later\"}"}, When::instead}};
    case 2: return {{Response{.status = 429, .headers = {{"Retry-After", 90}}}, When::instead}};
    case 3: return fail(Errc::connect, Sent::no, When::instead);
    case 4: return fail(Errc::send, Sent::maybe, When::after);
    case 5: return fail(Errc::timeout, Sent::maybe, When::instead);
    case 6: {
      const auto head = std::make_shared<const Response>(Response{.status = 200, .headers = {{"X-Part", "1"}}});
      return {{Error(ErrorDetails{.code = Errc::truncated,
                                  .what = "an injected cut",
                                  .status = 200,
                                  .sent = Sent::answered,
                                  .response = head,
                                  .retryable = Retryable::once}),
               When::instead}};
    }
    default: return std::nullopt;
  }
}

Ending use_recorded(const std::string& path, unsigned seed) {
  auto clock = std::make_shared<ManualClock>();
  auto service =
      std::make_shared<SimulatedService>(clock, ServiceOptions{.limit = 6, .period = 10min, .latency = 35ms});
  for (int id = 1; id <= 40; ++id) service->add("/tasks", std::to_string(id), Task{id, "a task"});
  service->run_feed("/changes", {.ends = true, .breaks_after = 90});
  for (int id = 1; id <= 8; ++id) service->publish("/changes", Task{id, "a change"});
  std::mt19937 random(seed);
  if (seed != 0) service->on_request([&](const Attempt&, std::size_t) { return misfortune(random); });
  const Client api{base_url, options_with(record(service, path, {.clock = clock}), clock)};
  auto results = use(api);
  return {std::move(results), clock->waits()};
}

Ending use_replayed(const std::string& path) {
  const auto tape = replay(path);
  const Client api{base_url, options_with(tape, tape->clock())};
  auto results = use(api);
  return {std::move(results), tape->clock()->waits(), tape->complaint()};
}

TEST(Recording, what_a_client_did_it_does_again_without_the_server) {
  RecordingFile file;
  std::size_t statuses = 0;
  for (unsigned seed = 0; seed < 25; ++seed) {
    const auto first = use_recorded(file.path(), seed);
    const auto second = use_replayed(file.path());
    ASSERT_THAT(second.results, ::testing::ElementsAreArray(first.results)) << "seed " << seed;
    ASSERT_EQ(second.waits, first.waits) << "seed " << seed;
    ASSERT_EQ(second.complaint, "") << "seed " << seed;
    for (const auto& exchange : file.exchanges()) statuses += exchange.response.status == 429;
    ASSERT_THAT(file.text(), Not(HasSubstr("0123456789"))) << "seed " << seed;
  }
  EXPECT_GT(statuses, 0u);
}

TEST(Recording, an_hour_of_waiting_is_replayed_in_virtual_time) {
  RecordingFile file;
  use_recorded(file.path(), 0);
  const auto tape = replay(file.path());
  const auto start = tape->clock()->now().wall;
  const Client api{base_url, options_with(tape, tape->clock())};
  use(api);
  EXPECT_EQ(start, file.exchanges().front().started);
  EXPECT_GT(tape->clock()->waited(), 10min);
  EXPECT_THAT(tape->requests(), SizeIs(file.exchanges().size()));
}

TEST(Recording, secrets_are_hidden) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::post, "/login?app=mobile-app-7&api_key=q-secret-1&plain=shown&pin=p-secret-2&v=v-secret-3")
      .reply(201,
             R"({"id": 1, "token": "new-secret-4", "echo": "h-secret-5 and %71-secret-1", "n": 12345678,)"
             R"( "credentials": {"user": "u-secret-6", "age": 7}, "token_type": "bearer", "max_tokens": 9})",
             {{"Set-Cookie", "sid=c-secret-7"},
              {"X-Auth-Token", "t-secret-8"},
              {"Location", "/me?access_token=l-secret-9&page=2"},
              {"ETag", "\"shown\""}});
  script->expect(Method::post, "/token")
      .reply(200, "event: x\ndata: {\"refresh_token\": \"r-secret-10\"}\n\n", {{"Content-Type", "text/event-stream"}});
  script->expect(Method::get, "/me").fail(Errc::connect, Sent::no, "no way for h-secret-5");
  const Client api{
      base_url,
      {.retry = {.max_attempts = 1},
       .headers = {{"Authorization", "Bearer h-secret-5"},
                   {"X-Tenant", "x-secret-11"},
                   {"X-Pin", "12345678"},
                   {"Prefer", "shown"}},
       .query = {{"v", "v-secret-3"}},
       .secret_parameters = {"pin"},
       .transport = record(script, file.path(), {.hidden_members = {"app"}, .shown_members = {"max_tokens"}})}};
  const auto no_query = api.with({.query = Query{}});
  (void)api.collection("login").create(
      Json{{"password", "b-secret-12"},
           {"key", 87654321},
           {"user", "shown"},
           {"app", "a-secret-13"},
           {"number", "12345678"}},
      {.query = {{"app", "mobile-app-7"}, {"api_key", "q-secret-1"}, {"plain", "shown"}, {"pin", "p-secret-2"}}});
  (void)no_query.collection("token").create(
      body::form({{"grant_type", "password"}, {"username", "f-secret-14"}, {"scope", "shown"}}));
  (void)no_query.singleton("me").get();

  const auto text = file.text();
  EXPECT_THAT(text, Not(HasSubstr("-secret-")));
  EXPECT_THAT(text, Not(HasSubstr("87654321")));
  EXPECT_THAT(text, Not(HasSubstr("12345678")));
  const auto exchanges = file.exchanges();
  EXPECT_THAT(exchanges[0].request.url, HasSubstr("?app=mobile-app-7&api_key=***&plain=shown&pin=***&v=***"));
  EXPECT_EQ(exchanges[0].request.headers.get("Prefer"), "shown");
  EXPECT_EQ(exchanges[0].request.headers.get("X-Tenant"), "***");
  EXPECT_EQ(Json::parse(exchanges[0].request.body),
            (Json{{"password", "***"}, {"key", "***"}, {"user", "shown"}, {"app", "***"}, {"number", "***"}}));
  EXPECT_EQ(exchanges[0].response.body,
            R"({"id": 1, "token": "***", "echo": "***3 and ***5", "n": "***4",)"
            R"( "credentials": {"user": "***2", "age": 7}, "token_type": "bearer", "max_tokens": 9})");
  EXPECT_EQ(exchanges[0].response.headers.get("ETag"), "\"shown\"");
  EXPECT_EQ(exchanges[0].response.headers.get("Location"), "/me?access_token=***8&page=2");
  EXPECT_EQ(exchanges[1].request.body, "grant_type=password&username=***&scope=shown");
}

Body body_of(const Json& json) { return body::bytes(json.dump(), "application/json"); }

/// Where a secret may be first.
struct Hiding {
  const char* place;
  noun::Request request = {.method = Method::post, .path = "first"};
  std::string response = "{}";
  Headers response_headers = {};
};

TEST(Recording, a_value_that_was_hidden_is_hidden_wherever_it_occurs_from_then_on) {
  const std::string secret = "Zk3vALUEsECRET77";
  const auto post = [](Body body) {
    return noun::Request{.method = Method::post, .path = "first", .body = std::move(body)};
  };
  const std::vector<Hiding> cases{
      {.place = "a parameter",
       .request = {.method = Method::post, .path = "first", .query = {{"access_token", secret}}}},
      {.place = "a request header",
       .request = {.method = Method::post, .path = "first", .headers = {{"X-Custom", secret}}}},
      {.place = "a form", .request = post(body::form({{"password", secret}}))},
      {.place = "a multipart form", .request = post(body::multipart({{"password", secret}}))},
      {.place = "JSON", .request = post(body_of(Json{{"password", secret}}))},
      {.place = "JSON of a response", .response = fmt::format(R"({{"access_token": "{}"}})", secret)},
      {.place = "a header of a response", .response_headers = {{"X-Auth-Token", secret}}},
      {.place = "an unknown header of a response", .response_headers = {{"X-Vault", secret}}},
      {.place = "a cookie", .response_headers = {{"Set-Cookie", fmt::format("sid={}; Path=/", secret)}}},
      {.place = "a URL in a response", .response = fmt::format(R"(["https://h/?sig={}"])", secret)},
      {.place = "a password in a Location", .response_headers = {{"Location", fmt::format("https://u:{}@h/", secret)}}},
  };
  for (const auto& each : cases) {
    RecordingFile file;
    auto script = std::make_shared<ScriptedTransport>();
    auto url = std::string("/first");
    if (!each.request.query.empty()) url += "?access_token=" + secret;
    auto headers = each.response_headers;
    headers.add("X-Request-Id", "echo " + secret);
    script->expect(Method::post, url).reply(200, each.response + "\nhello " + secret, headers);
    script->expect(Method::post, "/items/" + secret).reply(200, fmt::format(R"({{"m": "hello {}"}})", secret));
    const Client api{base_url, {.transport = record(script, file.path())}};
    EXPECT_TRUE(api.send(each.request)) << each.place;
    EXPECT_TRUE(api.send({.method = Method::post, .path = "items/" + secret, .body = body_of(Json{{"m", secret}})}))
        << each.place;
    EXPECT_EQ(script->complaint(), "") << each.place;
    EXPECT_THAT(file.text(), Not(HasSubstr(secret))) << each.place;
    const auto exchanges = file.exchanges();
    ASSERT_THAT(exchanges, SizeIs(2)) << each.place;
    EXPECT_THAT(exchanges[0].response.body, ::testing::EndsWith("hello ***")) << each.place;
    EXPECT_EQ(exchanges[1].request.url, "https://api.example.com/items/***") << each.place;
    EXPECT_EQ(exchanges[1].response.body, R"({"m": "hello ***"})") << each.place;
  }
}

TEST(Recording, words_and_numbers_that_a_response_hides_stay_elsewhere) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/first")
      .reply(200, R"({"session": "spring", "auth": {"type": "basic", "realm": "status"}, "pin": "1", "jwt": "true"})",
             {{"X-Kind", "projects"},
              {"X-Made", "2026-01-20T12:00:00Z"},
              {"X-Size", "31536000"},
              {"Set-Cookie", "a=b; Max-Age=31536000"}});
  const auto body =
      R"({"projects": 31536000, "spring": true, "status": "1", "at": "2026-01-20T12:00:00Z", "type": "basic"})";
  script->expect(Method::get, "/projects").reply(200, body);
  const Client api{base_url, {.transport = record(script, file.path())}};
  EXPECT_TRUE(api.send({.path = "first"}));
  EXPECT_TRUE(api.send({.path = "projects"}));
  const auto exchanges = file.exchanges();
  EXPECT_EQ(exchanges[0].response.body,
            R"({"session": "***", "auth": {"type": "basic", "realm": "***2"}, "pin": "***3", "jwt": "***4"})");
  EXPECT_EQ(exchanges[1].request.url, "https://api.example.com/projects");
  EXPECT_EQ(exchanges[1].response.body, body);
}

/// As it is in a recording, alone in it.
HarExchange recorded(HarExchange exchange, const noun::testing::HidingRules& rules = {}) {
  noun::testing::HiddenValues values;
  noun::testing::hide_secrets(exchange, KnownSecrets(), nullptr, rules, values);
  return exchange;
}

HarExchange exchange_of(std::string url, std::string body, std::string_view type, std::string response = "{}") {
  HarExchange exchange{.request = {.method = Method::post,
                                   .url = std::move(url),
                                   .headers = {{"Content-Type", type}},
                                   .body = std::move(body),
                                   .has_body = true}};
  exchange.response = {.status = 200, .body = std::move(response)};
  return exchange;
}

constexpr std::string_view form_type = "application/x-www-form-urlencoded";

TEST(Recording, json_stays_json_whatever_is_hidden_in_it) {
  const auto response_to = [](std::string request, std::string response) {
    return recorded(exchange_of("https://h/x", std::move(request), "application/json", std::move(response)))
        .response.body;
  };
  EXPECT_EQ(response_to(R"({"pin":123456})", R"({"id":91234567,"n":-123456,"f":1.123456,"e":123456e+2})"),
            R"({"id":"***","n":"***","f":"***","e":"***"})");
  EXPECT_EQ(response_to(R"({"pin":"\":[1,\""})", R"({"a":[1,"b"]})"), "\"***\"");
}

TEST(Recording, words_of_parameters_fields_and_cookies_stay_elsewhere) {
  const std::string data = R"({"status":"dark_mode","default_branch":"status"})";
  auto exchange = exchange_of("https://h/x?key=status", "key=default", form_type, data);
  exchange.request.headers.add("Cookie", "theme=default; mode=dark_mode");
  const auto found = recorded(exchange);
  EXPECT_EQ(found.request.url, "https://h/x?key=***");
  EXPECT_EQ(found.request.body, "key=***");
  EXPECT_EQ(found.request.headers.get("Cookie"), "***");
  EXPECT_EQ(found.response.body, data);
  for (auto [url, body, cookie] : {std::array{"https://h/x?token=hunter", "", ""},
                                   std::array{"https://h/x", "password=hunter", ""},
                                   std::array{"https://u:hunter@h/x", "", ""},
                                   std::array{"https://h/x", "", "a=b; secret=hunter"}}) {
    auto other = exchange_of(url, body, form_type, R"(["hunter"])");
    other.request.headers.add("Cookie", cookie);
    EXPECT_EQ(recorded(other).response.body, R"(["***"])") << url << body << cookie;
  }
}

TEST(Recording, parameters_and_fields_can_be_shown) {
  const auto found = recorded(exchange_of("https://h/x?sort_token=abcdef12&key=k", "session=a-1&pin=2", form_type,
                                          R"(["https://h/x?sort_token=abcdef13&key=k"])"),
                              {.shown = {"sort_token", "session"}});
  EXPECT_EQ(found.request.url, "https://h/x?sort_token=abcdef12&key=***");
  EXPECT_EQ(found.request.body, "session=a-1&pin=***");
  EXPECT_EQ(found.response.body, R"(["https://h/x?sort_token=abcdef13&key=***"])");
  EXPECT_THAT(found.hidden_names, ElementsAre("parameter key", "request member pin"));
}

TEST(Recording, long_and_many_values_are_searched_in_part) {
  std::string members;
  for (int count = 0; count < 300; ++count) members += fmt::format(R"("token{0}":"secret-{0:08}",)", count);
  const std::string value(5000, 'x');
  const auto response = fmt::format(R"({{{}"a":"secret-00000255 secret-00000256 {}"}})", members, value + "y");
  const auto many = recorded(exchange_of("https://h/x", "", "application/json", response)).response.body;
  EXPECT_THAT(many, HasSubstr(R"("token299":"***300")"));
  EXPECT_THAT(many, HasSubstr(R"("***256 secret-00000256 )"));
  const auto body = fmt::format(R"({{"token":"{}"}})", value);
  const auto found = recorded(exchange_of("https://h/x", body, "application/json", response));
  EXPECT_EQ(found.request.body, R"({"token":"***"})");
  EXPECT_THAT(found.response.body, Not(HasSubstr(std::string(1000, 'x'))));
}

TEST(Recording, the_listed_names_have_no_secrets) {
  const auto body = "grant_type=x&Zk3vALUEsECRET77=1&" + std::string(1000, 'n') + "=1";
  const auto found = recorded(exchange_of("https://h/x?token=Zk3vALUEsECRET77", body, form_type));
  ASSERT_THAT(found.hidden_names, SizeIs(3));
  EXPECT_EQ(found.hidden_names[1], "request member ***");
  EXPECT_LE(found.hidden_names[2].size(), 200U);
}

TEST(Recording, a_form_keeps_its_empty_fields) {
  EXPECT_EQ(recorded(exchange_of("https://h/x", "&&a=1&&password=b", form_type)).request.body, "&&a=1&&password=***");
}

TEST(Recording, parts_of_multipart_bodies_are_hidden_in_each_spelling) {
  const auto shown = [](std::string body) {
    return recorded(exchange_of("https://h/x", std::move(body), "multipart/form-data; boundary=b")).request.body;
  };
  EXPECT_EQ(shown("--b\nContent-Disposition: form-data; name=\"password\"\n\nx\n--b--\n"),
            "--b\nContent-Disposition: form-data; name=\"password\"\n\n***\n--b--\n");
  const auto body = [](std::string_view password) {
    return fmt::format(
        "--b\r\nContent-Type: a/b; name=\"x\"\r\nContent-Disposition: form-data;\r\n name=\"password\"\r\n\r\n{}\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nX-Name: a; name=\"password\"\r\n\r\ny\r\n--b--",
        password);
  };
  EXPECT_EQ(shown(body("x")), body("***"));
}

TEST(Recording, secrets_are_searched_in_linear_time) {
  noun::testing::HiddenValues values;
  std::string text;
  for (int count = 0; count < 20'000; ++count) {
    const auto value = fmt::format("secret-{:08}", count);
    values.add({value});
    text += value + " ";
  }
  const auto hidden = values.hidden_in(text);
  EXPECT_THAT(hidden, Not(HasSubstr("secret")));
  EXPECT_EQ(hidden.size(), 20'000U * 4);
}

TEST(Recording, headers_of_responses_that_may_be_secrets_are_hidden) {
  RecordingFile file;
  Dialect dialect;
  dialect.quotas.push_back({.name = "credits", .remaining = "X-Credits-Left", .prefix = "X-Points-"});
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/tasks/1")
      .reply(200, R"({"id": 1, "title": "a"})",
             {{"Authentication-Info", "nextnonce=a-secret-1"},
              {"X-Odd", "a-secret-2"},
              {"X-Region", "eu-west-1"},
              {"Location", "https://u:a-secret-3@h/x"},
              {"X-Credits-Left", "7"},
              {"X-Points-Day", "8"},
              {"ETag", "\"1\""},
              {"Link", "</tasks?page=2>; rel=\"next\""},
              {"Retry-After", "5"}});
  const Client api{base_url,
                   {.dialect = dialect, .transport = record(script, file.path(), {.shown_headers = {"x-region"}})}};
  EXPECT_TRUE(api.collection<Task>("tasks")[1].get());
  EXPECT_THAT(file.text(), Not(HasSubstr("-secret-")));
  const auto headers = file.exchanges()[0].response.headers;
  EXPECT_EQ(headers.get("X-Odd"), "***2");
  EXPECT_EQ(headers.get("X-Region"), "eu-west-1");
  EXPECT_EQ(headers.get("Location"), "https://***3@h/x");
  EXPECT_EQ(headers.get("X-Credits-Left"), "7");
  EXPECT_EQ(headers.get("X-Points-Day"), "8");
  EXPECT_EQ(headers.get("ETag"), "\"1\"");
  EXPECT_EQ(headers.get("Link"), "</tasks?page=2>; rel=\"next\"");
  EXPECT_EQ(headers.get("Retry-After"), "5");
}

TEST(Recording, the_names_of_what_was_hidden_are_listed) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::post, "/a?sig=1")
      .reply(200, R"({"session": "a", "sessions": [{"session": "b"}]})", {{"X-Odd", "1"}});
  const Client api{base_url, {.headers = {{"X-Tenant", "t"}}, .transport = record(script, file.path())}};
  (void)api.send({.method = Method::post, .path = "a", .query = {{"sig", 1}}, .body = body_of(Json{{"pin", 1}})});
  EXPECT_EQ(Json::parse(file.text()).at("/log/entries/0/_hidden"_json_pointer),
            (Json{"parameter sig", "request header X-Tenant", "request member pin", "response header X-Odd",
                  "response member session", "response member sessions"}));
}

TEST(Recording, members_are_hidden_in_any_text) {
  using noun::testing::HidingRules;
  using noun::testing::without_secret_members;
  const auto hidden = [](std::string_view text, const HidingRules& rules = {}) {
    return without_secret_members(text, rules, Side::response);
  };
  EXPECT_EQ(hidden(R"({"pass\u0077ord" : "a\"b", "x": ["password"], "y": "password"})"),
            R"({"pass\u0077ord" : "***", "x": ["password"], "y": "password"})");
  EXPECT_EQ(hidden(R"({"tokens": ["a", {"id": "b", "n": 1}], "c": "d"})"),
            R"({"tokens": ["***", {"id": "***", "n": 1}], "c": "d"})");
  EXPECT_EQ(hidden(R"({"token": null, "secret": true, "a": "b", "session": "", "next_page_token": "c"})"),
            R"({"token": null, "secret": true, "a": "b", "session": "", "next_page_token": "c"})");
  EXPECT_EQ(hidden("data: {\"jwt\":\"a\"}\n\ndata: {\"b\":\"c\"}\n\n"),
            "data: {\"jwt\":\"***\"}\n\ndata: {\"b\":\"c\"}\n\n");
  EXPECT_EQ(hidden("<p>\"a\n\"token\": \"b\""), "<p>\"a\n\"token\": \"***\"");
  EXPECT_EQ(hidden(R"({"token_endpoint": "https://a.example/token"})"),
            R"({"token_endpoint": "https://a.example/token"})");
  EXPECT_EQ(hidden(R"({"session": "A-1", "note": "b"})", {.hidden = {"note"}, .shown = {"session"}}),
            R"({"session": "A-1", "note": "***"})");
  EXPECT_EQ(hidden(R"([{"key": "NEW-1"}, {"Key": "kubernetes.io/name"}, {"key": "sk_live_51H8xq2eZvKYlo2C"}])"),
            R"([{"key": "NEW-1"}, {"Key": "kubernetes.io/name"}, {"key": "***"}])");
  EXPECT_EQ(hidden(R"({"key": "NEW-1"})", {.hidden = {"key"}}), R"({"key": "***"})");
  EXPECT_EQ(
      hidden(R"({"primary_key": "a", "foreign_key": "b", "passphrase": "c", "otp": "d", "connectionString": "e"})"),
      R"({"primary_key": "a", "foreign_key": "b", "passphrase": "***", "otp": "***", "connectionString": "***"})");
  EXPECT_EQ(hidden(R"({"primaryKey": "Zk3vALUEsECRET77=", "secondaryKey": "Zk3vALUEsECRET78="})"),
            R"({"primaryKey": "***", "secondaryKey": "***"})");
  EXPECT_EQ(hidden(R"({"auth": {"type": "basic", "user": {"type": "a", "name": "b"}}})"),
            R"({"auth": {"type": "basic", "user": {"type": "a", "name": "***"}}})");
  EXPECT_EQ(without_secret_members(R"({"secret": -1.5e3, "b": 2})", {}, Side::request), R"({"secret": "***", "b": 2})");
}

TEST(Recording, quotation_marks_without_an_end_take_linear_time) {
  std::string text;
  for (int count = 0; count < 1'000'000; ++count) text += "\\\"";
  EXPECT_EQ(noun::testing::without_secret_members(text, {}, Side::response), text);
  EXPECT_EQ(noun::testing::without_secret_members("\"a\\\"b\n\"token\": \"c\"", {}, Side::response),
            "\"a\\\"b\n\"token\": \"***\"");
}

TEST(Recording, fields_of_forms_are_hidden) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::post, "/a").times(2);
  {
    const Client api{base_url, {.transport = record(script, file.path(), {.hidden_members = {"pin"}})}};
    const auto send = [&](Body form) {
      (void)api.send({.method = Method::post, .path = "a", .body = std::move(form)});
    };
    send(body::multipart({{"password", "a-secret-1"}, {"pin", "a-secret-2"}, {"user", "shown"}}));
    send(body::bytes("password=a-secret-3&pin=a-secret-4&user=shown", "Application/X-WWW-Form-Urlencoded"));
  }
  EXPECT_THAT(file.text(), Not(HasSubstr("-secret-")));
  const auto exchanges = file.exchanges();
  EXPECT_THAT(exchanges[0].request.body, HasSubstr("name=\"pin\"\r\n\r\n***\r\n--"));
  EXPECT_THAT(exchanges[0].request.body, HasSubstr("name=\"user\"\r\n\r\nshown\r\n--"));
  EXPECT_EQ(exchanges[1].request.body, "password=***&pin=***&user=shown");
}

TEST(Recording, an_upload_is_read_once) {
  RecordingFile file;
  const noun_test::TemporaryFolder folder;
  folder.write("up", std::string(300'000, 'x'));
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::post, "/up");
  std::uint64_t reported = 0;
  const auto observer = [&](const Event& event) {
    if (event.kind != EventKind::progress) return;
    EXPECT_GE(event.sent_bytes, reported);
    reported = event.sent_bytes;
    // An observer is called without a lock.
    EXPECT_THAT(script->requests(), IsEmpty());
  };
  {
    const Client api{base_url, {.observer = observer, .transport = record(script, file.path())}};
    EXPECT_TRUE(api.send({.method = Method::post, .path = "up", .body = body::file(folder.path("up"))}));
  }
  EXPECT_EQ(reported, 300'000U);
  const auto exchanges = file.exchanges();
  ASSERT_THAT(exchanges, SizeIs(1));
  EXPECT_FALSE(exchanges[0].lacks_request_body);
  EXPECT_EQ(exchanges[0].request.body, std::string(300'000, 'x'));

  const auto tape = replay(file.path());
  const auto look = [&](const Event& event) {
    if (event.kind != EventKind::progress) return;
    EXPECT_THAT(tape->requests(), IsEmpty());
  };
  const Client again{base_url, {.observer = look, .transport = tape, .clock = tape->clock()}};
  EXPECT_TRUE(again.send({.method = Method::post, .path = "up", .body = body::file(folder.path("up"))}));
}

TEST(Recording, the_file_is_whole_after_each_exchange) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/tasks/1").reply(200, R"({"id": 1, "title": "a"})").times(3);
  const Client api{base_url, {.transport = record(script, file.path())}};
  EXPECT_THAT(file.exchanges(), IsEmpty());
  for (std::size_t count = 1; count <= 3; ++count) {
    EXPECT_TRUE(api.collection("tasks")[1].get());
    EXPECT_THAT(file.exchanges(), SizeIs(count));
  }
}

#if !defined(_WIN32)
TEST(Recording, the_file_is_whole_after_a_kill) {
  RecordingFile file;
  const auto use_and_die = [&] {
    auto script = std::make_shared<ScriptedTransport>();
    script->expect(Method::get, "/tasks/1").reply(200, "{}").times(2);
    const Client api{base_url, {.transport = record(script, file.path())}};
    (void)api.collection("tasks")[1].get();
    (void)api.collection("tasks")[1].get();
    std::raise(SIGKILL);
  };
  EXPECT_EXIT(use_and_die(), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_THAT(file.exchanges(), SizeIs(2));
}

TEST(Recording, has_the_permissions_of_the_file_it_replaces) {
  using std::filesystem::perms;
  RecordingFile file;
  for (const auto before : {perms::owner_read | perms::owner_write, perms::owner_read}) {
    std::filesystem::remove(file.path());
    std::ofstream(file.path()) << "old";
    std::filesystem::permissions(file.path(), before);
    auto script = std::make_shared<ScriptedTransport>();
    script->expect(Method::get, "/tasks/1").reply(200, "{}").times(3);
    const Client api{base_url, {.transport = record(script, file.path())}};
    for (std::size_t count = 1; count <= 3; ++count) {
      EXPECT_TRUE(api.collection("tasks")[1].get());
      EXPECT_THAT(file.exchanges(), SizeIs(count));
      EXPECT_EQ(std::filesystem::status(file.path()).permissions(), perms::owner_read | perms::owner_write);
    }
  }
}

TEST(Recording, a_full_disk_ends_the_recording_and_keeps_it_whole) {
  RecordingFile file;
  const auto fill = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &most);
    auto script = std::make_shared<ScriptedTransport>();
    script->expect(Method::get, "/tasks/1").reply(200, "\"" + std::string(1500, 'x') + "\"").times(9);
    const Client api{base_url, {.transport = record(script, file.path())}};
    int served = 0;
    for (;;) {
      const auto task = api.collection("tasks")[1].get();
      if (task) {
        ++served;
        continue;
      }
      const auto& error = task.error();
      const bool is_right =
          error.code() == Errc::refused && error.message().find("cannot be written") != std::string::npos;
      std::_Exit(is_right && served == 2 ? 0 : 1);
    }
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  EXPECT_THAT(file.exchanges(), SizeIs(1));
}
#endif

TEST(Recording, a_file_that_cannot_be_written_or_read_throws) {
  try {
    record(nullptr, "no such folder/a.har");
    ADD_FAILURE() << "it does not throw";
  } catch (const Exception& exception) {
    EXPECT_EQ(exception.error().code(), Errc::invalid_argument);
    EXPECT_THAT(exception.what(), HasSubstr("the recording \"no such folder/a.har\" cannot be written: "));
  }
  EXPECT_THROW(replay("no such folder/a.har"), Exception);
}

/// Ends each attempt in the second wait after its start, the last one first.
class SlowMultiplexer final : public Multiplexer {
 public:
  void start(Id id, const Attempt& attempt) override {
    if (attempt.url.ends_with("/full")) throw std::bad_alloc();
    attempts_.push_back({id, std::string(attempt.url)});
  }
  void cancel(Id id) override {
    for (auto& [other, url] : attempts_)
      if (other == id) url.clear();
  }
  std::vector<Ended> wait(Duration) override {
    std::vector<Ended> ended;
    if (++waits_ % 2 == 1) return ended;
    for (; !attempts_.empty(); attempts_.pop_back()) {
      const auto& [id, url] = attempts_.back();
      ended.push_back({id, url.empty() ? Result<Response>(Error(Errc::cancelled, "stopped", Sent::maybe))
                                       : Result<Response>(Response{.status = 200, .body = url})});
    }
    return ended;
  }
  void wake() noexcept override {}

 private:
  std::vector<std::pair<Id, std::string>> attempts_;
  int waits_ = 0;
};

class SlowTransport final : public Transport {
 public:
  Result<Response> send(const Attempt&, const StopToken&) override { return Error(Errc::connect, "not used"); }
  std::unique_ptr<Multiplexer> multiplexer() override { return std::make_unique<SlowMultiplexer>(); }
};

TEST(Recording, attempts_of_a_multiplexer_are_recorded) {
  RecordingFile file;
  auto multiplexer = record(std::make_shared<SlowTransport>(), file.path())->multiplexer();
  const Headers headers;
  const Timeouts timeouts;
  const Limits limits;
  const auto attempt = [&](std::string_view url) {
    return Attempt{.method = Method::get,
                   .url = url,
                   .headers = headers,
                   .body = "",
                   .has_body = false,
                   .timeout = 1s,
                   .timeouts = timeouts,
                   .limits = limits,
                   .fresh_connection = false};
  };
  multiplexer->start(1, attempt("https://a.example/1"));
  multiplexer->start(2, attempt("https://a.example/2"));
  multiplexer->start(3, attempt("https://a.example/3"));
  EXPECT_THROW(multiplexer->start(4, attempt("https://a.example/full")), std::bad_alloc);
  multiplexer->start(4, attempt("https://a.example/4"));
  multiplexer->cancel(2);
  EXPECT_THAT(multiplexer->wait(1s), IsEmpty());
  EXPECT_THAT(file.exchanges(), IsEmpty());
  EXPECT_THAT(multiplexer->wait(1s), SizeIs(4));
  const auto exchanges = file.exchanges();
  ASSERT_THAT(exchanges, SizeIs(4));
  EXPECT_EQ(exchanges[0].response.body, "https://a.example/1") << "in the order of their start";
  EXPECT_EQ(exchanges[1].failure->code(), Errc::cancelled);
  EXPECT_EQ(exchanges[3].entry, 0u) << "written when it ended";
  EXPECT_EQ(record(std::make_shared<ScriptedTransport>(), file.path())->multiplexer(), nullptr);
}

/// A server that responds to each request with its target.
void echo(noun_test::RawServer::Peer& peer) {
  while (const auto request = peer.request()) {
    const auto target = request->substr(request->find(' ') + 1);
    const auto body = fmt::format("{{\"id\": 1, \"title\": \"{}\"}}", target.substr(0, target.find(' ')));
    peer.send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  }
}

std::vector<std::string> titles_of(const Client& api) {
  std::vector<Operation<Task>> operations;
  for (int id = 1; id <= 20; ++id) operations.push_back(op::get(api.collection<Task>("tasks")[id]));
  std::vector<std::string> titles;
  for (const auto& task : api.run_all(operations, {.in_flight = 4}))
    titles.push_back(task ? task->title : task.error().message());
  return titles;
}

TEST(Recording, calls_in_the_background_are_recorded_from_libcurl) {
  RecordingFile file;
  noun_test::RawServer server(&echo);
  const auto live = titles_of(Client{server.url(), {.transport = record(nullptr, file.path())}});
  EXPECT_THAT(file.exchanges(), SizeIs(20));
  const auto tape = replay(file.path());
  EXPECT_EQ(titles_of(Client{server.url(), {.transport = tape, .clock = tape->clock()}}), live);
  EXPECT_EQ(live.back(), "/tasks/20");
  EXPECT_EQ(tape->complaint(), "");
}

TEST(Recording, tokens_are_hidden_and_replayed) {
  RecordingFile file;
  const auto options_for = [](std::shared_ptr<Transport> transport, std::shared_ptr<Clock> clock) {
    return ClientOptions{.credentials = oauth2_client_credentials({.token_url = "https://login.example.com/token",
                                                                   .client_id = "id-secret-1",
                                                                   .client_secret = "c-secret-2",
                                                                   .scope = {"tasks"},
                                                                   .auth = ClientAuthentication::body}),
                         .transport = std::move(transport),
                         .clock = std::move(clock)};
  };
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::post, "/token")
      .reply(200, R"({"access_token": "t-secret-3", "token_type": "Bearer", "expires_in": 3600})");
  script->expect(Method::get, "/tasks/1").reply(200, R"({"id": 1, "title": "for t-secret-3"})");
  const Client live{base_url, options_for(record(script, file.path(), {.clock = clock}), clock)};
  EXPECT_TRUE(live.collection("tasks")[1].get());
  EXPECT_THAT(file.text(), Not(HasSubstr("-secret-")));
  EXPECT_EQ(file.exchanges()[0].request.body,
            "grant_type=client_credentials&scope=tasks&client_id=***&client_secret=***");

  const auto tape = replay(file.path());
  const Client api{base_url, options_for(tape, tape->clock())};
  const auto task = api.collection<Task>("tasks")[1].get();
  ASSERT_TRUE(task) << task.error().message();
  EXPECT_EQ(task->title, "for ***");
  EXPECT_EQ(tape->complaint(), "");
}

TEST(Recording, a_recording_stays_until_the_first_exchange_of_another_one) {
  RecordingFile file;
  file.write({HarExchange{.request = {.url = base_url + std::string("/old")}, .response = {.status = 200}}});
  const auto before = file.text();
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/tasks/1").reply(200, R"({"id": 1, "title": "a"})");
  { record(script, file.path()); }
  EXPECT_EQ(file.text(), before);
  const Client api{base_url, {.transport = record(script, file.path())}};
  EXPECT_EQ(file.text(), before);
  EXPECT_TRUE(api.collection<Task>("tasks")[1].get());
  ASSERT_THAT(file.exchanges(), SizeIs(1));
  EXPECT_EQ(file.exchanges()[0].request.url, "https://api.example.com/tasks/1");
}

TEST(Recording, large_bodies_are_left_out) {
  RecordingFile file;
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::post, "/tasks").reply(201, "\"0123456789\"");
  script->expect(Method::get, "/file").reply(200, "01234").chunk("56789");
  const Client api{base_url, {.transport = record(script, file.path(), {.largest_body = 8})}};
  EXPECT_TRUE(api.collection("tasks").create(Json{{"title", "0123456789"}}));
  std::string bytes;
  EXPECT_TRUE(api.download({.path = "file"}, [&](std::string_view piece) { bytes += piece; }));
  EXPECT_EQ(bytes, "0123456789");
  EXPECT_THAT(file.text(), Not(HasSubstr("01234")));

  const auto tape = replay(file.path());
  const Client again{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto created = again.collection("tasks").create(Json{{"title", "any"}});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), Errc::refused);
  EXPECT_THAT(created.error().message(), HasSubstr("has no body of the response in log.entries[0]"));
}

/// The exchange of a GET, in seconds from noon.
HarExchange get_at(std::string_view path, Duration started, Duration latency) {
  HarExchange exchange{.started = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 20)) + 12h + started,
                       .latency = latency};
  exchange.request.url = base_url + std::string(path);
  exchange.response = {.status = 200, .body = "{}"};
  return exchange;
}

TEST(Replay, attempts_that_overlapped_take_their_time_together) {
  RecordingFile file;
  file.write({get_at("/a/1", 0s, 4s), get_at("/a/2", 1s, 4s), get_at("/a/3", 100s, 2s)});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto start = tape->clock()->now().steady;
  const auto elapsed = [&] { return tape->clock()->now().steady - start; };
  EXPECT_TRUE(api.collection("a")[2].get());
  EXPECT_EQ(elapsed(), 4s) << "it is the first in this run";
  EXPECT_TRUE(api.collection("a")[1].get());
  tape->clock()->advance(1s);
  EXPECT_TRUE(api.collection("a")[3].get());
  EXPECT_EQ(elapsed(), 4s + 1s + 2s) << "the time between calls is the program's";
}

TEST(Replay, a_response_that_takes_too_long_is_a_timeout) {
  RecordingFile file;
  file.write({get_at("/a/1", 0s, 4s)});
  const auto tape = replay(file.path());
  const Client api{
      base_url, {.retry = {.max_attempts = 1}, .timeouts = {.attempt = 3s}, .transport = tape, .clock = tape->clock()}};
  const auto read = api.collection("a")[1].get();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), Errc::timeout);
  EXPECT_EQ(read.error().elapsed(), 3s);
}

TEST(Replay, a_request_that_was_not_recorded_is_refused_and_shown) {
  RecordingFile file;
  file.write({get_at("/a/1?page=1", 0s, 1s), get_at("/a/2", 1s, 1s)});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto read = api.collection("a")[1].get({.query = {{"page", 2}}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), Errc::refused);
  EXPECT_EQ(read.error().attempts(), 1);
  EXPECT_EQ(read.error().sent(), Sent::no);
  EXPECT_THAT(read.error().message(), HasSubstr("the parameter page is 2, and was recorded as 1"));
  EXPECT_THAT(tape->complaint(), HasSubstr("the parameter page is 2"));
}

TEST(Replay, an_error_has_the_request_once) {
  RecordingFile file;
  file.write({get_at("/a/1", 0s, 1s)});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto message = api.collection("a")[2].get().error().message();
  EXPECT_THAT(message, ::testing::StartsWith("GET https://api.example.com/a/2: not in the recording "));
  EXPECT_EQ(message.find("/a/2", 40), message.rfind("the path is /a/2") + 12) << message;
}

TEST(Replay, headers_can_be_required) {
  RecordingFile file;
  auto exchange = get_at("/a/1", 0s, 1s);
  exchange.request.headers = {{"Accept-Language", "is"}};
  file.write({exchange, exchange});
  const auto read_in = [&](std::string_view language, noun::testing::ReplayOptions options) {
    const auto tape = replay(file.path(), std::move(options));
    const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
    return static_cast<bool>(api.collection("a")[1].get({.headers = {{"Accept-Language", language}}}));
  };
  EXPECT_TRUE(read_in("de", {}));
  EXPECT_FALSE(read_in("de", {.headers = {"Accept-Language"}}));
  EXPECT_TRUE(read_in("is", {.headers = {"Accept-Language"}}));
}

TEST(Replay, a_recording_serves_another_origin) {
  RecordingFile file;
  auto first = get_at("/tasks", 0s, 1s);
  first.response = {.status = 200,
                    .headers = {{"Link", "<https://api.example.com/tasks?page=2>; rel=\"next\""}},
                    .body = R"([{"id": 1, "title": "a"}])"};
  auto second = get_at("/tasks?page=2", 1s, 1s);
  second.response = {.status = 200, .body = R"([{"id": 2, "title": "b"}])"};
  file.write({first, second});
  const auto tape = replay(file.path(), {.moved = {{"https://api.example.com", "http://localhost:8080"}}});
  const Client api{"http://localhost:8080", {.transport = tape, .clock = tape->clock()}};
  int count = 0;
  for (const auto& task : api.collection<Task>("tasks").list()) {
    ASSERT_TRUE(task) << task.error().message();
    EXPECT_EQ(task->id, ++count);
  }
  EXPECT_EQ(count, 2);
  EXPECT_EQ(tape->complaint(), "");
}

TEST(Replay, origins_are_moved_from_where_they_were_recorded) {
  RecordingFile file;
  auto exchange = get_at("/a/1", 0s, 1s);
  exchange.request.url = "http://localhost:8080/a/1";
  file.write({exchange});
  const auto tape = replay(file.path(), {.moved = {{"http://localhost:8080", "http://localhost:9090"},
                                                   {"http://localhost:9090", "http://localhost:7070"}}});
  const Client api{"http://localhost:9090", {.transport = tape, .clock = tape->clock()}};
  EXPECT_TRUE(api.collection("a")[1].get());
}

TEST(Replay, what_is_no_origin_cannot_be_moved) {
  RecordingFile file;
  file.write({get_at("/tasks", 0s, 1s)});
  constexpr auto local = "http://localhost:8080";
  const std::vector<noun::testing::MovedOrigin> wrong{
      {"https://api.example.com/", local}, {base_url, "localhost"}, {"", local}};
  for (const auto& moved : wrong) {
    try {
      replay(file.path(), {.moved = {moved}});
      ADD_FAILURE() << "it does not throw";
    } catch (const Exception& exception) {
      EXPECT_EQ(exception.error().code(), Errc::invalid_argument);
      EXPECT_THAT(exception.what(), HasSubstr("is not an origin"));
    }
  }
}

TEST(Replay, a_download_takes_what_a_browser_has_decoded) {
  RecordingFile file;
  auto exchange = get_at("/file", 0s, 1s);
  exchange.response = {
      .status = 200, .headers = {{"Content-Encoding", "br"}, {"Content-Length", "4"}}, .body = "0123456789"};
  file.write({exchange});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  std::string bytes;
  const auto done = api.download({.path = "file"}, [&](std::string_view piece) { bytes += piece; });
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_EQ(bytes, "0123456789");
}

TEST(Replay, the_clock_starts_with_the_recording) {
  RecordingFile file;
  const auto exchange = get_at("/a/1", 100h, 1s);
  file.write({exchange});
  EXPECT_EQ(replay(file.path())->clock()->now().wall, exchange.started);
}

TEST(Replay, the_silence_before_a_failure_passes) {
  RecordingFile file;
  const auto follow = [](std::shared_ptr<Transport> transport, const std::shared_ptr<ManualClock>& clock) {
    const auto start = clock->now().steady;
    const Client api{base_url, {.transport = std::move(transport), .clock = clock}};
    std::string last;
    for (const auto& event : api.stream({.path = "feed"})) last = event ? "an event" : event.error().what();
    return std::pair(last, clock->now().steady - start);
  };
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::get, "/feed")
      .reply(200, "", {{"Content-Type", "text/event-stream"}})
      .chunk("data: 1\n\n", 2s)
      .chunk("", 20s)
      .fail(Errc::truncated, Sent::answered, "the connection was lost");
  const auto live = follow(record(script, file.path(), {.clock = clock}), clock);
  const auto tape = replay(file.path());
  EXPECT_EQ(follow(tape, tape->clock()), live);
  EXPECT_EQ(live.second, 22s);
}

TEST(Replay, the_times_of_a_stream_pass_between_its_events) {
  RecordingFile file;
  {
    auto clock = std::make_shared<ManualClock>();
    auto script = std::make_shared<ScriptedTransport>(clock);
    script->expect(Method::get, "/feed")
        .reply(200, "", {{"Content-Type", "text/event-stream"}})
        .chunk("data: {\"token\":\"a-secr", 2s)
        .chunk("et-1\"}\n\n", 3s)
        .chunk("data: 2\n\n", 10s);
    script->expect(Method::get, "/feed").reply(204);
    const Client api{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}};
    for (const auto& event : api.stream({.path = "feed"})) ASSERT_TRUE(event) << event.error().message();
  }
  const auto exchange = file.exchanges().front();
  ASSERT_THAT(exchange.pieces, SizeIs(3)) << "a secret was in the first two pieces";
  EXPECT_EQ(exchange.pieces[0].bytes, "data: {\"token\":\"***");
  EXPECT_EQ(exchange.pieces[0].after, 2s);
  EXPECT_EQ(exchange.pieces[1].bytes, "\"}\n\n");
  EXPECT_EQ(exchange.pieces[1].after, 3s);
  EXPECT_EQ(exchange.pieces[2].bytes, "data: 2\n\n");
  EXPECT_EQ(exchange.pieces[2].after, 10s);
}

/// A program that downloads a file, and what it got.
struct Downloaded {
  std::string bytes = {};
  std::string error = {};
  int resumed = 0;
};

Downloaded download(const Client& api, const std::function<void()>& work = [] {}) {
  Downloaded got;
  const auto done = api.download({.path = "file"}, [&](std::string_view piece) {
    got.bytes += piece;
    work();
  });
  if (done)
    got.resumed = done->resumed;
  else
    got.error = done.error().message();
  return got;
}

Downloaded download_again(const std::string& path, noun::testing::ReplayOptions options = {},
                          std::string_view url = base_url) {
  const auto tape = replay(path, std::move(options));
  auto got = download(Client{url, {.transport = tape, .clock = tape->clock()}});
  if (got.error.empty()) got.error = tape->complaint();
  return got;
}

TEST(Replay, a_download_is_complete_whatever_was_hidden_or_moved_in_it) {
  RecordingFile file;
  const std::string body = R"({"token":"abcdef0123456789abcdef","self":"https://api.example.com/file"})";
  auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/file").reply(200, body, {{"Content-Length", body.size()}});
  EXPECT_EQ(download(Client{base_url, {.transport = record(script, file.path())}}).bytes, body);
  const auto again = download_again(file.path());
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.bytes, R"({"token":"***","self":"https://api.example.com/file"})");
  const auto there = download_again(file.path(), {.moved = {{base_url, "http://127.0.0.1"}}}, "http://127.0.0.1");
  EXPECT_EQ(there.error, "");
  EXPECT_EQ(there.bytes, R"({"token":"***","self":"http://127.0.0.1/file"})");
}

TEST(Replay, a_resumed_download_is_complete_whatever_was_hidden_or_moved_in_it) {
  RecordingFile file;
  const std::string body =
      R"({"token":"abcdef0123456789abcdef","self":"https://api.example.com/file","password":"hunter-2","n":1})";
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  const std::array<std::size_t, 4> cuts{0, 40, 71, body.size()};
  for (std::size_t part = 0; part < 3; ++part) {
    const auto bytes = body.substr(cuts[part], cuts[part + 1] - cuts[part]);
    Headers headers{{"ETag", "\"1\""}, {"Content-Length", body.size() - cuts[part]}};
    if (part > 0)
      headers.add("Content-Range", fmt::format("bytes {}-{}/{}", cuts[part], body.size() - 1, body.size()));
    auto& line = script->expect(Method::get, "/file").reply(part == 0 ? 200 : 206, bytes, headers);
    if (part < 2) line.cut(bytes.size());
  }
  const auto live =
      download(Client{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}});
  EXPECT_EQ(live.bytes, body);
  EXPECT_EQ(live.resumed, 2);
  const auto again = download_again(file.path());
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.bytes, R"({"token":"***","self":"https://api.example.com/file","password":"***2","n":1})");
  EXPECT_EQ(again.resumed, 2);
  const auto longer = "http://a.much.longer.name.example.com";
  const auto there = download_again(file.path(), {.moved = {{base_url, longer}}}, longer);
  EXPECT_EQ(there.error, "");
  EXPECT_EQ(there.bytes,
            R"({"token":"***","self":"http://a.much.longer.name.example.com/file","password":"***2","n":1})");
  EXPECT_EQ(there.resumed, 2);
}

TEST(Replay, the_end_of_a_download_of_an_unknown_size_is_where_it_is_now) {
  RecordingFile file;
  const std::string body = R"({"token":"abcdef0123456789abcdef"})";
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::get, "/file").reply(200, body, {{"ETag", "\"1\""}}).cut(body.size());
  script->expect(Method::get, "/file").reply(416, "", {{"Content-Range", fmt::format("bytes */{}", body.size())}});
  const auto live =
      download(Client{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}});
  EXPECT_EQ(live.error, "");
  const auto again = download_again(file.path());
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.bytes, R"({"token":"***"})");
}

TEST(Replay, a_file_that_was_replaced_by_a_shorter_one_is_not_complete) {
  RecordingFile file;
  const std::string body = R"({"token":"abcdef0123456789abcdef"})";
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::get, "/file").reply(200, body, {{"ETag", "\"1\""}}).cut(20);
  script->expect(Method::get, "/file").reply(416, "", {{"Content-Range", "bytes */2"}});
  const auto live =
      download(Client{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}});
  const auto again = download_again(file.path());
  for (const auto& error : {live.error, again.error})
    EXPECT_THAT(error, HasSubstr("the server responded 416 Range Not Satisfiable, after 2 attempts"));
}

TEST(Replay, the_time_of_the_program_in_a_download_does_not_pass) {
  RecordingFile file;
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::get, "/file").reply(200, "").chunk("abc", 1s).chunk("def", 2s);
  const Client live{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}};
  EXPECT_EQ(download(live, [&] { clock->advance(40s); }).bytes, "abcdef");
  const auto tape = replay(file.path());
  const auto start = tape->clock()->now().steady;
  const auto again = download(Client{base_url, {.transport = tape, .clock = tape->clock()}});
  EXPECT_EQ(again.bytes, "abcdef");
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(tape->clock()->now().steady - start, 3s);
}

TEST(Replay, a_recorded_pause_is_no_stall) {
  RecordingFile file;
  auto exchange = get_at("/file", 0s, 1s);
  exchange.response.body.clear();
  exchange.pieces = {{"abc", 1s}, {"def", 43s}};
  file.write({exchange});
  const auto again = download_again(file.path());
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.bytes, "abcdef");
}

TEST(Replay, a_recorded_timeout_fails_as_it_did) {
  RecordingFile file;
  const auto error_of = [&](const HarExchange& exchange) {
    file.write({exchange});
    const auto tape = replay(file.path());
    const Client api{base_url,
                     {.retry = {.max_attempts = 1},
                      .timeouts = {.attempt = 5s},
                      .transport = tape,
                      .clock = tape->clock()}};
    return api.collection("a")[1].get().error();
  };
  auto exchange = get_at("/a/1", 0s, 5s + 3ms);
  exchange.response = {};
  exchange.failure = Error(Errc::timeout, "no connection in time", Sent::no);
  const auto unsent = error_of(exchange);
  EXPECT_EQ(unsent.sent(), Sent::no);
  EXPECT_THAT(unsent.message(), HasSubstr("no connection in time"));
  EXPECT_EQ(unsent.elapsed(), 5s);
  exchange.response.status = 200;
  exchange.failure = Error(Errc::timeout, "the body stalled", Sent::answered);
  const auto stalled = error_of(exchange);
  EXPECT_EQ(stalled.status(), 200);
  EXPECT_THAT(stalled.message(), HasSubstr("the body stalled"));
  exchange.latency = 1s;
  exchange.pieces = {{"a", 1s}, {"", 3s + 3ms}};
  EXPECT_THAT(error_of(exchange).message(), HasSubstr("the body stalled"));
  exchange.pieces = {{"a", 1s}, {"b", 3s + 3ms}, {"c", 1s}};
  EXPECT_THAT(error_of(exchange).message(), HasSubstr("within the attempt's time limit"));
}

TEST(Replay, a_call_does_not_wait_for_what_the_program_did_during_another) {
  RecordingFile file;
  auto stream = get_at("/file", 0s, 0s);
  stream.response.body.clear();
  stream.pieces = {{"a", 1s}, {"b", 199s}};
  file.write({stream, get_at("/a/1", 90s, 10ms), get_at("/a/2", 90s + 5ms, 10ms), get_at("/a/3", 20s, 1s)});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto start = tape->clock()->now().steady;
  std::vector<Duration> elapsed;
  const auto read = [&](int id) {
    const auto found = api.collection("a")[id].get();
    EXPECT_TRUE(found) << found.error().message();
    elapsed.push_back(tape->clock()->now().steady - start);
  };
  bool is_first = true;
  const auto done = api.download({.path = "file"}, [&](std::string_view) {
    if (std::exchange(is_first, false)) read(1), read(2), read(3);
  });
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_THAT(elapsed, ElementsAre(1s + 10ms, 1s + 15ms, 2s + 15ms));
}

TEST(Replay, in_another_order_attempts_take_as_long) {
  RecordingFile file;
  file.write({get_at("/a/1", 0s, 4s), get_at("/a/2", 10s, 1s)});
  const auto tape = replay(file.path());
  const Client api{base_url, {.transport = tape, .clock = tape->clock()}};
  const auto start = tape->clock()->now().steady;
  EXPECT_TRUE(api.collection("a")[2].get());
  EXPECT_TRUE(api.collection("a")[1].get());
  EXPECT_EQ(tape->clock()->now().steady - start, 5s);
}

TEST(Recording, is_in_order_when_the_wall_clock_is_set_back) {
  RecordingFile file;
  auto clock = std::make_shared<ManualClock>();
  auto script = std::make_shared<ScriptedTransport>(clock);
  script->expect(Method::get, "/tasks/1").reply(200, R"({"id": 1, "title": "pending"})").after(10ms);
  script->expect(Method::get, "/tasks/1").reply(200, R"({"id": 1, "title": "done"})").after(10ms);
  const Client live{base_url, {.transport = record(script, file.path(), {.clock = clock}), .clock = clock}};
  EXPECT_TRUE(live.collection("tasks")[1].get());
  clock->advance(500ms);
  clock->step_wall_clock(-1s);
  EXPECT_TRUE(live.collection("tasks")[1].get());
  const auto exchanges = file.exchanges();
  ASSERT_THAT(exchanges, SizeIs(2));
  EXPECT_THAT(exchanges[1].response.body, HasSubstr("done"));
  EXPECT_EQ(exchanges[1].started - exchanges[0].started, 510ms);
}

}}  // namespace testing_test::recording_test
