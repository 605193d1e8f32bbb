// Tests of the rules for paging in a dialect: each rule with a value on either side, and its message.
#include "resource/paging_rules.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "vocabulary/paging_presets.hpp"
#include "vocabulary/presets.hpp"

namespace resource_test { namespace paging_rules_test {

using namespace noun::paging;
using noun::Paging;

std::string fault(const Paging& paging) {
  return noun::fault_of_paging("ClientOptions::dialect.paging", paging).value_or("nothing");
}
std::string fault(Style style) { return fault(Paging{.style = std::move(style)}); }

TEST(PagingRules, accept_the_presets) {
  EXPECT_EQ(fault(Paging{}), "nothing");
  for (const auto& [name, paging] : noun_test::paging_presets) EXPECT_EQ(fault(paging), "nothing") << name;
  for (const auto& [name, make] : noun_test::presets) EXPECT_EQ(fault(make().paging), "nothing") << name;
}

TEST(PagingRules, a_strategy_is_not_empty) {
  EXPECT_EQ(fault(PageStrategy()), "ClientOptions::dialect.paging.style must not be an empty PageStrategy");
  const PageStrategy one_page = [](const PageRequest&, const PageResponse&) {
    return noun::Result<std::optional<PageRequest>>(std::nullopt);
  };
  EXPECT_EQ(fault(one_page), "nothing");
}

TEST(PagingRules, a_source_of_the_next_page_is_required) {
  const std::string clause = "ClientOptions::dialect.paging.style must have from or from_header";
  EXPECT_EQ(fault(Cursor{.parameter = "c"}), clause);
  EXPECT_EQ(fault(Cursor{.parameter = "c", .from_header = "X-Next"}), "nothing");
  EXPECT_EQ(fault(Cursor{.from = "/next", .into_body = "/c"}), "nothing");
  EXPECT_EQ(fault(NextUrl{}), clause);
  EXPECT_EQ(fault(NextUrl{.from_header = "X-Next"}), "nothing");
  EXPECT_EQ(fault(NextUrl{.from = "/next"}), "nothing");
}

TEST(PagingRules, a_destination_of_the_next_page_is_required) {
  const std::string clause = "ClientOptions::dialect.paging.style must have parameter or into_body";
  EXPECT_EQ(fault(Cursor{.from = "/next"}), clause);
  EXPECT_EQ(fault(Cursor{.parameter = "c", .from = "/next"}), "nothing");
  EXPECT_EQ(fault(Cursor{.from = "/next", .into_body = "/c"}), "nothing");
  EXPECT_EQ(fault(Offset{.parameter = ""}), clause);
  EXPECT_EQ(fault(Offset{}), "nothing");
  EXPECT_EQ(fault(Offset{.parameter = "", .into_body = "/c"}), "nothing");
  EXPECT_EQ(fault(LastItem{}), clause);
  EXPECT_EQ(fault(LastItem{.parameter = "c"}), "nothing");
  EXPECT_EQ(fault(LastItem{.into_body = "/c"}), "nothing");
  EXPECT_EQ(fault(PageNumber{.parameter = ""}),
            "ClientOptions::dialect.paging.style.parameter must be given for numbered pages");
  EXPECT_EQ(fault(Automatic{.page_parameter = ""}), "nothing");
}

TEST(PagingRules, the_size_parameter_is_not_the_page_parameter) {
  const Style styles[] = {Automatic{.page_parameter = "n"},
                          PageNumber{.parameter = "n"},
                          Offset{.parameter = "n"},
                          Cursor{.parameter = "n", .from = "/next"},
                          LastItem{.parameter = "n"}};
  for (const auto& style : styles) {
    EXPECT_EQ(fault(Paging{.style = style, .size_parameter = "n"}),
              "ClientOptions::dialect.paging.size_parameter must differ from the parameter of its style");
    EXPECT_EQ(fault(Paging{.style = style, .size_parameter = "page"}), "nothing") << "this style has no page numbers";
  }
  EXPECT_EQ(fault(Paging{.style = Automatic{.page_parameter = ""}, .size_parameter = ""}), "nothing");
  EXPECT_EQ(fault(Paging{.style = LinkHeader{}, .size_parameter = "page"}), "nothing");
}

/// A pointer at `member`, which `make` sets.
template <class Make>
void expect_pointer(const std::string& member, Make make) {
  for (const char* text : {"", "/a", "/a~0b~1c"}) EXPECT_EQ(fault(make(text)), "nothing") << member;
  EXPECT_EQ(fault(make("a")),
            "ClientOptions::dialect.paging." + member + " must be empty or begin with a slash (RFC 6901)");
  for (const char* text : {"/a~2", "/a~", "/~/b"})
    EXPECT_EQ(fault(make(text)),
              "ClientOptions::dialect.paging." + member +
                  " must write a tilde in a name as ~0 and a slash as ~1 (RFC 6901)");
}

TEST(PagingRules, json_pointers_start_with_a_slash) {
  expect_pointer("items", [](auto* text) { return Paging{.items = text}; });
  expect_pointer("end.more_pointer", [](auto* text) { return Paging{.end = {.more_pointer = text}}; });
  expect_pointer("totals.items_pointer", [](auto* text) { return Paging{.totals = {.items_pointer = text}}; });
  expect_pointer("totals.pages_pointer", [](auto* text) { return Paging{.totals = {.pages_pointer = text}}; });
  expect_pointer("style.key", [](auto* text) { return LastItem{.parameter = "c", .key = text}; });
  expect_pointer("style.into_body", [](auto* text) { return LastItem{.parameter = "c", .into_body = text}; });
  expect_pointer("style.into_body", [](auto* text) { return Offset{.into_body = text}; });
  expect_pointer("style.into_body", [](auto* text) {
    return Cursor{.parameter = "c", .from = "/next", .into_body = text};
  });
}

TEST(PagingRules, the_pointer_of_a_next_value_is_not_empty) {
  const auto expect_places = [](const std::string& member, auto make) {
    EXPECT_EQ(fault(make("/b")), "nothing");
    const auto second = "ClientOptions::dialect.paging.style." + member + "[1]";
    EXPECT_EQ(fault(make("b")), second + " must be empty or begin with a slash (RFC 6901)");
    EXPECT_EQ(fault(make("")), second + " must not be empty");
  };
  expect_places("from", [](auto* text) { return NextUrl{.from = {"/a", text}}; });
  expect_places("from", [](auto* text) { return Cursor{.parameter = "c", .from = {"/a", text}}; });
  expect_places("next", [](auto* text) { return PageNumber{.next = {"/a", text}}; });
}

TEST(PagingRules, names_of_headers_are_tokens) {
  const auto expect_header = [](const std::string& member, auto make) {
    EXPECT_EQ(fault(make("X-Any")), "nothing") << member;
    EXPECT_EQ(fault(make("a b")),
              "ClientOptions::dialect.paging." + member + " must be the name of a header, not \"a b\"");
  };
  expect_header("totals.items_header", [](auto* name) { return Paging{.totals = {.items_header = name}}; });
  expect_header("totals.pages_header", [](auto* name) { return Paging{.totals = {.pages_header = name}}; });
  expect_header("style.next_header", [](auto* name) { return PageNumber{.next_header = name}; });
  expect_header("style.next_header", [](auto* name) { return ItemRange{.next_header = name}; });
  expect_header("style.from_header", [](auto* name) { return NextUrl{.from_header = name}; });
  expect_header("style.from_header", [](auto* name) { return Cursor{.parameter = "c", .from_header = name}; });
}

TEST(PagingRules, numbers_and_statuses_have_ranges) {
  EXPECT_EQ(fault(PageNumber{.first = 0}), "nothing");
  EXPECT_EQ(fault(PageNumber{.first = -1}), "ClientOptions::dialect.paging.style.first must not be negative");
  EXPECT_EQ(fault(Paging{.expired_statuses = {}}), "nothing");
  EXPECT_EQ(fault(Paging{.expired_statuses = {400, 599}}), "nothing");
  const std::string clause = "ClientOptions::dialect.paging.expired_statuses must be 400 to 599, not ";
  EXPECT_EQ(fault(Paging{.expired_statuses = {410, 399}}), clause + "399");
  EXPECT_EQ(fault(Paging{.expired_statuses = {600}}), clause + "600");
}

}  // namespace paging_rules_test
}  // namespace resource_test
