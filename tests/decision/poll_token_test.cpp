// Tokens of long-running operations: read as they were written, and nothing else.
#include "decision/poll_token.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "wire/sealed_text.hpp"

namespace decision_test { namespace poll_token_test {

using namespace noun;
using namespace std::chrono_literals;

const PollToken token{.position = {.monitor = "https://api.example.com/v1/jobs/1?a=b",
                                   .result = "https://api.example.com/v1/reports/1",
                                   .wait = {.span = 2500ms, .is_reported = true}},
                      .base_url = "https://api.example.com/v1",
                      .next = WallTime(1'800'000'000s)};

std::optional<wire::SealFault> fault_of(std::string_view text, std::string_view key) {
  const auto read = read_poll_token(text, key);
  const auto* fault = std::get_if<wire::SealFault>(&read);
  return fault == nullptr ? std::nullopt : std::optional(*fault);
}

TEST(PollToken, is_read_as_it_was_written) {
  for (const auto* key : {"", "a key of the program"}) {
    const auto read = read_poll_token(write_poll_token(token, key) + "\r\n", key);
    const auto* same = std::get_if<PollToken>(&read);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->position, token.position);
    EXPECT_EQ(same->base_url, token.base_url);
    EXPECT_EQ(same->next, token.next);
  }
}

TEST(PollToken, has_the_longest_times) {
  auto endless = token;
  endless.position.wait.span = Duration::max();
  endless.next = WallTime::max();
  const auto read = read_poll_token(write_poll_token(endless, ""), "");
  ASSERT_TRUE(std::holds_alternative<PollToken>(read));
  const auto longest = std::chrono::floor<std::chrono::milliseconds>(Duration::max());
  EXPECT_EQ(std::get<PollToken>(read).position.wait.span, longest);
}

TEST(PollToken, is_not_read_with_another_key_or_after_a_change) {
  auto text = write_poll_token(token, "one");
  EXPECT_EQ(fault_of(text, "another"), wire::SealFault::wrong_tag);
  EXPECT_EQ(fault_of(text, ""), wire::SealFault::needs_key);
  EXPECT_EQ(fault_of(write_poll_token(token, ""), "one"), wire::SealFault::unauthenticated);
  text[text.size() / 2] ^= 1;
  EXPECT_EQ(fault_of(text, "one"), wire::SealFault::wrong_tag);
  EXPECT_EQ(fault_of("", ""), wire::SealFault::malformed);
}

TEST(PollToken, is_no_other_sealed_text) {
  EXPECT_EQ(fault_of(wire::seal("noun1", "a", ""), ""), wire::SealFault::malformed);
  for (const auto* fields : {"", "a\nb\nc\n1\n0", "a\nb\nc\n1\n0\n5\n6", "a\nb\nc\n-1\n0\n5", "a\nb\nc\nx\n0\n5",
                             "a\nb\nc\n1\nx\n5", "a\nb\nc\n1\n0\nx",
                             "a\nb\nc\n99999999999999999\n0\n5", "a\nb\nc\n1\n0\n-5"})
    EXPECT_EQ(fault_of(wire::seal("nounpoll1", fields, ""), ""), wire::SealFault::malformed) << fields;
  EXPECT_EQ(fault_of(wire::seal("nounpoll1", "a\nb\nc\n0\n0\n0", ""), ""), std::nullopt);
}

}}  // namespace decision_test::poll_token_test
