// Tests of the age and the freshness of stored responses.
#include "cache/freshness.hpp"

#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace noun_test { namespace freshness_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Headers;
using noun::cache::age_of;
using noun::cache::age_on_arrival;
using noun::cache::FieldViews;
using noun::cache::Freshness;
using noun::cache::freshness_of;
using noun::cache::StoredResponse;

/// Sun, 06 Nov 1994 08:49:37 GMT
const noun::WallTime received_at = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;

StoredResponse stored(Headers headers, Duration age = 0s) {
  // It is a view of them.
  static std::list<Headers> all;
  const auto& kept = all.emplace_back(std::move(headers));
  return {.status = 200, .headers = FieldViews::lasting(kept), .received_at = received_at, .age = age};
}

Freshness after(Duration span, const StoredResponse& response, noun::wire::CacheControl request = {}) {
  return freshness_of(response, request, received_at + std::chrono::duration_cast<noun::WallTime::duration>(span));
}

TEST(Freshness, age_on_arrival_is_what_the_response_says_and_its_way) {
  EXPECT_EQ(age_on_arrival({}, {.took = 2s}), 2s);
  EXPECT_EQ(age_on_arrival({{"Age", "60"}}, {.took = 2s}), 62s);
  EXPECT_EQ(age_on_arrival({{"Age", "60, 0"}}, {.took = 0s}), 60s);
  EXPECT_EQ(age_on_arrival({{"Age", "0"}, {"Age", "60"}}, {.took = 0s}), 0s);
  for (const auto* unreadable : {"a", "-1", "1.5", "1;a=1", ""})
    EXPECT_EQ(age_on_arrival({{"Age", unreadable}}, {.took = 2s}), 2s) << unreadable;
  EXPECT_EQ(age_on_arrival({}, {.took = -1s}), 0s);
}

TEST(Freshness, age_grows_and_is_endless_if_the_clock_was_set_back) {
  EXPECT_EQ(age_of(stored({}, 5s), received_at + 10s), 15s);
  EXPECT_EQ(age_of(stored({}), received_at - 1s), Duration::max());
  EXPECT_EQ(age_of(stored({}, Duration::max()), received_at + 1s), Duration::max());
}

TEST(Freshness, max_age_comes_before_expires) {
  const auto response = stored({{"Cache-Control", "max-age=60"}, {"Expires", "0"}});
  EXPECT_EQ(after(59s, response), Freshness::fresh);
  EXPECT_EQ(after(60s, response), Freshness::stale);
}

TEST(Freshness, expires_counts_from_the_date_of_the_response) {
  const auto response =
      stored({{"Date", "Sun, 06 Nov 1994 07:49:37 GMT"}, {"Expires", "Sun, 06 Nov 1994 07:50:37 GMT"}});
  EXPECT_EQ(after(59s, response), Freshness::fresh);
  EXPECT_EQ(after(60s, response), Freshness::stale);
  EXPECT_EQ(after(59s, stored({{"Expires", "Sun, 06 Nov 1994 08:50:37 GMT"}})), Freshness::fresh);
  EXPECT_EQ(after(0s, stored({{"Expires", "0"}})), Freshness::stale);
  EXPECT_EQ(after(59s, stored({{"Date", "now"}, {"Expires", "Sun, 06 Nov 1994 08:50:37 GMT"}})), Freshness::fresh);
  EXPECT_EQ(after(59s, stored({{"Expires", "Fri, 31 Dec 9999 23:59:59 GMT"}})), Freshness::fresh);
}

TEST(Freshness, expires_has_to_be_a_date_as_it_is_written) {
  const auto is_fresh = [](const char* expires) {
    return after(59s, stored({{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"Expires", expires}})) == Freshness::fresh;
  };
  for (const auto* date : {"Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994", "sun, 06 nov 1994 08:50:37 gmt"})
    EXPECT_TRUE(is_fresh(date)) << date;
  for (const auto* date : {"Sun, 06 Nov 1994 08:50:37 UTC", "Sun, 06 Nov 94 08:50:37 GMT", "Sun 06 Nov 1994 08:50:37 GMT",
                           "Sun, 06  Nov  1994 08:50:37 GMT", "Sun, 06-Nov-1994 08:50:37 GMT",
                           "06 Nov 1994 08:50:37 GMT", "06 Nov 94 08:50:37 GMT", "06 Nov 94 09:50:37 +0100",
                           "Sunday, 6 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-1994 08:50:37 GMT",
                           "Monday, 06-Nov-94 08:50:37 GMT", "Sun Nov 06 08:50:37 1994", "Sun Nov 6  08:50:37 1994",
                           "Sunday Nov 6 8:50:37 1994"})
    EXPECT_FALSE(is_fresh(date)) << date;
}

TEST(Freshness, lasts_for_68_years_at_most) {
  for (const auto* never :
       {"Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 2400 00:00:00 GMT", "Mon, 01 Jan 2700 00:00:00 GMT"}) {
    const auto response = stored({{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"Expires", never}});
    EXPECT_EQ(after(noun::wire::longest_delta - 1s, response), Freshness::fresh) << never;
    EXPECT_EQ(after(noun::wire::longest_delta, response), Freshness::stale) << never;
  }
  const auto dated = stored({{"Date", "Fri, 31 Dec 9999 23:59:59 GMT"}, {"Expires", "Sun, 06 Nov 1994 08:50:37 GMT"}});
  EXPECT_EQ(after(0s, dated), Freshness::stale);
}

TEST(Freshness, nothing_is_guessed) {
  EXPECT_EQ(after(0s, stored({{"Last-Modified", "Sun, 06 Nov 1990 08:49:37 GMT"}})), Freshness::stale);
}

TEST(Freshness, no_cache_is_always_asked_for) {
  EXPECT_EQ(after(0s, stored({{"Cache-Control", "no-cache, max-age=60"}})), Freshness::stale);
  EXPECT_EQ(after(0s, stored({{"Cache-Control", "max-age=60"}}), {.no_cache = true}), Freshness::stale);
}

TEST(Freshness, the_request_may_ask_for_more) {
  const auto response = stored({{"Cache-Control", "max-age=60"}});
  EXPECT_EQ(after(10s, response, {.max_age = 10s}), Freshness::fresh);
  EXPECT_EQ(after(11s, response, {.max_age = 10s}), Freshness::stale);
  EXPECT_EQ(after(50s, response, {.min_fresh = 10s}), Freshness::fresh);
  EXPECT_EQ(after(51s, response, {.min_fresh = 10s}), Freshness::stale);
  const auto revalidating = stored({{"Cache-Control", "max-age=60, stale-while-revalidate=60"}});
  EXPECT_EQ(after(61s, revalidating, {.min_fresh = 1s}), Freshness::stale);
}

TEST(Freshness, a_stale_response_is_used_as_far_as_it_says) {
  const auto response = stored({{"Cache-Control", "max-age=60, stale-while-revalidate=10, stale-if-error=20"}});
  EXPECT_EQ(after(69s, response), Freshness::stale_while_revalidating);
  EXPECT_EQ(after(70s, response), Freshness::stale_if_error);
  EXPECT_EQ(after(80s, response), Freshness::stale);
  EXPECT_EQ(after(61s, stored({{"Cache-Control", "max-age=60, stale-if-error=20, must-revalidate"}})), Freshness::stale);
}

}}  // namespace noun_test::freshness_test
