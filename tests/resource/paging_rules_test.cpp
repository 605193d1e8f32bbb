// What may stand in a dialect about paging: each rule with a value on either side, and its sentence.
#include "resource/paging_rules.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "vocabulary/paging_presets.hpp"
#include "vocabulary/presets.hpp"

namespace resource_test { namespace paging_rules_test {

using noun::PagingConvention;
using noun::PagingStyle;

std::string fault(
    PagingStyle style, const std::function<void(PagingConvention&)>& change = [](auto&) {}) {
  PagingConvention paging{.style = style};
  change(paging);
  return noun::fault_of_paging(paging).value_or("nothing");
}

TEST(PagingRules, hold_for_all_that_noun_brings) {
  EXPECT_EQ(fault(PagingStyle::automatic), "nothing");
  for (const auto& [name, convention] : noun_test::paging_presets)
    EXPECT_EQ(noun::fault_of_paging(convention), std::nullopt) << name;
  for (const auto& [name, make] : noun_test::presets)
    EXPECT_EQ(noun::fault_of_paging(make().paging), std::nullopt) << name;
}

TEST(PagingRules, a_custom_style_has_a_strategy) {
  EXPECT_EQ(fault(PagingStyle::custom), "dialect.paging.strategy must be given where the style is custom");
  EXPECT_EQ(fault(PagingStyle::custom,
                  [](auto& p) {
                    p.strategy = [](const noun::PageRequest&,
                                    const noun::PageAnswer&) -> noun::Result<std::optional<noun::PageRequest>> {
                      return std::nullopt;
                    };
                  }),
            "nothing");
}

TEST(PagingRules, what_answers_say_stands_somewhere) {
  const std::string clause =
      "dialect.paging.next_pointers or next_header must be given where answers say what comes next";
  for (const auto style : {PagingStyle::cursor, PagingStyle::next_url}) {
    EXPECT_EQ(fault(style, [](auto& p) { p.cursor_parameter = "c"; }), clause);
    EXPECT_EQ(fault(style,
                    [](auto& p) {
                      p.cursor_parameter = "c";
                      p.next_header = "X-Next";
                    }),
              "nothing");
    EXPECT_EQ(fault(style,
                    [](auto& p) {
                      p.cursor_pointer = "/c";
                      p.next_pointers = {"/next"};
                    }),
              "nothing");
  }
}

TEST(PagingRules, what_requests_say_goes_somewhere) {
  const std::string clause =
      "dialect.paging.cursor_parameter or cursor_pointer must be given where requests say what comes next";
  for (const auto style : {PagingStyle::cursor, PagingStyle::offset, PagingStyle::last_item}) {
    EXPECT_EQ(fault(style, [](auto& p) { p.next_pointers = {"/next"}; }), clause);
    for (const bool in_body : {false, true})
      EXPECT_EQ(fault(style,
                      [&](auto& p) {
                        p.next_pointers = {"/next"};
                        (in_body ? p.cursor_pointer : p.cursor_parameter) = in_body ? "/c" : "c";
                      }),
                "nothing");
  }
  EXPECT_EQ(fault(PagingStyle::page_number, [](auto& p) { p.page_parameter = ""; }),
            "dialect.paging.page_parameter must be given where pages are numbered");
  EXPECT_EQ(fault(PagingStyle::range, [](auto& p) { p.page_parameter = ""; }), "nothing");
}

TEST(PagingRules, two_parameters_that_are_used_have_two_names) {
  for (const auto style : {PagingStyle::automatic, PagingStyle::link_header, PagingStyle::page_number})
    EXPECT_EQ(fault(style, [](auto& p) { p.size_parameter = p.page_parameter; }),
              "dialect.paging.page_parameter and size_parameter must be different");
  for (const auto style : {PagingStyle::cursor, PagingStyle::offset, PagingStyle::last_item}) {
    const auto with = [&](const char* size, const char* cursor) {
      return fault(style, [&](auto& p) {
        p.next_pointers = {"/next"};
        p.size_parameter = size;
        p.cursor_parameter = cursor;
      });
    };
    EXPECT_EQ(with("limit", "limit"), "dialect.paging.cursor_parameter and size_parameter must be different");
    EXPECT_EQ(with("page", "cursor"), "nothing") << "no page is numbered";
    EXPECT_EQ(with("limit", "page"), "nothing");
  }
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.size_parameter = p.page_parameter = ""; }), "nothing");
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.size_parameter = p.cursor_parameter = "limit"; }), "nothing")
      << "there is no cursor";
}

TEST(PagingRules, every_pointer_begins_with_a_slash) {
  const std::pair<const char*, std::string PagingConvention::*> pointers[] = {
      {"items_pointer", &PagingConvention::items_pointer},
      {"cursor_pointer", &PagingConvention::cursor_pointer},
      {"key_pointer", &PagingConvention::key_pointer},
      {"more_pointer", &PagingConvention::more_pointer},
      {"total_pointer", &PagingConvention::total_pointer},
      {"page_count_pointer", &PagingConvention::page_count_pointer}};
  for (const auto& [member, pointer] : pointers) {
    const auto with = [&](const char* text) {
      return fault(PagingStyle::automatic, [&](auto& p) { p.*pointer = text; });
    };
    EXPECT_EQ(with(""), "nothing") << member;
    EXPECT_EQ(with("/a"), "nothing") << member;
    EXPECT_EQ(with("/a~0b~1c"), "nothing") << member;
    EXPECT_EQ(with("a"), "dialect.paging." + std::string(member) + " must be empty or begin with a slash (RFC 6901)");
    for (const char* text : {"/a~2", "/a~", "/~/b"})
      EXPECT_EQ(with(text), "dialect.paging." + std::string(member) +
                                " must have ~0 for a tilde and ~1 for a slash in a name (RFC 6901)");
  }
  const auto with = [](const char* text) {
    return fault(PagingStyle::automatic, [&](auto& p) { p.next_pointers = {"/a", text}; });
  };
  EXPECT_EQ(with("/b"), "nothing");
  EXPECT_EQ(with("b"), "dialect.paging.next_pointers[1] must be empty or begin with a slash (RFC 6901)");
  EXPECT_EQ(with(""), "dialect.paging.next_pointers[1] must not be empty");
}

TEST(PagingRules, every_header_is_named_by_a_token) {
  const std::pair<const char*, std::string PagingConvention::*> headers[] = {
      {"total_header", &PagingConvention::total_header},
      {"next_header", &PagingConvention::next_header},
      {"page_count_header", &PagingConvention::page_count_header}};
  for (const auto& [member, header] : headers) {
    EXPECT_EQ(fault(PagingStyle::automatic, [&](auto& p) { p.*header = "X-Any"; }), "nothing");
    EXPECT_EQ(fault(PagingStyle::automatic, [&](auto& p) { p.*header = "a b"; }),
              "dialect.paging." + std::string(member) + " must be the name of a header, not \"a b\"");
  }
}

TEST(PagingRules, numbers_and_statuses_are_in_their_ranges) {
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.first_page = -1; }),
            "dialect.paging.first_page must not be negative");
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.expired_statuses = {}; }), "nothing");
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.expired_statuses = {400, 599}; }), "nothing");
  EXPECT_EQ(fault(PagingStyle::automatic,
                  [](auto& p) {
                    p.expired_statuses = {410, 399};
                  }),
            "dialect.paging.expired_statuses must be 400 to 599, not 399");
  EXPECT_EQ(fault(PagingStyle::automatic, [](auto& p) { p.expired_statuses = {600}; }),
            "dialect.paging.expired_statuses must be 400 to 599, not 600");
}

}  // namespace paging_rules_test
}  // namespace resource_test
