// The verbs.
#include <noun/http.hpp>

#include <gtest/gtest.h>

namespace vocabulary_test { namespace method_test {

using noun::Method;

TEST(Method, every_one_is_written_as_on_the_wire) {
  constexpr std::string_view written[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"};
  for (int method = 0; method < 8; ++method) EXPECT_EQ(to_string(static_cast<Method>(method)), written[method]);
  EXPECT_EQ(to_string(static_cast<Method>(8)), "?");
}

TEST(Method, safe_and_idempotent_are_those_of_rfc_9110_and_10008) {
  for (const auto method : {Method::get, Method::head, Method::options, Method::query}) EXPECT_TRUE(is_safe(method));
  for (const auto method : {Method::post, Method::put, Method::patch, Method::delete_}) EXPECT_FALSE(is_safe(method));
  for (const auto method : {Method::get, Method::head, Method::options, Method::query, Method::put, Method::delete_})
    EXPECT_TRUE(is_idempotent(method));
  for (const auto method : {Method::post, Method::patch}) EXPECT_FALSE(is_idempotent(method));
}

}}  // namespace vocabulary_test::method_test
