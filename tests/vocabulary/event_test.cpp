// Tests of the texts for events and waits.
#include <noun/event.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace vocabulary_test { namespace event_test {

using noun::EventKind;
using noun::WaitReason;

template <class Enumerator>
std::set<std::string_view> texts_up_to(Enumerator last) {
  std::set<std::string_view> texts;
  for (int value = 0; value <= static_cast<int>(last); ++value) texts.insert(to_string(static_cast<Enumerator>(value)));
  return texts;
}

TEST(Event, every_kind_and_reason_has_its_own_text_and_an_unknown_value_is_a_question_mark) {
  EXPECT_EQ(texts_up_to(EventKind::notice).size(), 7U);
  EXPECT_FALSE(texts_up_to(EventKind::notice).contains("?"));
  EXPECT_EQ(to_string(EventKind::attempt_ended), "attempt_ended");
  EXPECT_EQ(to_string(EventKind::page_delivered), "page_delivered");
  EXPECT_EQ(texts_up_to(WaitReason::backoff).size(), 9U);
  EXPECT_FALSE(texts_up_to(WaitReason::backoff).contains("?"));
  EXPECT_EQ(to_string(WaitReason::quota), "the quota is used up");
  EXPECT_EQ(to_string(WaitReason::reset_probe), "one request is held back to measure when the quota resets");
  EXPECT_EQ(to_string(static_cast<EventKind>(99)), "?");
  EXPECT_EQ(to_string(static_cast<WaitReason>(99)), "?");
}

}}  // namespace vocabulary_test::event_test
