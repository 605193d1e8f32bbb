// Tests of how fmt and GoogleTest write the values of noun.
#include <noun/format.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace format_test {

TEST(Format, writes_values_and_errors) {
  const noun::Error slow(Errc::timeout, "too slow");
  const auto written = [](const auto& value) {
    const auto text = fmt::format("{}", value);
    EXPECT_EQ(::testing::PrintToString(value), text);
    return text;
  };
  const std::pair<std::string, const char*> cases[] = {
      {written(Errc::not_found), "not_found"},
      {written(noun::StopReason::budget), "budget"},
      {written(noun::EventKind::page_delivered), "page_delivered"},
      {written(noun::WaitReason::backoff), "backoff after a fault"},
      {written(noun::Priority::interactive), "interactive"},
      {written(noun::WhenExhausted::fail), "fail"},
      {written(noun::Inference::full), "full"},
      {written(noun::ResetForm::http_date), "http_date"},
      {written(noun::BadItems::deliver), "deliver"},
      {written(noun::MonitorForm::url), "url"},
      {written(noun::ResultFrom::location), "location"},
      {fmt::format("{:>6}|{:<8}|", Sent::no, Method::get), "    no|GET     |"},
      {written(slow), "timeout: too slow"},
      {written(noun::Result<int>(slow)), "timeout: too slow"},
      {written(noun::Result<int>(7)), "7"},
      {written(noun::Result<std::string>("text")), "text"},
      {written(noun::Result<void>()), "done"},
      {written(noun::Result<Language>(Language{})), "a value"},
      {written(noun::Result<Json>(Json{{"id", 7}})), R"({"id":7})"},
      {written(noun::Result<Json>(Json("text"))), R"("text")"},
      {fmt::format("{}", noun::Result<Json>(Json("\xff"))), "\"\xEF\xBF\xBD\""},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(text, expected);
}

}  // namespace format_test
}  // namespace resource_test
