// The three forms of HTTP-date, deviations that servers send, and RFC 3339.
#include "wire/http_date.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire { namespace http_date_test {

using namespace std::literals;

using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using wire_test::noon;
using wire_test::wall_time;

/// The example of RFC 9110: 1994-11-06 08:49:37.
constexpr sys_seconds example{784111777s};

std::optional<sys_seconds> read(std::string_view text, WallTime now = noon) { return parse_http_date(text, now); }

TEST(HttpDate, the_three_forms_and_common_deviations_are_the_same_instant) {
  for (const auto* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 10:49:37 +02:00", "Sun, 06 Nov 1994 03:19:37 -0530",
        "Sun, 06-Nov-1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37\t", "Sunday Nov 6 08:49:37 1994",
        "Sun,  06  Nov  1994  08:49:37  GMT"})
    EXPECT_EQ(read(text), example) << text;
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:60 GMT"), example + 23s) << "a leap second is the next minute";
}

TEST(HttpDate, a_leap_day_is_read_in_leap_years_only) {
  for (const auto* text : {"Thu, 29 Feb 2024 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"})
    EXPECT_TRUE(read(text)) << text;
  for (const auto* text : {"Thu, 29 Feb 1900 00:00:00 GMT", "Sunday, 29-Feb-26 00:00:00 GMT"})
    EXPECT_FALSE(read(text)) << text;
}

TEST(HttpDate, a_two_digit_year_is_at_most_50_years_ahead) {
  const auto now = sys_days(2026y / 1 / 20);
  const auto end = sys_days(2099y / 12 / 31);
  struct Case {
    const char* text;
    WallTime now;
    std::chrono::year year;
  };
  for (const auto& [text, when, year] : {Case{"Sunday, 20-Jan-75 12:00:00 GMT", now, 2075y},
                                         {"Sunday, 20-Jan-76 12:00:00 GMT", now, 2076y},
                                         {"Sunday, 25-Jan-76 12:00:00 GMT", now, 1976y},
                                         {"Thursday, 20-Jan-77 12:00:00 GMT", now, 1977y},
                                         {"Friday, 01-Jan-99 12:00:00 GMT", now, 1999y},
                                         {"Friday, 01-Jan-00 00:00:00 GMT", end, 2100y},
                                         {"Friday, 01-Jan-99 00:00:00 GMT", end, 2099y}}) {
    const auto date = read(text, when);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(*date)).year(), year) << text;
  }
}

TEST(HttpDate, any_now_is_harmless) {
  for (const auto now : {WallTime::min(), WallTime::max(), WallTime{}})
    EXPECT_TRUE(read("Sunday, 06-Nov-94 08:49:37 GMT", now));
}

TEST(HttpDate, the_whole_range_of_years_is_read) {
  EXPECT_EQ(read("Fri, 31 Dec 9999 23:59:59 GMT"), sys_seconds(253402300799s));
  EXPECT_TRUE(read("Sat, 01 Jan 0000 00:00:00 GMT"));
}

TEST(HttpDate, invalid_parts_are_refused) {
  for (const auto* text :
       {"Foo, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nvo 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 10000 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 +2400", "Sun, 06 Nov 1994 08:49:37 +0060",
        "Sun, 06 Nov 1994 08:49:37 +02", "Sun, 06 Nov 1994 08:49:37 +020", "Sun, 30 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT"})
    EXPECT_EQ(read(text), std::nullopt) << text;
  for (const auto* text :
       {"Sun Nov  6 08:49:37 94", "Sun Nov 31 08:49:37 1994", "Sun Nov x 08:49:37 1994", "Sun Nov  6 25:49:37 1994"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST(HttpDate, missing_surplus_and_misplaced_parts_are_refused) {
  for (const auto text :
       {""sv, " "sv, "Sun"sv, "Sun,"sv, "Sun, "sv, "Sun, 06"sv, "Sun, 06 Nov"sv, "Sun, 06 Nov 1994"sv,
        "Sun, 06 Nov 1994 08:49 GMT"sv, "Sun, 06 Nov 1994 08:49:37 GMT x"sv, "Sun, 06 Nov 1994 08:49:37 GMT+0100"sv,
        "Sun, 06 Nov 1994 08:49:37 GMT\0"sv, "Sun, 06-Nov 1994 08:49:37 GMT"sv, "Sun, 06 Nov-1994 08:49:37 GMT"sv,
        ", 06 Nov 1994 08:49:37 GMT"sv, "1994-11-06T08:49:37Z"sv, "784111777"sv})
    EXPECT_EQ(read(text), std::nullopt) << text;
  for (const auto* text : {"Sun Nov", "Sun Nov  6 08:49:37", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov 6 1994 08:49:37",
                           "Nov 6 08:49:37 1994"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST(HttpDate, megabytes_of_nonsense_are_refused_in_linear_time) {
  for (const auto* start : {"", "Sun,", "Sun, 06 ", "Sun, 06 Nov ", "Sun, 06 Nov 1994 08:49:37 ", "Sun Nov"})
    for (const char c : {'9', 'N', ' ', ',', ':', '-', '\0', '\xFF'}) {
      std::string text = start;
      text.append(1'000'000, c) += 'x';
      EXPECT_FALSE(read(text)) << start << c;
    }
}

TEST(HttpDate, formatted_dates_have_the_fixed_form_and_four_digit_years) {
  for (const auto& [when, text] : {std::pair(example, "Sun, 06 Nov 1994 08:49:37 GMT"),
                                   {sys_seconds(0s), "Thu, 01 Jan 1970 00:00:00 GMT"},
                                   {sys_seconds(-1s), "Wed, 31 Dec 1969 23:59:59 GMT"},
                                   {sys_seconds::max(), "Fri, 31 Dec 9999 23:59:59 GMT"},
                                   {sys_seconds::min(), "Sat, 01 Jan 0000 00:00:00 GMT"}})
    EXPECT_EQ(format_http_date(when), text);
}

TEST(HttpDate, formatted_dates_are_read_back) {
  for (std::int64_t when = -62'000'000'000; when < 253'000'000'000; when += 1'234'567'891)
    EXPECT_EQ(read(format_http_date(sys_seconds(seconds(when)))), sys_seconds(seconds(when)));
}

TEST(Rfc3339, formatted_date_times_are_in_utc_and_have_four_digit_years) {
  for (const auto& [when, text] : {std::pair(example, "1994-11-06T08:49:37Z"),
                                   {sys_seconds(-1s), "1969-12-31T23:59:59Z"},
                                   {sys_seconds::max(), "9999-12-31T23:59:59Z"},
                                   {sys_seconds::min(), "0000-01-01T00:00:00Z"}})
    EXPECT_EQ(format_rfc3339(when), text);
}

TEST(Rfc3339, date_times_are_read_leniently) {
  for (const auto* text :
       {"2026-01-20T12:00:00Z", "2026-01-20t12:00:00z", "2026-01-20T13:30:00+01:30", "2026-01-20T04:00:00-0800",
        "2026-01-20T11:59:60Z", "2026-01-20T12:00Z", "2026-01-20 12:00:00", " 2026-01-20T12:00+00:00 "})
    EXPECT_EQ(parse_rfc3339(text), noon) << text;
}

TEST(Rfc3339, digits_after_the_nanosecond_round_up) {
  EXPECT_EQ(parse_rfc3339("2026-01-20T12:00:00.5Z"), noon + 500ms);
  EXPECT_EQ(parse_rfc3339("2026-01-20T12:00:00.0000000001Z"), noon + 1ns);
  EXPECT_EQ(parse_rfc3339("2026-01-20T12:00:00." + std::string(1'000'000, '9') + "Z"), noon + 1s);
}

TEST(Rfc3339, malformed_and_out_of_range_dates_are_nothing) {
  for (const auto* text : {"", "2026", "2026-01", "2026-01-20", "2026-01-20T", "2026-01-20T12",
                           "2026-01-20T12:", "2026-01-20T12:00:", "2026-01-20T12:00:0Z", "2026-01-20T12:00:00.Z"})
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
  for (const auto* text :
       {"2026-01-20T12:00:000Z", "2026-01-20T24:00:00Z", "2026-01-20T12:60:00Z", "2026-01-20T12:00:61Z",
        "2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-1-20T12:00:00Z", "2026-01-20T12:00:00X",
        "2026-01-20T12:00:00+1", "2026-01-20T12:00:00+24:00", "2026-01-20T12:00:00Zx", "2026-01-20x12:00:00Z",
        "1677-12-31T00:00:00Z", "2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "12026-01-20T12:00:00Z",
        "20260120T120000Z"})
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
}

TEST(Rfc3339, exact_date_times_go_there_and_back) {
  for (const auto& [when, text] : {std::pair<WallTime, const char*>(noon, "2026-01-20T12:00:00Z"),
                                   {noon + 20ms, "2026-01-20T12:00:00.020Z"},
                                   {noon + 1us, "2026-01-20T12:00:00.000001Z"},
                                   {noon - 1ns, "2026-01-20T11:59:59.999999999Z"}}) {
    EXPECT_EQ(format_rfc3339_exactly(when), text);
    EXPECT_EQ(parse_rfc3339_exactly(text), when) << text;
  }
  EXPECT_EQ(format_rfc3339_exactly(WallTime::min()), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(parse_rfc3339_exactly("2026-01-20t13:30:00.0000000000+01:30"), noon);
  for (const auto* text : {"2026-01-20T12:00Z", "2026-01-20 12:00:00Z", "2026-01-20T12:00:00", "2026-01-20T11:59:60Z",
                           "2026-01-20T13:00:00+0100", "2026-01-20T12:00:00.0000000001Z", " 2026-01-20T12:00:00Z",
                           "2026-01-20T12:00:00Z ", "2026-01-20T12:00:00.Z"})
    EXPECT_EQ(parse_rfc3339_exactly(text), std::nullopt) << text;
}

TEST(Rfc3339, the_ends_of_the_range_do_not_overflow) {
  EXPECT_TRUE(parse_rfc3339("1678-01-01T00:00:00+23:59"));
  EXPECT_TRUE(parse_rfc3339("2261-12-31T23:59:60.999999999-23:59"));
}

TEST(JavaScriptDate, is_read_with_its_offset_and_without_its_zones_name) {
  for (const auto* text : {"Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)",
                           "Tue Feb 16 2021 09:02:42 GMT+0100", "Tue Feb 16 2021 02:32:42 GMT-0530 ()"})
    EXPECT_EQ(parse_javascript_date(text), sys_seconds(1613462562s)) << text;
}

TEST(JavaScriptDate, is_nothing_if_malformed) {
  for (const auto* text :
       {"", "Tue", "Tue Feb 16 2021", "Tue Feb 16 2021 09:02:42", "Tue Feb 16 2021 09:02:42 GMT",
        "Tue Feb 16 2021 09:02:42 UTC+0100", "Tue Feb 16 2021 09:02:42 gmt+0100", "Tue Feb 16 2021 09:02:42 +0100",
        "Tue Feb 16 2021 09:02:42 GMT+010", "Tue Feb 16 2021 09:02:42 GMT+2400", "Tue Feb 16 2021 24:02:42 GMT+0100",
        "Tue Feb 30 2021 09:02:42 GMT+0100", "Tue Feb 6 2021 09:02:42 GMT+0100", "Tue  Feb 16 2021 09:02:42 GMT+0100",
        "Tue, Feb 16 2021 09:02:42 GMT+0100", "Foo Feb 16 2021 09:02:42 GMT+0100", "Tue Foo 16 2021 09:02:42 GMT+0100",
        "Tue Feb 16 21 09:02:42 GMT+0100", "Invalid Date"})
    EXPECT_EQ(parse_javascript_date(text), std::nullopt) << text;
  for (const auto* zone : {"CET", "(CET", "((CET))", "(C(ET)", "(CET) x"})
    EXPECT_EQ(parse_javascript_date("Tue Feb 16 2021 09:02:42 GMT+0100 "s + zone), std::nullopt) << zone;
}

}}  // namespace noun::wire::http_date_test
