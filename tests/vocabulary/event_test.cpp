// The words for events and waits.
#include <noun/event.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace event_test {

using noun::EventKind;
using noun::WaitReason;

TEST(Event, every_kind_has_its_own_words) {
  std::set<std::string_view> words;
  for (int kind = 0; kind <= static_cast<int>(EventKind::notice); ++kind)
    words.insert(to_string(static_cast<EventKind>(kind)));
  EXPECT_EQ(words.size(), 7U);
  EXPECT_FALSE(words.contains("?"));
  EXPECT_EQ(to_string(EventKind::page_delivered), "page delivered");
}

TEST(Event, every_reason_has_its_own_words) {
  std::set<std::string_view> words;
  for (int reason = 0; reason <= static_cast<int>(WaitReason::backoff); ++reason)
    words.insert(to_string(static_cast<WaitReason>(reason)));
  EXPECT_EQ(words.size(), 9U);
  EXPECT_FALSE(words.contains("?"));
  EXPECT_EQ(to_string(WaitReason::quota), "nothing is left of the quota");
  EXPECT_EQ(to_string(WaitReason::learning), "a kept request will tell when the quota resets");
}

TEST(Event, what_is_no_kind_and_no_reason_is_a_question) {
  EXPECT_EQ(to_string(static_cast<EventKind>(99)), "?");
  EXPECT_EQ(to_string(static_cast<WaitReason>(99)), "?");
}

}  // namespace event_test
