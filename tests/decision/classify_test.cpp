#include "decision/classify.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decision_tests { namespace classify_test {

using namespace std::literals;

using noun::Dialect;
using noun::Errc;
using noun::Error;
using noun::ErrorDetails;
using noun::Retryable;
using noun::Sent;
using noun::Verdict;

TEST(Classify, every_status_has_the_verdict_of_the_contract) {
  const std::map<int, Verdict> special = {
      {301, Verdict::redirect},        {302, Verdict::redirect},        {303, Verdict::redirect},
      {307, Verdict::redirect},        {308, Verdict::redirect},        {401, Verdict::unauthorized},
      {408, Verdict::maybe_processed}, {421, Verdict::misdirected},     {425, Verdict::unprocessed},
      {429, Verdict::limited},         {500, Verdict::maybe_processed}, {502, Verdict::maybe_processed},
      {503, Verdict::maybe_processed}, {504, Verdict::maybe_processed}, {404, Verdict::absent},
      {410, Verdict::absent},          {416, Verdict::unsatisfiable}};
  for (int status = -20; status < 1100; ++status)
    for (const bool exhausted : {false, true})
      for (const bool has_key : {false, true}) {
        const auto found = special.find(status);
        const auto usual = status >= 200 && status < 300 ? Verdict::success : Verdict::permanent;
        EXPECT_EQ(noun::classify_status(status, Dialect{}, exhausted, has_key),
                  found == special.end() ? usual : found->second)
            << status;
      }
}

TEST(Classify, the_dialect_sets_which_statuses_are_limits_and_what_503_and_409_mean) {
  Dialect dialect;
  dialect.limited_statuses = {420, 200};
  dialect.limited_if_exhausted = {403};
  dialect.unavailable_is_unprocessed = true;
  dialect.retry_conflict_with_key = true;
  const auto verdict = [&](int status, bool exhausted = false, bool has_key = false) {
    return noun::classify_status(status, dialect, exhausted, has_key);
  };
  EXPECT_EQ(verdict(420), Verdict::limited);
  EXPECT_EQ(verdict(200), Verdict::limited);
  EXPECT_EQ(verdict(429, true), Verdict::permanent);
  EXPECT_EQ(verdict(403, true), Verdict::limited);
  EXPECT_EQ(verdict(403), Verdict::permanent);
  EXPECT_EQ(verdict(503), Verdict::unprocessed);
  EXPECT_EQ(verdict(409, false, true), Verdict::still_running);
  EXPECT_EQ(verdict(409), Verdict::permanent);
}

TEST(Classify, the_dialect_names_the_transient_statuses) {
  const auto verdict = [](std::vector<int> transient, int status, bool has_key = false) {
    Dialect dialect;
    dialect.transient_statuses = std::move(transient);
    dialect.unavailable_is_unprocessed = true;
    dialect.retry_conflict_with_key = true;
    return noun::classify_status(status, dialect, false, has_key);
  };
  for (const int status : {408, 500, 502, 503, 504}) EXPECT_EQ(verdict({}, status), Verdict::permanent) << status;
  EXPECT_EQ(verdict({502, 503}, 500), Verdict::permanent);
  EXPECT_EQ(verdict({502, 503}, 502), Verdict::maybe_processed);
  EXPECT_EQ(verdict({502, 503}, 503), Verdict::unprocessed);
  EXPECT_EQ(verdict({404, 409, 423}, 404), Verdict::maybe_processed);
  EXPECT_EQ(verdict({404, 409, 423}, 409), Verdict::maybe_processed);
  EXPECT_EQ(verdict({404, 409, 423}, 409, true), Verdict::still_running);
  EXPECT_EQ(verdict({401, 421, 425, 429}, 401), Verdict::unauthorized);
  EXPECT_EQ(verdict({401, 421, 425, 429}, 421), Verdict::misdirected);
  EXPECT_EQ(verdict({401, 421, 425, 429}, 425), Verdict::unprocessed);
  EXPECT_EQ(verdict({401, 421, 425, 429}, 429), Verdict::limited);
}

noun::Response response(int status, std::string body, noun::Headers headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = std::move(body)};
}
Dialect with_signs(std::vector<noun::BodySign> signs) {
  Dialect dialect;
  dialect.body_signs = std::move(signs);
  return dialect;
}
Verdict verdict_of(const Dialect& dialect, int status, std::string body, noun::Headers headers = {},
                   bool exhausted = false, bool has_key = false) {
  return noun::classify_response(response(status, std::move(body), std::move(headers)), dialect, exhausted, has_key);
}

TEST(ClassifyResponse, follows_the_status_without_further_rules_of_the_dialect) {
  Dialect dialect;
  dialect.limited_if_exhausted = {403};
  dialect.retry_conflict_with_key = true;
  for (int status = 100; status < 700; ++status)
    for (const bool exhausted : {false, true})
      for (const bool has_key : {false, true})
        EXPECT_EQ(verdict_of(dialect, status, R"({"error":"ratelimited"})", {}, exhausted, has_key),
                  noun::classify_status(status, dialect, exhausted, has_key));
}

TEST(ClassifyResponse, a_sign_in_the_body_is_a_rejection) {
  const auto dialect = with_signs({{{200, 403}, "/error", "ratelimited"}});
  for (const auto* body : {R"({"ok":false,"error":"ratelimited"})", R"({"error":"you are ratelimited, wait"})",
                           R"({"error":"r\u0061te\u006Cimited"})", "\xEF\xBB\xBF {\"error\":\"ratelimited\"}"}) {
    EXPECT_EQ(verdict_of(dialect, 200, body), Verdict::limited) << body;
    EXPECT_EQ(verdict_of(dialect, 403, body), Verdict::limited) << body;
    EXPECT_EQ(verdict_of(dialect, 400, body), Verdict::permanent) << "no sign is defined for that status";
  }
  for (const auto* body :
       {"", " ", "ratelimited", "<error>ratelimited</error>", "{}", R"({"error":null})",
        R"({"error":{"ratelimited":1}})", R"({"error":["ratelimited"]})", R"({"error":"rate limited"})",
        R"({"Error":"ratelimited"})", R"({"x":{"error":"ratelimited"}})", R"({"error":"ratelimited)",
        R"({"error":"ratelimited\q"})", "{\"error\":\"ratelimited\xFF\"}"})
    EXPECT_EQ(verdict_of(dialect, 200, body), Verdict::success) << body;
}

TEST(ClassifyResponse, a_sign_may_exclude_a_rejection_and_the_first_matching_sign_is_used) {
  const noun::BodySign lock{{429, 400}, "/a", "lock", false};
  const noun::BodySign limit{{429}, "/b", "limit"};
  const auto* const body = R"({"a":"lock","b":"limit"})";
  EXPECT_EQ(verdict_of(with_signs({lock}), 429, body), Verdict::unprocessed);
  EXPECT_EQ(verdict_of(with_signs({lock}), 429, "{}"), Verdict::limited);
  EXPECT_EQ(verdict_of(with_signs({lock}), 400, body), Verdict::permanent);
  EXPECT_EQ(verdict_of(with_signs({lock, limit}), 429, body), Verdict::unprocessed);
  EXPECT_EQ(verdict_of(with_signs({limit, lock}), 429, body), Verdict::limited);
}

TEST(ClassifyResponse, a_sign_may_say_that_no_attempt_helps) {
  const auto* const body = R"({"error":{"code":"insufficient_quota"}})";
  EXPECT_EQ(verdict_of(noun::dialects::openai(), 429, body), Verdict::permanent);
  EXPECT_EQ(verdict_of(noun::dialects::openai(), 429, "{}"), Verdict::limited);
  EXPECT_EQ(verdict_of(with_signs({{{429}, "/a", "x", true, true}}), 429, R"({"a":"x"})"), Verdict::permanent);
}

TEST(ClassifyResponse, a_deep_or_huge_body_is_harmless) {
  const auto dialect = with_signs({{{403}, "/a/0/a", "limit"}});
  for (const auto* piece : {"[", "{", "\"", "{\"a\":[", "{\"a\":", "\\", "[[],", "{\"a\":[{\"a\":\""}) {
    std::string body;
    while (body.size() < 1'000'000) body += piece;
    EXPECT_EQ(verdict_of(dialect, 403, body), Verdict::permanent) << piece;
  }
}

TEST(ClassifyResponse, the_verdict_of_the_server_overrides_the_status) {
  Dialect dialect;
  dialect.retry_verdict_header = "Should-Retry";
  dialect.retry_conflict_with_key = true;
  dialect.unavailable_is_unprocessed = true;
  for (const int status : {200, 301, 401, 409, 421, 422, 429, 500, 503}) {
    const auto own = noun::classify_status(status, dialect, false, true);
    const auto verdict = [&](std::string_view reported) {
      return verdict_of(dialect, status, "", {{"should-retry", reported}}, false, true);
    };
    for (const auto* reported : {"true", " True "})
      EXPECT_EQ(verdict(reported), status == 422 ? Verdict::maybe_processed : own) << status << reported;
    const bool was_to_be_repeated = status == 409 || status == 500 || status == 503;
    EXPECT_EQ(verdict("false"), was_to_be_repeated ? Verdict::permanent : own) << status;
    for (const auto* reported : {"", "yes", "1", "truth", "true, false"})
      EXPECT_EQ(verdict(reported), own) << status << reported;
  }
}

TEST(ClassifyResponse, a_sign_precedes_the_verdict_of_the_server) {
  auto dialect = with_signs({{{429}, "/error/code", "lock_timeout", false}});
  dialect.retry_verdict_header = "Should-Retry";
  const auto* const body = R"({"error":{"code":"lock_timeout"}})";
  EXPECT_EQ(verdict_of(dialect, 429, body, {{"Should-Retry", "false"}}), Verdict::permanent);
  EXPECT_EQ(verdict_of(dialect, 429, body, {{"Should-Retry", "true"}}), Verdict::unprocessed);
}

std::optional<noun::Duration> body_wait(int status, std::string body) {
  Dialect dialect = with_signs({{{200}, "/error", "ratelimited"}});
  dialect.wait_pointer = "/retry_after";
  return noun::wait_in_body(response(status, std::move(body)), dialect);
}

TEST(WaitInBody, is_a_plausible_number_of_seconds) {
  const std::map<std::string, noun::Duration> waits = {{"65", 65s}, {"64.57", 64570ms},  {"0.0000000001", 1ns},
                                                       {"0", 0s},   {"\"1.5\"", 1500ms}, {"999999999", 999999999s}};
  for (const auto& [value, wait] : waits) EXPECT_EQ(body_wait(429, R"({"retry_after": )" + value + "}"), wait) << value;
  for (const auto& value :
       {"-1"s, "-0.5"s, "null"s, "true"s, "[1]"s, "{}"s, "\"\""s, "\"soon\""s, "\"-1\""s, "\"5 s\""s, "1e3"s,
        "1000000000"s, "1768910430"s, "99999999999999999999999999"s, "NaN"s, std::string(1'000'000, '9')})
    EXPECT_EQ(body_wait(429, R"({"retry_after": )" + value + "}"), std::nullopt) << value.substr(0, 20);
  for (const auto* body : {"", "retry_after: 5", "{}", R"([{"retry_after": 5}])", R"({"retry_after": )"})
    EXPECT_EQ(body_wait(429, body), std::nullopt) << body;
}

TEST(WaitInBody, is_read_in_rejections_and_where_a_sign_may_be) {
  const std::string body = R"({"retry_after": 5})";
  for (const int status : {200, 400, 403, 429, 503}) EXPECT_EQ(body_wait(status, body), 5s) << status;
  for (const int status : {201, 206, 304}) EXPECT_EQ(body_wait(status, body), std::nullopt) << status;
  EXPECT_EQ(noun::wait_in_body(response(429, body), Dialect{}), std::nullopt);
}

Verdict failure_verdict(Errc code, Sent sent, Retryable retryable, bool retried = false) {
  return noun::classify_failure(
      Error(ErrorDetails{.code = code, .what = "it broke", .sent = sent, .retryable = retryable}), retried);
}

TEST(ClassifyFailure, an_unsent_request_was_not_processed) {
  const std::set<Errc> repeatable = {Errc::resolve, Errc::connect,   Errc::send,
                                     Errc::timeout, Errc::truncated, Errc::protocol};
  for (int code = 0; code <= static_cast<int>(Errc::resource); ++code)
    for (const auto retryable : {Retryable::by_code, Retryable::yes, Retryable::once}) {
      const auto errc = static_cast<Errc>(code);
      const auto verdict = [&](Sent sent) { return failure_verdict(errc, sent, retryable); };
      const bool again = repeatable.contains(errc) || (errc == Errc::tls && retryable != Retryable::by_code);
      EXPECT_EQ(verdict(Sent::no), again || errc == Errc::resource ? Verdict::unprocessed : Verdict::permanent)
          << to_string(errc) << static_cast<int>(retryable);
      EXPECT_EQ(verdict(Sent::maybe), again ? Verdict::maybe_processed : Verdict::permanent)
          << to_string(errc) << static_cast<int>(retryable);
    }
}

TEST(ClassifyFailure, a_fault_that_would_repeat_is_permanent) {
  for (const auto errc : {Errc::connect, Errc::protocol, Errc::truncated, Errc::resource})
    for (const auto sent : {Sent::no, Sent::maybe, Sent::answered}) {
      EXPECT_EQ(failure_verdict(errc, sent, Retryable::no), Verdict::permanent) << to_string(errc);
      EXPECT_EQ(failure_verdict(errc, sent, Retryable::once, true), Verdict::permanent) << to_string(errc);
    }
  EXPECT_EQ(failure_verdict(Errc::protocol, Sent::answered, Retryable::by_code, true), Verdict::maybe_processed);
}

TEST(Classify, every_status_other_than_success_has_a_code) {
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

TEST(Classify, the_registered_statuses_have_reason_phrases) {
  EXPECT_EQ(noun::reason_phrase(200), "OK");
  EXPECT_EQ(noun::reason_phrase(404), "Not Found");
  EXPECT_EQ(noun::reason_phrase(422), "Unprocessable Content");
  EXPECT_EQ(noun::reason_phrase(503), "Service Unavailable");
  EXPECT_EQ(noun::reason_phrase(418), "");
  EXPECT_EQ(noun::reason_phrase(0), "");
  EXPECT_EQ(noun::status_text(404), "404 Not Found");
  EXPECT_EQ(noun::status_text(418), "418");
  EXPECT_EQ(noun::status_text(202), "202 Accepted (not finished)");
}

}  // namespace classify_test
}  // namespace decision_tests
