// The machine of long-running operations: its table, what it reads in responses, and where it must not lead.
#include "decision/poll.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/polling.hpp>

#include "state_page.hpp"

namespace decision_test { namespace poll_test {

using namespace noun;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* base = "https://api.example.com/v1";
const std::vector<wire::UrlOrigin> origins = {wire::origin_of(base).value(),
                                              wire::origin_of("https://ops.example.com").value()};
const Now start{Instant(1000s), WallTime(1'800'000'000s)};

/// A machine and what it decided last.
struct Bench {
  explicit Bench(Polling polling = {}, bool wants_result = true)
      : dialect{.polling = std::move(polling)}, poll(dialect, origins, base, wants_result) {}

  Bench& on(int status, Headers headers = {}, std::string body = {}, std::string url = {}) {
    response = {.status = status, .headers = std::move(headers), .body = std::move(body), .url = std::move(url)};
    step = poll.on_response(start, response, requested());
    return *this;
  }
  /// The URL of the last request.
  std::string requested() const {
    const auto* next = std::get_if<PollNext>(&step);
    return next != nullptr ? next->url : "https://api.example.com/v1/reports";
  }
  std::string url() const { return std::holds_alternative<PollNext>(step) ? std::get<PollNext>(step).url : "none"; }
  Duration wait() const { return std::get<PollNext>(step).at - start.steady; }
  const PollFailed& failed() const { return std::get<PollFailed>(step); }
  std::optional<std::string> place() const { return std::get<PollDone>(step).place; }

  Dialect dialect;
  Poll poll;
  Response response;
  PollStep step = PollDone{};
};

TEST(Poll, has_the_table_of_the_architecture_page) {
  constexpr std::string_view states[] = {"starting", "polling", "fetching", "ended", "–"};
  constexpr std::string_view events[] = {
      "a response: the operation runs; or a 202 from the URL of its result",
      "a response: the operation is done, and its result is elsewhere; or a 303",
      "a response that is the result, or contains it",
      "a response: it failed, or cannot be followed; or a 404 or 410 of the monitor",
  };
  noun_test::expect_on_the_architecture_page<PollState, PollEvent>(poll_table, states, events);
}

TEST(Poll, of_the_plain_convention_follows_location_until_the_result_is_there) {
  Bench bench;
  EXPECT_EQ(bench.on(202, {{"Location", "/v1/jobs/1"}, {"Retry-After", "5"}}).url(),
            "https://api.example.com/v1/jobs/1");
  EXPECT_EQ(bench.wait(), 5s);
  EXPECT_EQ(bench.poll.state(), PollState::polling);
  EXPECT_EQ(bench.on(202).url(), "https://api.example.com/v1/jobs/1");
  EXPECT_EQ(bench.on(202, {{"Location", "2"}}, {}, "https://api.example.com/v1/jobs/1").url(),
            "https://api.example.com/v1/jobs/2");
  EXPECT_EQ(bench.on(200, {}, "{}").place(), std::nullopt);
  EXPECT_EQ(bench.poll.state(), PollState::ended);
}

TEST(Poll, takes_a_first_response_that_is_final_for_the_result) {
  for (const int status : {200, 201, 204}) {
    Bench bench;
    EXPECT_EQ(bench.on(status, {{"Location", "/v1/reports/1"}}, "{}").place(), std::nullopt) << status;
    EXPECT_EQ(bench.poll.state(), PollState::ended);
  }
  Bench elsewhere({.result_url = "/url", .result_from = ResultFrom::location});
  elsewhere.on(201, {{"Location", "/v1/reports/1"}}, R"({"url": "/v1/reports/2"})");
  EXPECT_EQ(elsewhere.poll.state(), PollState::ended);
}

TEST(Poll, goes_to_the_result_after_a_303) {
  Bench bench;
  bench.on(202, {{"Location", "/v1/jobs/1"}});
  EXPECT_EQ(bench.on(303, {{"Location", "/v1/reports/1"}}).url(), "https://api.example.com/v1/reports/1");
  EXPECT_EQ(bench.wait(), 0s);
  EXPECT_EQ(bench.poll.state(), PollState::fetching);
  // What the result says of itself is not the state of an operation.
  EXPECT_EQ(bench.on(200, {{"Operation-Location", "/v1/jobs/1"}}).place(), std::nullopt);
  EXPECT_EQ(bench.poll.state(), PollState::ended);
}

TEST(Poll, follows_a_url_of_the_body_that_is_not_too_long) {
  constexpr std::size_t longest = 16384;
  for (const bool is_longer : {false, true}) {
    Bench bench({.result_url = "/url"});
    bench.on(202, {{"Location", "/v1/jobs/1"}});
    const std::string path = '/' + std::string(longest - 1, 'x') + (is_longer ? "x" : "");
    bench.on(200, {}, R"({"url": ")" + path + "\"}");
    if (is_longer)
      EXPECT_THAT(bench.failed().what, HasSubstr("too long"));
    else
      EXPECT_EQ(bench.url(), "https://api.example.com" + path);
  }
}

TEST(Poll, requests_a_result_that_is_not_there_yet_again) {
  Bench bench;
  bench.on(202, {{"Location", "/v1/jobs/1"}, {"Retry-After", "5"}}).on(303, {{"Location", "/v1/reports/1"}});
  EXPECT_EQ(bench.on(202, {{"Location", "/v1/jobs/2"}}, {}, "https://api.example.com/v1/moved/1").url(),
            "https://api.example.com/v1/reports/1");
  EXPECT_EQ(bench.wait(), 5s);
  EXPECT_EQ(bench.on(202, {{"Retry-After", "7"}}).wait(), 7s);
  EXPECT_EQ(bench.poll.state(), PollState::fetching);
  EXPECT_EQ(bench.poll.position().monitor, "https://api.example.com/v1/jobs/1");
  EXPECT_EQ(bench.on(200, {}, "{}").place(), std::nullopt);
  EXPECT_EQ(bench.poll.state(), PollState::ended);
}

TEST(Poll, waits_before_the_result_as_a_303_says) {
  Bench bench;
  bench.on(202, {{"Location", "/v1/jobs/1"}}).on(303, {{"Location", "/v1/reports/1"}, {"Retry-After", "9"}});
  EXPECT_EQ(bench.wait(), 9s);
  EXPECT_EQ(bench.poll.position().wait, (PollWait{9s, true}));
  Bench soon;
  soon.on(202, {{"Location", "/v1/jobs/1"}}).on(303, {{"Location", "/v1/reports/1"}, {"Retry-After", "0"}});
  EXPECT_EQ(soon.wait(), 250ms);
  EXPECT_EQ(soon.on(202).wait(), 250ms);
  Bench done({.result_url = "/url"});
  done.on(202, {{"Location", "/v1/jobs/1"}}).on(200, {{"Retry-After", "9"}}, R"({"url": "/v1/reports/1"})");
  EXPECT_EQ(done.wait(), 0s);
}

TEST(Poll, without_a_result_ends_where_the_operation_ends) {
  for (const auto* result : {"/v1/reports/1", "https://elsewhere.example.com/1"}) {
    Bench bench({}, false);
    bench.on(202, {{"Location", "/v1/jobs/1"}});
    EXPECT_EQ(bench.on(303, {{"Location", result}}).url(), "none");
    EXPECT_TRUE(std::holds_alternative<PollDone>(bench.step)) << result;
    EXPECT_EQ(bench.poll.state(), PollState::ended);
  }
}

TEST(Poll, finds_the_monitor_in_the_order_of_the_headers) {
  const auto all = Headers{{"Content-Location", "/v1/d"},
                           {"Location", "/v1/c"},
                           {"Azure-AsyncOperation", "/v1/b"},
                           {"Operation-Location", "/v1/a"}};
  Headers some = all;
  for (const auto* expected : {"a", "b", "c", "d"}) {
    EXPECT_EQ(Bench().on(202, some).url(), std::string("https://api.example.com/v1/") + expected);
    for (const auto& field : all)
      if (field.value.ends_with(expected)) some.erase(field.name);
  }
  // Location names what a 201 has created.
  EXPECT_EQ(Bench().on(201, {{"Location", "/v1/c"}}).url(), "none");
  EXPECT_EQ(Bench().on(201, {{"Operation-Location", "/v1/a"}}).url(), "https://api.example.com/v1/a");
}

TEST(Poll, fails_without_a_monitor) {
  Bench bench;
  EXPECT_EQ(bench.on(202).failed().code, Errc::protocol);
  EXPECT_THAT(bench.failed().what, HasSubstr("did not say which URL reports on the operation"));
  EXPECT_EQ(Bench({.monitor_is_request = true}).on(202).url(), "https://api.example.com/v1/reports");
}

TEST(Poll, leads_to_no_other_origin_that_is_not_trusted) {
  EXPECT_EQ(Bench().on(202, {{"Location", "https://ops.example.com/1"}}).url(), "https://ops.example.com/1");
  for (const auto* target : {"https://evil.example.com/1", "http://api.example.com/1", "//evil.example.com/1"}) {
    Bench bench;
    EXPECT_EQ(bench.on(202, {{"Location", target}}).failed().code, Errc::refused) << target;
    EXPECT_THAT(bench.failed().what, HasSubstr("another origin"));
    Bench polling;
    polling.on(202, {{"Location", "/v1/jobs/1"}});
    EXPECT_EQ(polling.on(303, {{"Location", target}}).failed().code, Errc::refused) << target;
    Bench moved;
    moved.on(202, {{"Location", "/v1/jobs/1"}});
    EXPECT_EQ(moved.on(202, {{"Location", target}}).failed().code, Errc::refused) << target;
    EXPECT_EQ(moved.poll.state(), PollState::ended);
  }
  EXPECT_EQ(Bench().on(202, {{"Location", "ftp://api.example.com/1"}}).failed().code, Errc::protocol);
}

TEST(Poll, waits_as_the_server_says_and_else_longer_and_longer) {
  const auto wait = [](PollWait last, Headers headers, Dialect dialect = Dialect()) {
    return wait_before_poll({.status = 202, .headers = std::move(headers)}, dialect, start.wall, last);
  };
  EXPECT_EQ(wait({}, {{"Retry-After", "7"}}), (PollWait{7s, true}));
  EXPECT_EQ(wait({}, {{"Retry-After", "0.5"}}), (PollWait{500ms, true}));
  EXPECT_EQ(wait({}, {{"Retry-After", "0"}}), (PollWait{250ms, true}));
  EXPECT_EQ(wait({}, {{"Date", "Fri, 15 Jan 2027 08:00:00 GMT"}, {"Retry-After", "Fri, 15 Jan 2027 08:00:09 GMT"}}),
            (PollWait{9s, true}));
  EXPECT_EQ(wait({7s, true}, {}), (PollWait{7s, true}));
  EXPECT_EQ(wait({7s, true}, {{"Retry-After", "2"}}), (PollWait{2s, true}));
  EXPECT_EQ(wait({4s, false}, {{"Retry-After", "2"}}), (PollWait{2s, true}));
  PollWait last;
  for (const auto expected : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    last = wait(last, {});
    EXPECT_EQ(last, (PollWait{expected, false}));
  }
  EXPECT_EQ(wait({}, {{"Retry-After", "3"}, {"openai-poll-after-ms", "1500"}}, {.polling = polling::openai()}),
            (PollWait{1500ms, true}));
}

TEST(Poll, keeps_the_wait_over_its_polls) {
  Bench bench;
  bench.on(202, {{"Location", "/v1/jobs/1"}, {"Retry-After", "5"}});
  EXPECT_EQ(bench.on(202).wait(), 5s);
  EXPECT_EQ(bench.on(202, {{"Retry-After", "9"}}).wait(), 9s);
  EXPECT_EQ(bench.on(202).wait(), 9s);
}

TEST(Poll, goes_on_at_a_position) {
  Bench bench;
  const PollPosition position{.monitor = "https://api.example.com/v1/jobs/1", .wait = {7s, true}};
  bench.step = bench.poll.resume(start, position, 3s);
  EXPECT_EQ(bench.url(), position.monitor);
  EXPECT_EQ(bench.wait(), 3s);
  EXPECT_EQ(bench.on(202).wait(), 7s);
  EXPECT_EQ(bench.poll.position(), position);
}

TEST(Poll, ends_if_the_monitor_is_gone) {
  for (const int status : {404, 410}) {
    Bench bench;
    EXPECT_EQ(bench.poll.on_error(status), std::nullopt);
    bench.on(202, {{"Location", "/v1/jobs/1"}});
    EXPECT_EQ(bench.poll.on_error(503), std::nullopt);
    EXPECT_EQ(bench.poll.on_error(0), std::nullopt);
    const auto failed = bench.poll.on_error(status);
    ASSERT_TRUE(failed) << status;
    EXPECT_EQ(failed->code, Errc::expired_cursor);
    EXPECT_EQ(bench.poll.state(), PollState::ended);
  }
  Bench fetching;
  fetching.on(202, {{"Location", "/v1/jobs/1"}}).on(303, {{"Location", "/v1/reports/1"}});
  EXPECT_EQ(fetching.poll.on_error(404), std::nullopt);
}

/// A response of a monitor, and what it says.
struct Report {
  const char* body;
  const char* meaning;
};

std::string meaning_of(const Bench& bench) {
  if (std::holds_alternative<PollNext>(bench.step)) return "runs";
  if (const auto* failed = std::get_if<PollFailed>(&bench.step)) return failed->what + ":" + std::string(failed->error);
  return "done";
}

TEST(Poll, reads_the_states_of_azure) {
  for (const auto& [body, meaning] : std::vector<Report>{
           {R"({"status": "InProgress"})", "runs"},
           {R"({"status": "succeeded"})", "done"},
           {R"({"status": "Failed", "error": {"code": "Quota"}})", R"(the operation failed:{"code": "Quota"})"},
           {R"({"status": "Canceled"})", "the operation was cancelled on the server:"},
           {R"({"status": "Succeeded", "error": null})", "done"},
           {R"({})", "done"}}) {
    Bench bench(polling::azure());
    bench.on(202, {{"Azure-AsyncOperation", "/v1/jobs/1"}}).on(200, {}, body);
    EXPECT_EQ(meaning_of(bench), meaning) << body;
  }
}

TEST(Poll, finds_the_result_of_azure) {
  const std::string monitor = "https://api.example.com/v1/jobs/1";
  const auto result_of = [&](int status, Headers first, Headers last, std::string body) {
    Bench bench(polling::azure());
    first.add("Operation-Location", monitor);
    bench.on(status, std::move(first)).on(200, std::move(last), std::move(body));
    return bench.url();
  };
  const auto* done = R"({"status": "Succeeded"})";
  EXPECT_EQ(result_of(202, {}, {}, done), "none");
  EXPECT_EQ(result_of(202, {{"Location", "/v1/r/1"}}, {}, done), "https://api.example.com/v1/r/1");
  EXPECT_EQ(result_of(202, {{"Location", "/v1/r/1"}}, {{"Location", "/v1/r/2"}}, done),
            "https://api.example.com/v1/r/2");
  EXPECT_EQ(result_of(202, {{"Location", "/v1/r/1"}}, {}, R"({"status": "Succeeded", "resourceLocation": "/v1/r/3"})"),
            "https://api.example.com/v1/r/3");
  // A PUT returns the resource, which is requested again.
  EXPECT_EQ(result_of(201, {}, {}, done), "https://api.example.com/v1/reports");
  Bench put(polling::azure());
  const auto* resource = "https://api.example.com/v1/disks/1?api-version=2024-07-01";
  put.on(201, {{"Azure-AsyncOperation", monitor}}, {}, resource).on(200, {}, done);
  EXPECT_EQ(put.url(), resource);
  // With Location as the monitor, its response is the result, also after it has moved.
  for (const bool moves : {false, true}) {
    Bench bench(polling::azure());
    bench.on(202, {{"Location", monitor}});
    if (moves) bench.on(202, {{"Location", monitor + "?t=2"}});
    bench.on(200, {}, "{}");
    EXPECT_TRUE(std::holds_alternative<PollDone>(bench.step)) << bench.url();
  }
  // A result elsewhere must not be at another origin.
  EXPECT_EQ(result_of(202, {}, {{"Location", "https://evil.example.com/"}}, done), "none");
}

TEST(Poll, reads_the_operations_of_google) {
  Bench bench(polling::google());
  EXPECT_EQ(bench.on(200, {}, R"({"name": "operations/a b", "metadata": {}})").url(), "none");
  Bench good(polling::google());
  EXPECT_EQ(good.on(200, {}, R"({"name": "projects/p/operations/1"})").url(),
            "https://api.example.com/v1/projects/p/operations/1");
  EXPECT_EQ(good.on(200, {}, R"({"name": "projects/p/operations/1", "done": false})").url(),
            "https://api.example.com/v1/projects/p/operations/1");
  EXPECT_EQ(good.on(200, {}, R"({"done": true, "response": {"id": 1}})").place(), "/response");
  Bench at_once(polling::google());
  EXPECT_EQ(at_once.on(200, {}, R"({"name": "o/1", "done": true, "response": {}})").place(), "/response");
  Bench failing(polling::google());
  failing.on(200, {}, R"({"name": "operations/1"})");
  EXPECT_EQ(meaning_of(failing.on(200, {}, R"({"done": true, "error": {"code": 5}})")),
            R"(the operation failed:{"code": 5})");
  for (const auto* name : {"//evil.example.com/1", "https://evil.example.com/1", "../../admin"}) {
    Bench refused(polling::google());
    EXPECT_EQ(refused.on(200, {}, std::string(R"({"name": ")") + name + "\"}").failed().code, Errc::refused) << name;
  }
}

TEST(Poll, requests_the_item_of_openai) {
  Bench bench(polling::openai());
  EXPECT_EQ(bench.on(200, {}, R"({"id": "batch_1/2", "status": "validating"})").url(),
            "https://api.example.com/v1/reports/batch_1%2F2");
  EXPECT_EQ(bench.on(200, {}, R"({"status": "in_progress"})").url(), "https://api.example.com/v1/reports/batch_1%2F2");
  EXPECT_EQ(bench.on(200, {}, R"({"status": "completed", "error": null})").place(), std::nullopt);
  Bench dots(polling::openai());
  EXPECT_EQ(dots.on(200, {}, R"({"id": "..", "status": "queued"})").failed().code, Errc::refused);
}

TEST(Poll, decodes_the_strings_of_a_status) {
  Bench bench({.status = "/status", .done = {"done"}, .result_url = "/url"});
  EXPECT_FALSE(bench.on(202, {{"Location", "/monitor"}}, {}).url().empty());
  EXPECT_EQ(bench.on(200, {}, R"({"status": "d\u006fne", "url": "https:\/\/api.example.com\/v1\/r"})").url(),
            "https://api.example.com/v1/r");
  Bench nowhere({.status = "/status", .done = {"done"}, .result_url = "/url"});
  EXPECT_FALSE(nowhere.on(202, {{"Location", "/monitor"}}, {}).url().empty());
  EXPECT_EQ(nowhere.on(200, {}, R"({"status": "done", "url": ""})").place(), std::nullopt);
}

TEST(Poll, reads_how_much_is_done) {
  const auto percent = [](std::string body) { return percent_in({.body = std::move(body)}, {.percent = "/p"}); };
  EXPECT_EQ(percent(R"({"p": 42})"), 42);
  EXPECT_EQ(percent(R"({"p": "12.5"})"), 12.5);
  for (const auto* body :
       {R"({"p": 101})", R"({"p": -1})", R"({"p": "4 %"})", R"({"p": null})", R"({"p": [1]})", "{}", ""})
    EXPECT_EQ(percent(body), std::nullopt) << body;
}

}}  // namespace decision_test::poll_test
