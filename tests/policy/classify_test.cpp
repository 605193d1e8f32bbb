// What an answer, or the lack of one, means.
#include "policy/classify.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace policy_test {
namespace classify_test {

using namespace std::literals;

using noun::Dialect;
using noun::Errc;
using noun::Error;
using noun::ErrorDetails;
using noun::Sent;
using noun::Verdict;

Verdict plain(int status, bool exhausted = false, bool has_key = false) {
  return noun::classify_status(status, Dialect{}, exhausted, has_key);
}

TEST(Classify, every_status_has_the_verdict_of_the_contract) {
  const std::map<int, Verdict> special = {
      {301, Verdict::redirect},        {302, Verdict::redirect},        {303, Verdict::redirect},
      {307, Verdict::redirect},        {308, Verdict::redirect},        {401, Verdict::unauthorized},
      {408, Verdict::maybe_processed}, {421, Verdict::misdirected},     {425, Verdict::unprocessed},
      {429, Verdict::limited},         {500, Verdict::maybe_processed}, {502, Verdict::maybe_processed},
      {503, Verdict::maybe_processed}, {504, Verdict::maybe_processed}};
  for (int status = -20; status < 1100; ++status)
    for (const bool exhausted : {false, true})
      for (const bool has_key : {false, true}) {
        const auto found = special.find(status);
        const auto usual = status >= 200 && status < 300 ? Verdict::success : Verdict::permanent;
        EXPECT_EQ(plain(status, exhausted, has_key), found == special.end() ? usual : found->second) << status;
      }
}

TEST(Classify, the_dialect_says_which_statuses_are_limits) {
  Dialect dialect;
  dialect.limited_statuses = {420, 200};
  dialect.limited_if_exhausted = {403};
  EXPECT_EQ(noun::classify_status(420, dialect, false, false), Verdict::limited);
  EXPECT_EQ(noun::classify_status(200, dialect, false, false), Verdict::limited);
  EXPECT_EQ(noun::classify_status(429, dialect, true, false), Verdict::permanent);
  EXPECT_EQ(noun::classify_status(403, dialect, true, false), Verdict::limited);
  EXPECT_EQ(noun::classify_status(403, dialect, false, false), Verdict::permanent);
}

TEST(Classify, the_dialect_says_what_503_and_409_mean) {
  Dialect dialect;
  dialect.unavailable_is_unprocessed = true;
  dialect.retry_conflict_with_key = true;
  EXPECT_EQ(noun::classify_status(503, dialect, false, false), Verdict::unprocessed);
  EXPECT_EQ(noun::classify_status(409, dialect, false, true), Verdict::still_running);
  EXPECT_EQ(noun::classify_status(409, dialect, false, false), Verdict::permanent);
  EXPECT_EQ(plain(409, false, true), Verdict::permanent);
}

noun::Response response(int status, std::string body = "", noun::Headers headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = std::move(body)};
}

Dialect with_signs(std::vector<noun::BodySign> signs) {
  Dialect dialect;
  dialect.body_signs = std::move(signs);
  return dialect;
}

TEST(ClassifyAnswer, is_as_its_status_says_where_the_dialect_knows_no_more) {
  Dialect dialect;
  dialect.limited_if_exhausted = {403};
  dialect.retry_conflict_with_key = true;
  for (int status = 100; status < 700; ++status)
    for (const bool exhausted : {false, true})
      for (const bool has_key : {false, true})
        EXPECT_EQ(noun::classify_answer(response(status, R"({"error":"ratelimited"})"), dialect, exhausted, has_key),
                  noun::classify_status(status, dialect, exhausted, has_key));
}

TEST(ClassifyAnswer, a_sign_in_the_body_says_that_it_is_a_limit) {
  const auto dialect = with_signs({{{200, 403}, "/error", "ratelimited"}});
  const auto verdict = [&](int status, std::string body) {
    return noun::classify_answer(response(status, std::move(body)), dialect, false, false);
  };
  EXPECT_EQ(verdict(200, R"({"ok":false,"error":"ratelimited"})"), Verdict::limited);
  EXPECT_EQ(verdict(403, R"({"error":"you are ratelimited, wait"})"), Verdict::limited);
  EXPECT_EQ(verdict(200, R"({"error":"r\u0061te\u006Cimited"})"), Verdict::limited) << "escapes are decoded";
  EXPECT_EQ(verdict(200, "\xEF\xBB\xBF {\"error\":\"ratelimited\"}"), Verdict::limited);
  EXPECT_EQ(verdict(400, R"({"error":"ratelimited"})"), Verdict::permanent) << "no sign names that status";
  for (const auto* body :
       {"", " ", "ratelimited", "<error>ratelimited</error>", "{}", R"({"error":null})",
        R"({"error":{"ratelimited":1}})", R"({"error":["ratelimited"]})", R"({"error":"rate limited"})",
        R"({"Error":"ratelimited"})", R"({"x":{"error":"ratelimited"}})", R"({"error":"ratelimited)",
        R"({"error":"ratelimited\q"})", "{\"error\":\"ratelimited\xFF\"}"})
    EXPECT_EQ(verdict(200, body), Verdict::success) << body;
}

TEST(ClassifyAnswer, a_sign_may_say_that_it_is_no_limit) {
  const auto dialect = with_signs({{{429, 400}, "/error/code", "lock_timeout", false}});
  const std::string body = R"({"error":{"code":"lock_timeout"}})";
  EXPECT_EQ(noun::classify_answer(response(429, body), dialect, true, false), Verdict::unprocessed);
  EXPECT_EQ(noun::classify_answer(response(429, "{}"), dialect, true, false), Verdict::limited);
  EXPECT_EQ(noun::classify_answer(response(400, body), dialect, true, false), Verdict::permanent);
}

TEST(ClassifyAnswer, of_several_signs_the_first_counts) {
  const std::string body = R"({"a":"lock","b":"limit"})";
  const noun::BodySign lock{{429}, "/a", "lock", false};
  const noun::BodySign limit{{429}, "/b", "limit"};
  EXPECT_EQ(noun::classify_answer(response(429, body), with_signs({lock, limit}), false, false), Verdict::unprocessed);
  EXPECT_EQ(noun::classify_answer(response(429, body), with_signs({limit, lock}), false, false), Verdict::limited);
}

TEST(ClassifyAnswer, a_deep_or_endless_body_is_no_trouble) {
  const auto dialect = with_signs({{{403}, "/a/0/a", "limit"}});
  for (const auto* piece : {"[", "{", "\"", "{\"a\":[", "{\"a\":", "\\", "[[],", "{\"a\":[{\"a\":\""}) {
    std::string body;
    while (body.size() < 1'000'000) body += piece;
    EXPECT_EQ(noun::classify_answer(response(403, body), dialect, false, false), Verdict::permanent) << piece;
  }
}

TEST(ClassifyAnswer, the_services_verdict_overrides_the_status) {
  Dialect dialect;
  dialect.retry_verdict_header = "Should-Retry";
  dialect.retry_conflict_with_key = true;
  dialect.unavailable_is_unprocessed = true;
  const auto verdict = [&](int status, std::string_view told) {
    return noun::classify_answer(response(status, "", {{"should-retry", told}}), dialect, false, true);
  };
  EXPECT_EQ(verdict(422, "true"), Verdict::maybe_processed);
  EXPECT_EQ(verdict(422, " True "), Verdict::maybe_processed);
  EXPECT_EQ(verdict(422, "false"), Verdict::permanent);
  for (const int status : {409, 500, 503}) EXPECT_EQ(verdict(status, "false"), Verdict::permanent) << status;
  for (const int status : {200, 301, 401, 409, 421, 422, 429, 500, 503})
    for (const auto* told : {"", "yes", "1", "truth", "true, false"})
      EXPECT_EQ(verdict(status, told), noun::classify_status(status, dialect, false, true)) << status << told;
  for (const int status : {200, 301, 401, 409, 421, 429, 500, 503})
    EXPECT_EQ(verdict(status, "true"), noun::classify_status(status, dialect, false, true)) << status;
  for (const int status : {200, 301, 401, 421, 429})
    EXPECT_EQ(verdict(status, "false"), noun::classify_status(status, dialect, false, true)) << status;
}

TEST(ClassifyAnswer, the_services_verdict_comes_behind_the_sign) {
  auto dialect = with_signs({{{429}, "/error/code", "lock_timeout", false}});
  dialect.retry_verdict_header = "Should-Retry";
  const std::string body = R"({"error":{"code":"lock_timeout"}})";
  EXPECT_EQ(noun::classify_answer(response(429, body, {{"Should-Retry", "false"}}), dialect, false, false),
            Verdict::permanent);
  EXPECT_EQ(noun::classify_answer(response(429, body, {{"Should-Retry", "true"}}), dialect, false, false),
            Verdict::unprocessed);
}

std::optional<noun::Duration> body_wait(int status, std::string body) {
  Dialect dialect = with_signs({{{200}, "/error", "ratelimited"}});
  dialect.wait_pointer = "/retry_after";
  return noun::wait_in_body(response(status, std::move(body)), dialect);
}

TEST(WaitInBody, is_a_number_of_seconds) {
  EXPECT_EQ(body_wait(429, R"({"retry_after": 65})"), 65s);
  EXPECT_EQ(body_wait(429, R"({"retry_after": 64.57})"), 64570ms);
  EXPECT_EQ(body_wait(429, R"({"retry_after": 0.0000000001})"), 1ns) << "rounded up";
  EXPECT_EQ(body_wait(429, R"({"retry_after": 0})"), 0s);
  EXPECT_EQ(body_wait(429, R"({"retry_after": "1.5"})"), 1500ms) << "text with a number";
  EXPECT_EQ(body_wait(429, R"({"retry_after": 999999999})"), 999999999s);
}

TEST(WaitInBody, is_ignored_where_it_is_none_or_absurd) {
  for (const auto* value : {"-1", "-0.5", "null", "true", "[1]", "{}", "\"\"", "\"soon\"", "\"-1\"", "\"5 s\"", "1e3",
                            "1000000000", "1768910430", "99999999999999999999999999", "NaN"})
    EXPECT_EQ(body_wait(429, std::string(R"({"retry_after": )") + value + "}"), std::nullopt) << value;
  for (const auto* body : {"", "retry_after: 5", "{}", R"([{"retry_after": 5}])", R"({"retry_after": )"})
    EXPECT_EQ(body_wait(429, body), std::nullopt) << body;
  EXPECT_EQ(body_wait(429, R"({"retry_after": )" + std::string(1'000'000, '9') + "}"), std::nullopt);
}

TEST(WaitInBody, is_looked_for_in_rejections_and_where_a_sign_may_be) {
  const std::string body = R"({"retry_after": 5})";
  for (const int status : {200, 400, 403, 429, 503}) EXPECT_EQ(body_wait(status, body), 5s) << status;
  for (const int status : {201, 206, 304}) EXPECT_EQ(body_wait(status, body), std::nullopt) << status;
  EXPECT_EQ(noun::wait_in_body(response(429, body), Dialect{}), std::nullopt);
}

TEST(Classify, what_was_not_sent_was_not_processed) {
  const std::set<Errc> repeatable = {Errc::resolve,   Errc::connect,  Errc::send,    Errc::timeout,
                                     Errc::truncated, Errc::protocol, Errc::resource};
  for (int code = 0; code <= static_cast<int>(Errc::resource); ++code) {
    const auto errc = static_cast<Errc>(code);
    const bool again = repeatable.contains(errc);
    const bool once_sent = again && errc != Errc::resource;
    EXPECT_EQ(noun::classify_failure(Error(errc, "it broke", Sent::no)),
              again ? Verdict::unprocessed : Verdict::permanent)
        << to_string(errc);
    EXPECT_EQ(noun::classify_failure(Error(errc, "it broke", Sent::maybe)),
              once_sent ? Verdict::maybe_processed : Verdict::permanent)
        << to_string(errc);
  }
}

TEST(Classify, a_broken_tls_session_may_be_tried_again_and_a_wrong_identity_not) {
  const auto tls = [](Sent sent, bool transient) {
    return noun::classify_failure(
        Error(ErrorDetails{.code = Errc::tls, .message = "tls", .sent = sent, .transient = transient}));
  };
  EXPECT_EQ(tls(Sent::no, false), Verdict::permanent);
  EXPECT_EQ(tls(Sent::no, true), Verdict::unprocessed);
  EXPECT_EQ(tls(Sent::maybe, true), Verdict::maybe_processed);
}

TEST(Classify, every_status_that_is_no_success_has_a_code) {
  const std::map<int, Errc> special = {{304, Errc::not_modified}, {401, Errc::unauthorized}, {403, Errc::forbidden},
                                       {404, Errc::not_found},    {409, Errc::conflict},     {412, Errc::conflict},
                                       {429, Errc::rate_limited}};
  for (int status = 300; status < 600; ++status) {
    const auto found = special.find(status);
    const auto usual = status < 400 ? Errc::redirected : status < 500 ? Errc::client_error : Errc::server_error;
    EXPECT_EQ(noun::errc_of_status(status), found == special.end() ? usual : found->second) << status;
  }
  for (const int status : {-1, 0, 100, 199, 600, 999})
    EXPECT_EQ(noun::errc_of_status(status), Errc::protocol) << status;
}

TEST(Classify, the_registered_statuses_have_their_words) {
  EXPECT_EQ(noun::reason_phrase(200), "OK");
  EXPECT_EQ(noun::reason_phrase(404), "Not Found");
  EXPECT_EQ(noun::reason_phrase(422), "Unprocessable Content");
  EXPECT_EQ(noun::reason_phrase(503), "Service Unavailable");
  EXPECT_EQ(noun::reason_phrase(418), "");
  EXPECT_EQ(noun::reason_phrase(0), "");
}

}  // namespace classify_test
}  // namespace policy_test
