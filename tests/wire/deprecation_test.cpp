// Deprecation and Sunset: dates, other texts, and links.
#include "wire/deprecation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "resource/failing_allocations.hpp"
#include "vectors.hpp"
#include "wire/http_date.hpp"

namespace noun::wire { namespace deprecation_test {

/// `since, unavailable at, link`; a missing part is a dash. "none" if nothing can be read.
std::string read(const Headers& headers) {
  const auto found = read_deprecation(headers, "https://api.example.com/v1/a?b=1", wire_test::wall_time(1'700'000'000));
  if (!found) return "none";
  const auto text = [](const auto& date) { return date ? format_rfc3339(*date) : "-"; };
  return fmt::format("{}{}, {}, {}", found->deprecated ? "" : "not ", text(found->since), text(found->unavailable_at),
                     found->link.empty() ? "-" : found->link);
}

TEST(Deprecation, is_a_structured_date) {
  EXPECT_EQ(read({{"Deprecation", "@1688169599"}}), "2023-06-30T23:59:59Z, -, -");
  EXPECT_EQ(read({{"deprecation", " @1688169599;x=1 "}}), "2023-06-30T23:59:59Z, -, -");
  EXPECT_EQ(read({{"Deprecation", "@-1"}}), "1969-12-31T23:59:59Z, -, -");
  EXPECT_EQ(read({{"Deprecation", "@999999999999999"}}), "9999-12-31T23:59:59Z, -, -");
  EXPECT_EQ(read({{"Deprecation", "@-999999999999999"}}), "0000-01-01T00:00:00Z, -, -");
}

TEST(Deprecation, is_what_its_drafts_had) {
  EXPECT_EQ(read({{"Deprecation", "Sun, 11 Nov 2018 23:59:59 GMT"}}), "2018-11-11T23:59:59Z, -, -");
  EXPECT_EQ(read({{"Deprecation", "True"}}), "-, -, -");
}

TEST(Deprecation, of_another_text_is_none) {
  for (const auto* text : {"", "false", "?0", "1688169599", "@1.5", "@1, @2", "@", "\"@1\"", "v2"})
    EXPECT_EQ(read({{"Deprecation", text}}), "none") << text;
  EXPECT_EQ(read({{"Sunset", "@1688169599"}}), "none");
  EXPECT_EQ(read({{"Link", "</why>; rel=\"deprecation\""}}), "none");
}

TEST(Deprecation, has_a_sunset_and_a_link) {
  EXPECT_EQ(read({{"Sunset", "Sun, 30 Jun 2024 23:59:59 UTC"}}), "not -, 2024-06-30T23:59:59Z, -");
  EXPECT_EQ(read({{"Deprecation", "@1688169599"},
                  {"Sunset", "Sun, 30 Jun 2024 23:59:59 UTC"},
                  {"Link", "</v1/a?b=2>; rel=next, <end>; rel=sunset"},
                  {"Link", "<//docs.example.com/why>; rel=\"help Deprecation\"; type=\"text/html\""}}),
            "2023-06-30T23:59:59Z, 2024-06-30T23:59:59Z, https://docs.example.com/why");
  EXPECT_EQ(read({{"Sunset", "Sun, 30 Jun 2024 23:59:59 GMT"}, {"Link", "<end>; rel=\"sunset\""}}),
            "not -, 2024-06-30T23:59:59Z, https://api.example.com/v1/end");
}

TEST(Deprecation, of_many_links_resolves_the_one_that_it_has) {
  const auto url = "https://api.example.com/" + std::string(8 * 1024, 'a') + "/b";
  std::string links;
  for (int i = 0; i < 200; ++i) links += "<c>; rel=\"x y z alternate\", ";
  const Headers headers = {{"Deprecation", "@1688169599"}, {"Link", links + "<why>; rel=deprecation"}};
  const auto before = resource_test::allocated_bytes();
  const auto read = read_deprecation(headers, url, wire_test::wall_time(1'700'000'000));
  EXPECT_LT(resource_test::allocated_bytes() - before, 1'000'000U);
  EXPECT_EQ(read->link, url.substr(0, url.rfind('/')) + "/why");
}

}}  // namespace noun::wire::deprecation_test
