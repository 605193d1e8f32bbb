// Exit statuses.
#include "export_end.hpp"

#include <sstream>

#include <gmock/gmock.h>

namespace export_test {
namespace export_end_test {

using noun::Errc;
using noun_export::Ending;
using noun_export::ending_of;

Ending of(Errc code) { return ending_of(noun::Error(code, "It did not work.")); }

TEST(ExportEnd, a_script_can_tell_what_to_do_next) {
  EXPECT_EQ(of(Errc::deadline_exceeded), Ending::again);
  EXPECT_EQ(of(Errc::rate_limited), Ending::again);
  for (const auto code : {Errc::unauthorized, Errc::forbidden}) EXPECT_EQ(of(code), Ending::denied);
  EXPECT_EQ(of(Errc::not_found), Ending::no_collection);
  for (const auto code : {Errc::resolve, Errc::connect, Errc::send, Errc::timeout, Errc::truncated, Errc::server_error,
                          Errc::tls, Errc::resource})
    EXPECT_EQ(of(code), Ending::unavailable) << to_string(code);
  EXPECT_EQ(of(Errc::cancelled), Ending::interrupted);
  for (const auto code : {Errc::invalid_argument, Errc::credentials}) EXPECT_EQ(of(code), Ending::usage);
  for (const auto code : {Errc::conflict, Errc::client_error, Errc::protocol, Errc::too_large, Errc::decode,
                          Errc::no_content, Errc::not_modified, Errc::redirected, Errc::policy, Errc::expired_cursor})
    EXPECT_EQ(of(code), Ending::data) << to_string(code);
}

TEST(ExportEnd, no_error_is_success) {
  for (int code = 0; code <= static_cast<int>(Errc::resource); ++code)
    EXPECT_NE(of(static_cast<Errc>(code)), Ending::done) << to_string(static_cast<Errc>(code));
}

TEST(ExportEnd, the_table_has_each_status_on_a_line) {
  std::istringstream text(noun_export::endings_text());
  std::vector<int> statuses;
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 100U);
    statuses.push_back(std::stoi(line));
  }
  EXPECT_THAT(statuses, testing::ElementsAre(0, 64, 65, 66, 69, 74, 75, 77, 130, 143));
}

}  // namespace export_end_test
}  // namespace export_test
