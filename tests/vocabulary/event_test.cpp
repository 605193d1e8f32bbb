// Tests of the texts for events and waits.
#include <noun/event.hpp>

#include <gtest/gtest.h>

#include <noun/dialect.hpp>
#include <noun/quota.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

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
  EXPECT_EQ(texts_up_to(EventKind::notice).size(), 11U);
  EXPECT_FALSE(texts_up_to(EventKind::notice).contains("?"));
  EXPECT_EQ(to_string(EventKind::attempt_ended), "attempt_ended");
  EXPECT_EQ(to_string(EventKind::page_delivered), "page_delivered");
  EXPECT_EQ(texts_up_to(WaitReason::same_request).size(), 11U);
  EXPECT_FALSE(texts_up_to(WaitReason::same_request).contains("?"));
  EXPECT_EQ(to_string(WaitReason::quota), "the quota is used up");
  EXPECT_EQ(to_string(WaitReason::reset_probe), "one request is held back to measure when the quota resets");
  EXPECT_EQ(to_string(static_cast<EventKind>(99)), "?");
  EXPECT_EQ(to_string(static_cast<WaitReason>(99)), "?");
}

TEST(WaitReason, every_one_has_an_identifier) {
  std::set<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(WaitReason::same_request); ++value) {
    const auto name = noun::name_of(static_cast<WaitReason>(value));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 11U);
  EXPECT_EQ(noun::name_of(WaitReason::retry_after), "retry_after");
  EXPECT_EQ(noun::name_of(static_cast<WaitReason>(99)), "?");
}

/// What a stream is written; GoogleTest shows the same.
template <class Enumerator>
std::string written(Enumerator value) {
  std::ostringstream out;
  out << value;
  EXPECT_EQ(::testing::PrintToString(value), out.str());
  return out.str();
}

TEST(Enumerators, of_all_public_types_are_written_by_their_names) {
  const std::pair<std::string, std::string_view> cases[] = {
      {written(EventKind::page_delivered), "page_delivered"},
      {written(EventKind::polling), "polling"},
      {written(WaitReason::quota), "the quota is used up"},
      {written(noun::MonitorForm::url), "url"},
      {written(noun::MonitorForm::path), "path"},
      {written(noun::MonitorForm::id), "id"},
      {written(noun::ResultFrom::monitor), "monitor"},
      {written(noun::ResultFrom::location), "location"},
      {written(noun::Errc::operation_failed), "operation_failed"},
      {written(noun::Method::delete_), "DELETE"},
      {written(noun::Errc::not_found), "not_found"},
      {written(noun::Sent::maybe), "maybe"},
      {written(noun::StopReason::time), "time"},
      {written(noun::Retryable::by_code), "by_code"},
      {written(noun::Retryable::no), "no"},
      {written(noun::Retryable::once), "once"},
      {written(noun::Retryable::yes), "yes"},
      {written(static_cast<noun::Retryable>(99)), "?"},
      {written(noun::WhenExhausted::wait), "wait"},
      {written(noun::WhenExhausted::fail), "fail"},
      {written(noun::Priority::bulk), "bulk"},
      {written(noun::Priority::normal), "normal"},
      {written(noun::Priority::interactive), "interactive"},
      {written(noun::Inference::full), "full"},
      {written(noun::Inference::reported_only), "reported_only"},
      {written(noun::ResetForm::automatic), "automatic"},
      {written(noun::ResetForm::duration_text), "duration_text"},
      {written(static_cast<noun::Priority>(99)), "?"},
      {written(static_cast<noun::WhenExhausted>(99)), "?"},
      {written(static_cast<noun::Inference>(99)), "?"},
      {written(static_cast<noun::ResetForm>(99)), "?"},
  };
  for (const auto& [text, name] : cases) EXPECT_EQ(text, name);
  EXPECT_EQ(texts_up_to(noun::ResetForm::duration_text).size(), 8U);
}

}}  // namespace vocabulary_test::event_test
