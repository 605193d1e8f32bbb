// The presets, and the plain convention that they start from.
#include <noun/dialects.hpp>

#include <gtest/gtest.h>

namespace vocabulary_test {
namespace {

using noun::Dialect;

TEST(Dialects, the_plain_one_is_the_plain_convention) {
  const Dialect dialect = noun::dialects::plain();
  EXPECT_EQ(dialect.name, "plain");
  EXPECT_EQ(dialect.rate_limit.limit, "X-RateLimit-Limit");
  EXPECT_EQ(dialect.rate_limit.remaining, "X-RateLimit-Remaining");
  EXPECT_EQ(dialect.rate_limit.reset, "X-RateLimit-Reset");
  EXPECT_EQ(dialect.rate_limit.retry_after, "Retry-After");
  EXPECT_EQ(dialect.rate_limit.reset_form, noun::ResetForm::automatic);
  EXPECT_EQ(dialect.limited_statuses, std::vector{429});
  EXPECT_TRUE(dialect.limited_if_exhausted.empty());
  EXPECT_EQ(dialect.paging.page_parameter, "page");
  EXPECT_EQ(dialect.paging.size_parameter, "per_page");
  EXPECT_EQ(dialect.create_statuses, std::vector{201});
  EXPECT_EQ(dialect.remove_statuses, std::vector{204});
  EXPECT_EQ(dialect.patch_content_type, "application/json");
  EXPECT_EQ(dialect.idempotency_header, "Idempotency-Key");
  EXPECT_FALSE(dialect.retry_conflict_with_key);
  EXPECT_FALSE(dialect.unavailable_is_unprocessed);
}

TEST(Dialects, githubs_counts_epochs_and_rejects_with_403_too) {
  const Dialect dialect = noun::dialects::github();
  EXPECT_EQ(dialect.name, "github");
  EXPECT_EQ(dialect.rate_limit.reset_form, noun::ResetForm::epoch_seconds);
  EXPECT_EQ(dialect.limited_statuses, std::vector{429});
  EXPECT_EQ(dialect.limited_if_exhausted, std::vector{403});
  EXPECT_EQ(dialect.paging.style, noun::PagingStyle::link_header);
  EXPECT_EQ(dialect.request_id_headers, std::vector<std::string>{"X-GitHub-Request-Id"});
}

TEST(Dialects, one_is_made_from_the_plain_one_by_naming_what_differs) {
  const Dialect dialect{.name = "mine", .limited_statuses = {420}};
  EXPECT_EQ(dialect.rate_limit.limit, "X-RateLimit-Limit");
  EXPECT_EQ(dialect.limited_statuses, std::vector{420});
}

}  // namespace
}  // namespace vocabulary_test
