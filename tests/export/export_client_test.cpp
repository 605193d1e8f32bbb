// Tests of what an export asks of the client.
#include "export_client.hpp"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>
#include <noun/event.hpp>
#include <noun/time.hpp>

namespace export_test { namespace export_client_test {

using namespace std::chrono_literals;
using noun_export::position_after;

TEST(ExportClient, counts_the_deadline_once_for_the_run) {
  const noun_export::Arguments arguments{.base_url = "https://api.example.com", .path = "/items", .deadline = 1h};
  const auto source = noun_export::open_source(arguments, [](const noun::Event&) {});
  ASSERT_TRUE(source) << source.error().message();
  const auto first = list_options(arguments, *source, {}, 0, {}).deadline.from({});
  EXPECT_LT(first, noun::Instant::max());
  EXPECT_EQ(list_options(arguments, *source, {}, 0, {}).deadline.from({}), first);
  EXPECT_EQ(stream_options(arguments, *source, {}, {}).deadline.from({}), first);
}

TEST(ExportClient, reads_a_position_that_is_a_text_or_a_number) {
  EXPECT_EQ(position_after(R"({"seq":12})", "/seq"), "12");
  EXPECT_EQ(position_after(R"({"seq":"a\n"})", "/seq"), "a\n");
  for (const auto* item : {R"({"seq":null})", R"({"seq":""})", R"({"seq":"\ud800"})", R"({"seq":[1]})", "{}"})
    EXPECT_EQ(position_after(item, "/seq"), std::nullopt) << item;
}

}}  // namespace export_test::export_client_test
