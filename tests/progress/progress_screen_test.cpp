// Tests of what is printed to standard error.
#include "progress_screen.hpp"

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>

namespace progress_test { namespace progress_screen_test {

using namespace std::chrono_literals;
using progress::Screen;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string printed(Screen::Style style, const std::function<void(Screen&)>& run) {
  ::testing::internal::CaptureStderr();
  {
    Screen screen(style);
    run(screen);
  }
  return ::testing::internal::GetCapturedStderr();
}

void an_eventful_run(Screen& screen) {
  screen.observe({.kind = noun::EventKind::notice, .note = "The reset is far."});
  screen.observe({.kind = noun::EventKind::notice, .note = "The reset is far."});
  for (std::uint64_t call = 1; call <= 3; ++call)
    screen.observe({.kind = noun::EventKind::holding, .call = call, .reason = noun::WaitReason::quota, .wait = 1h});
  screen.progress(5, 1, 10, {});
  screen.say("Half of it.");
  screen.complain("It failed.");
}

TEST(ProgressScreen, is_live_on_a_capable_terminal) {
  EXPECT_EQ(Screen::style_of(false, true, "xterm"), Screen::Style::live);
  EXPECT_EQ(Screen::style_of(false, true, "dumb"), Screen::Style::plain);
  EXPECT_EQ(Screen::style_of(false, true, ""), Screen::Style::plain);
  EXPECT_EQ(Screen::style_of(false, true, nullptr), Screen::Style::plain);
  EXPECT_EQ(Screen::style_of(false, false, "xterm"), Screen::Style::plain);
  EXPECT_EQ(Screen::style_of(true, true, "xterm"), Screen::Style::silent);
}

TEST(ProgressScreen, plain_lines_are_not_repeated) {
  // The second may change between the event and the line.
  EXPECT_THAT(printed(Screen::Style::plain, an_eventful_run),
              MatchesRegex("The reset is far.\n"
                           "waiting (1 h 00 m|59 m 59 s) for the quota, until [0-9:]+ .0 items so far.\n"
                           "Half of it.\nIt failed.\n"));
}

TEST(ProgressScreen, text_of_a_server_does_not_move_the_cursor) {
  for (const auto style : {Screen::Style::plain, Screen::Style::live}) {
    const auto text = printed(style, [](Screen& screen) {
      screen.observe({.kind = noun::EventKind::notice, .note = "a\u009b2J"});
      screen.complain(
          "b\x9b"
          "2J");
    });
    EXPECT_THAT(text, AllOf(HasSubstr("a 2J\n"), HasSubstr("b?2J\n")));
  }
}

TEST(ProgressScreen, silent_prints_only_errors) {
  EXPECT_EQ(printed(Screen::Style::silent, an_eventful_run), "It failed.\n");
}

TEST(ProgressScreen, printed_lines_stay_above_the_live_line) {
  const auto text = printed(Screen::Style::live, [](Screen& screen) {
    an_eventful_run(screen);
    screen.stop();
    screen.say("All of it.");
  });
  EXPECT_THAT(text, HasSubstr("Half of it.\n"));
  EXPECT_THAT(text, Not(HasSubstr("(0 items so far)")));
  // The live line is erased before the last line.
  EXPECT_THAT(text, MatchesRegex("(.|\n)*(\n|\r.\\[K)All of it.\n"));
}

TEST(ProgressScreen, a_narrow_terminal_has_all_columns_but_the_last) {
  const std::pair<std::size_t, std::size_t> cases[] = {{0, 0}, {1, 0}, {5, 4}, {19, 18}, {20, 17}, {80, 77}};
  for (const auto& [columns, longest] : cases) EXPECT_EQ(Screen::longest_line(columns), longest) << columns;
}

TEST(ProgressScreen, prints_nothing_before_the_first_event) {
  EXPECT_EQ(printed(Screen::Style::live, [](Screen&) {}), "");
}

}  // namespace progress_screen_test
}  // namespace progress_test
