// Tests of --cache: what has not changed is not sent again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <atlas_service.hpp>

#include "export/export_bench.hpp"

namespace export_test { namespace export_cache_test {

using ::testing::HasSubstr;
using ::testing::Not;

struct ExportCache : Bench {};

#ifdef NOUN_EXPORT_SQLITE

TEST_F(ExportCache, pages_that_have_not_changed_are_not_sent_again) {
  const atlas::Service service;
  const auto line = service.base_url() + " /languages --page-size 100 --max-items 500 --cache responses.db --out ";
  EXPECT_EQ(run(line + "first.jsonl"), 0) << err;
  EXPECT_THAT(err, Not(HasSubstr("had not changed")));
  EXPECT_EQ(run(line + "second.jsonl"), 0) << err;
  EXPECT_THAT(err, HasSubstr("; 5 pages had not changed and were not sent again\n"));
  EXPECT_EQ(text_of(folder / "second.jsonl"), text_of(folder / "first.jsonl"));
  EXPECT_EQ(lines_of(folder / "second.jsonl").size(), 500U);
}

TEST_F(ExportCache, a_file_that_is_no_database_is_an_error) {
  const atlas::Service service;
  put("responses.db", "not a database, but a text of more than a hundred bytes: " + std::string(100, 'x'));
  EXPECT_EQ(run(service.base_url() + " /languages --cache responses.db"), 64) << err;
  EXPECT_THAT(err, HasSubstr("responses.db"));
  EXPECT_EQ(service.stats().requests, 0U);
}

#else

TEST_F(ExportCache, without_sqlite_is_an_error) {
  EXPECT_EQ(run("https://127.0.0.1:1 /items --cache responses.db"), 64) << err;
  EXPECT_THAT(err, HasSubstr("-DNOUN_SQLITE=ON"));
}

#endif

}}  // namespace export_test::export_cache_test
