// The words for events and waits.
#include <noun/event.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace vocabulary_test { namespace event_test {

using noun::EventKind;
using noun::WaitReason;

template <class Enumerator>
std::set<std::string_view> words_up_to(Enumerator last) {
  std::set<std::string_view> words;
  for (int value = 0; value <= static_cast<int>(last); ++value) words.insert(to_string(static_cast<Enumerator>(value)));
  return words;
}

TEST(Event, every_kind_and_reason_has_its_own_words_and_what_is_none_is_a_question) {
  EXPECT_EQ(words_up_to(EventKind::notice).size(), 7U);
  EXPECT_FALSE(words_up_to(EventKind::notice).contains("?"));
  EXPECT_EQ(to_string(EventKind::page_delivered), "page delivered");
  EXPECT_EQ(words_up_to(WaitReason::backoff).size(), 9U);
  EXPECT_FALSE(words_up_to(WaitReason::backoff).contains("?"));
  EXPECT_EQ(to_string(WaitReason::quota), "the quota is used up");
  EXPECT_EQ(to_string(WaitReason::reset_probe), "one request is held back to measure when the quota resets");
  EXPECT_EQ(to_string(static_cast<EventKind>(99)), "?");
  EXPECT_EQ(to_string(static_cast<WaitReason>(99)), "?");
}

}}  // namespace vocabulary_test::event_test
