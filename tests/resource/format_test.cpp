// How fmt and GoogleTest write noun's values.
#include <noun/format.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "resource/scripted_client.hpp"

namespace resource_test {
namespace format_test {

TEST(Format, writes_enumerators_by_their_names) {
  EXPECT_EQ(fmt::format("{}", Errc::not_found), "not_found");
  EXPECT_EQ(fmt::format("{:>6}|{:<8}|", Sent::no, Method::get), "    no|GET     |");
  EXPECT_EQ(fmt::format("{}", noun::StopReason::budget), "budget");
  EXPECT_EQ(fmt::format("{}", noun::EventKind::page_delivered), "page delivered");
  EXPECT_EQ(fmt::format("{}", noun::WaitReason::backoff), "trying again after a fault");
}

TEST(Format, writes_an_error_as_its_code_and_message) {
  EXPECT_EQ(fmt::format("{}", noun::Error(Errc::timeout, "too slow")), "timeout: too slow");
}

TEST(Format, writes_a_result_as_its_value_or_its_error) {
  EXPECT_EQ(fmt::format("{}", noun::Result<int>(7)), "7");
  EXPECT_EQ(fmt::format("{}", noun::Result<void>()), "done");
  EXPECT_EQ(fmt::format("{}", noun::Result<Language>(Language{})), "a value");
  EXPECT_EQ(fmt::format("{}", noun::Result<int>(noun::Error(Errc::tls, "no"))), "tls: no");
}

TEST(Format, writes_a_json_result_as_json_text) {
  EXPECT_EQ(fmt::format("{}", noun::Result<noun::Json>(noun::Json{{"id", 7}})), R"({"id":7})");
  EXPECT_EQ(fmt::format("{}", noun::Result<noun::Json>(noun::Json("text"))), R"("text")");
  EXPECT_EQ(fmt::format("{}", noun::Result<noun::Json>(noun::Json("\xff"))), "\"\xEF\xBF\xBD\"");
}

TEST(Format, shows_results_in_tests) {
  EXPECT_EQ(::testing::PrintToString(noun::Error(Errc::timeout, "too slow")), "timeout: too slow");
  EXPECT_EQ(::testing::PrintToString(noun::Result<int>(noun::Error(Errc::timeout, "too slow"))), "timeout: too slow");
  EXPECT_EQ(::testing::PrintToString(Errc::timeout), "timeout");
  EXPECT_EQ(::testing::PrintToString(noun::EventKind::sent), "sent");
  EXPECT_EQ(::testing::PrintToString(noun::Result<int>(7)), "7");
  EXPECT_EQ(::testing::PrintToString(noun::Result<std::string>("text")), "text");
  EXPECT_EQ(::testing::PrintToString(noun::Result<noun::Json>(noun::Json{{"id", 7}})), R"({"id":7})");
  EXPECT_EQ(::testing::PrintToString(noun::Result<Language>(Language{})), "a value");
  EXPECT_EQ(::testing::PrintToString(noun::Result<void>()), "done");
}

}  // namespace format_test
}  // namespace resource_test
