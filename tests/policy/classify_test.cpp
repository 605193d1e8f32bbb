// What an answer, or the lack of one, means.
#include "policy/classify.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace policy_test {
namespace {

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

TEST(Classify, what_was_not_sent_was_not_processed) {
  const std::set<Errc> repeatable = {Errc::resolve, Errc::connect,   Errc::send,     Errc::timeout,
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
  for (const int status : {-1, 0, 100, 199, 600, 999}) EXPECT_EQ(noun::errc_of_status(status), Errc::protocol) << status;
}

TEST(Classify, the_registered_statuses_have_their_words) {
  EXPECT_EQ(noun::reason_phrase(200), "OK");
  EXPECT_EQ(noun::reason_phrase(404), "Not Found");
  EXPECT_EQ(noun::reason_phrase(422), "Unprocessable Content");
  EXPECT_EQ(noun::reason_phrase(503), "Service Unavailable");
  EXPECT_EQ(noun::reason_phrase(418), "");
  EXPECT_EQ(noun::reason_phrase(0), "");
}

}  // namespace
}  // namespace policy_test
