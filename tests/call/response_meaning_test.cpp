#include "call/response_meaning.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace call_test { namespace response_meaning_test {

using noun::Method;
using noun::quota::Outcome;

Outcome outcome_of(int status, noun::Headers headers = {}, Method method = Method::get,
                   const noun::Dialect& dialect = {}) {
  const noun::Response response{.status = status, .headers = std::move(headers)};
  noun::CallRequest request;
  request.method = method;
  return meaning_of(response, request, dialect, {}).second.outcome;
}

TEST(ResponseMeaning, a_503_without_a_reason_may_be_a_rejection) {
  EXPECT_EQ(outcome_of(503), Outcome::unavailable);
  EXPECT_NE(outcome_of(503, {{"Retry-After", 1}}), Outcome::unavailable);
  EXPECT_EQ(outcome_of(503, {}, Method::post), Outcome::served) << "it is not sent again";
  for (const int status : {200, 404, 500, 502, 504}) EXPECT_EQ(outcome_of(status), Outcome::served) << status;
  EXPECT_EQ(outcome_of(429), Outcome::rejected);
}

TEST(ResponseMeaning, a_403_of_a_disabled_limiter_is_no_rejection) {
  const noun::Dialect dialect{.limited_if_exhausted = {403}};
  const auto of_limit = [&](int limit) {
    return outcome_of(403, {{"X-RateLimit-Limit", limit}, {"X-RateLimit-Remaining", 0}}, Method::get, dialect);
  };
  EXPECT_EQ(of_limit(60), Outcome::rejected);
  EXPECT_EQ(of_limit(0), Outcome::served);
}

}}  // namespace call_test::response_meaning_test
