// Tests of the exit statuses.
#include "export_end.hpp"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace export_test { namespace export_end_test {

using noun::Errc;
using noun_export::Ending;
using noun_export::ending_of;

TEST(ExportEnd, has_a_status_for_each_end) {
  const std::pair<Ending, std::vector<Errc>> cases[] = {
      {Ending::again, {Errc::deadline_exceeded, Errc::rate_limited}},
      {Ending::denied, {Errc::unauthorized, Errc::forbidden}},
      {Ending::no_collection, {Errc::not_found}},
      {Ending::unavailable,
       {Errc::resolve, Errc::connect, Errc::send, Errc::timeout, Errc::truncated, Errc::server_error, Errc::tls,
        Errc::resource}},
      {Ending::interrupted, {Errc::cancelled}},
      {Ending::usage, {Errc::invalid_argument, Errc::credentials}},
      {Ending::data,
       {Errc::conflict, Errc::client_error, Errc::protocol, Errc::too_large, Errc::decode, Errc::no_content,
        Errc::not_modified, Errc::redirected, Errc::refused, Errc::incomplete, Errc::expired_cursor,
        Errc::operation_failed}},
  };
  int codes = 0;
  for (const auto& [ending, errors] : cases)
    for (const auto code : errors) {
      EXPECT_EQ(ending_of(noun::Error(code, "It did not work.")), ending) << to_string(code);
      ++codes;
    }
  EXPECT_EQ(codes, static_cast<int>(Errc::resource) + 1);
}

TEST(ExportEnd, the_table_has_a_line_for_each_status) {
  std::istringstream text(noun_export::endings_text());
  std::vector<int> statuses;
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 100U);
    statuses.push_back(std::stoi(line));
  }
  EXPECT_THAT(statuses, ::testing::ElementsAre(0, 64, 65, 66, 69, 74, 75, 77, 130, 143));
}

TEST(ExportEnd, advice_names_the_options_of_the_command_line) {
  const auto message = [](noun::Errc code, const char* advice) {
    return noun_export::message_of(noun::Error(code, "it failed", advice));
  };
  EXPECT_EQ(message(noun::Errc::decode, "check the path and ClientOptions::dialect.paging.items"),
            "it failed; check the path and --items");
  EXPECT_EQ(message(noun::Errc::too_large, "raise ClientOptions::limits.body, or request less"),
            "it failed; use a smaller --page-size");
  EXPECT_EQ(message(noun::Errc::server_error, "report it to the API's owner"),
            "it failed; report it to the API's owner");
  const noun::Error unsized(noun::Errc::invalid_argument, "the dialect has no parameter for ListOptions::page_size",
                            "set ClientOptions::dialect.paging.size_parameter, or leave ListOptions::page_size empty");
  EXPECT_EQ(noun_export::message_of(unsized),
            "the dialect has no parameter for --page-size; set --size-parameter, or leave --page-size empty");
  EXPECT_EQ(
      message(noun::Errc::decode, "check the path, and ClientOptions::dialect.paging.items and items_are_members"),
      "it failed; check the path, and --items");
  EXPECT_EQ(message(noun::Errc::decode,
                    "check ClientOptions::dialect.paging.items, or set items_may_be_absent beside it "
                    "if the server omits an empty list"),
            "it failed; check --items");
  EXPECT_EQ(message(noun::Errc::refused, "make a client for it if you trust it"),
            "it failed; use that origin in BASE_URL if you trust it");
  EXPECT_EQ(message(noun::Errc::deadline_exceeded, "set a later deadline, or save the bookmark and resume later"),
            "it failed; try again later, or with a longer --deadline");
  EXPECT_EQ(message(noun::Errc::invalid_argument, "use https, or set ClientOptions::credentials_over_http"),
            "it failed; use https");
  EXPECT_EQ(message(noun::Errc::too_large, "raise ClientOptions::limits.json_depth if you trust the server"),
            "it failed; request less of each item with --query, if the API can leave parts out");
  EXPECT_EQ(message(noun::Errc::resource,
                    "run fewer calls at once; a listing goes on from its bookmark, with a smaller "
                    "ListOptions::page_size"),
            "it failed; use a smaller --page-size or --concurrency");
  EXPECT_EQ(message(noun::Errc::invalid_argument, "set ClientOptions::bookmark_key to that key"),
            "it failed; set --bookmark-key-env to that key");
  for (int code = 0; code <= static_cast<int>(noun::Errc::resource); ++code) {
    const auto text = message(static_cast<noun::Errc>(code), "set ClientOptions::any, or noun::paging::SinglePage{}");
    EXPECT_EQ(text.find("::"), std::string::npos) << text;
    EXPECT_GT(text.size(), std::string("it failed; ").size());
  }
}

}  // namespace export_end_test
}  // namespace export_test
