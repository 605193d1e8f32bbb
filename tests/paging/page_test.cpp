// What a response says about its page.
#include "paging/page.hpp"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace paging_test { namespace page_test {

std::optional<std::string> failure(std::string body, std::string value = "") {
  const noun::Paging paging{.failures = {{.pointer = "/failed", .value = std::move(value)}}};
  return noun::detail::failure_in({.status = 200, .body = std::move(body)}, paging);
}

TEST(Page, has_failed_if_something_is_where_failures_are_reported) {
  for (const auto* nothing : {"null", "false", "0", "\"\"", "{}", "[]", "[ ]"})
    EXPECT_EQ(failure("{\"failed\":" + std::string(nothing) + "}"), std::nullopt) << nothing;
  for (const auto* something : {"true", "1", "{\"a\":null}", "[0]", "[[]]", "-1", "0.5"})
    EXPECT_EQ(failure("{\"failed\":" + std::string(something) + "}"), std::string(something) + " at /failed");
  EXPECT_EQ(failure(R"({"failed":"a \"b\""})"), "a \"b\" at /failed");
  EXPECT_EQ(failure("{}"), std::nullopt);
}

TEST(Page, has_failed_if_that_is_the_value_of_a_failure) {
  EXPECT_EQ(failure(R"({"failed":"error"})", "error"), "error at /failed");
  EXPECT_EQ(failure(R"({"failed":"ok"})", "error"), std::nullopt);
  EXPECT_EQ(failure(R"({"failed":0})", "0"), "0 at /failed");
  EXPECT_EQ(failure(R"({"failed":{"a":1}})", R"({"a":1})"), R"({"a":1} at /failed)");
}

}}  // namespace paging_test::page_test
