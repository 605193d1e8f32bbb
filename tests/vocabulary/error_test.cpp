// The error value, its names and its exception.
#include <noun/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <type_traits>

#include <noun/format.hpp>
#include <noun/http.hpp>

namespace vocabulary_test { namespace error_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Error;
using noun::ErrorDetails;
using noun::Retryable;
using noun::Sent;
using noun::StopReason;

template <class Enumerator>
std::set<std::string_view> names_up_to(Enumerator last) {
  std::set<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) names.insert(to_string(static_cast<Enumerator>(value)));
  return names;
}

TEST(Error, every_code_sent_and_reason_has_a_name_of_its_own) {
  EXPECT_EQ(names_up_to(Errc::resource).size(), 28U);
  EXPECT_FALSE(names_up_to(Errc::resource).contains("?"));
  EXPECT_EQ(to_string(Errc::invalid_argument), "invalid_argument");
  EXPECT_EQ(to_string(Errc::deadline_exceeded), "deadline_exceeded");
  EXPECT_EQ(to_string(static_cast<Errc>(99)), "?");
  EXPECT_EQ(names_up_to(Sent::answered), (std::set<std::string_view>{"no", "maybe", "answered"}));
  EXPECT_EQ(names_up_to(StopReason::cancelled),
            (std::set<std::string_view>{"permanent", "attempts", "time", "budget", "not_repeatable", "cancelled"}));
  EXPECT_EQ(to_string(static_cast<Sent>(9)), "?");
  EXPECT_EQ(to_string(static_cast<StopReason>(9)), "?");
  EXPECT_EQ(to_string(Sent::maybe), "maybe");
  EXPECT_EQ(to_string(StopReason::not_repeatable), "not_repeatable");
}

TEST(Error, one_of_your_own_has_its_code_its_message_and_nothing_else) {
  const Error error(Errc::credentials, "the vault is sealed");
  EXPECT_EQ(error.code(), Errc::credentials);
  EXPECT_EQ(error.message(), "the vault is sealed");
  EXPECT_EQ(error.sent(), Sent::no);
  EXPECT_EQ(error.stopped_because(), StopReason::permanent);
  EXPECT_EQ(error.status(), 0);
  EXPECT_EQ(error.attempts(), 0);
  EXPECT_EQ(error.elapsed(), 0s);
  EXPECT_EQ(error.retry_at(), std::nullopt);
  EXPECT_EQ(error.problem(), std::nullopt);
  EXPECT_EQ(error.response(), nullptr);
  EXPECT_EQ(error.request_id(), "");
  EXPECT_EQ(error.idempotency_key(), "");
  EXPECT_EQ(error.request().url, "");
  EXPECT_EQ(Error(Errc::send, static_cast<const char*>(nullptr)).message(), "");
  EXPECT_EQ(Error(Errc::send, "reset", Sent::maybe).sent(), Sent::maybe);
}

TEST(Error, its_message_is_the_request_what_happened_and_what_to_do) {
  const Error error(Errc::credentials, "the vault is sealed", "open it", Sent::maybe);
  EXPECT_EQ(error.what(), "the vault is sealed");
  EXPECT_EQ(error.advice(), "open it");
  EXPECT_EQ(error.message(), "the vault is sealed; open it");
  EXPECT_EQ(error.sent(), Sent::maybe);
  const noun::RequestSummary request{.method = noun::Method::put, .url = "https://h/x"};
  EXPECT_EQ(Error({.what = "gone; for good", .advice = "look", .request = request}).message(),
            "PUT https://h/x: gone; for good; look");
  EXPECT_EQ(Error({.what = "gone", .request = request}).message(), "PUT https://h/x: gone");
  EXPECT_EQ(Error({.advice = "look"}).message(), "look");
  const noun::RequestSummary long_id{.method = noun::Method::get, .url = "https://h/" + std::string(1'000'000, '7')};
  const Error cut({.what = "too long", .request = long_id});
  EXPECT_LT(cut.message().size(), 2100U);
  EXPECT_TRUE(cut.message().ends_with("777…: too long"));
  EXPECT_EQ(cut.request().url, long_id.url);
}

TEST(Error, every_part_is_what_it_was_made_of) {
  const auto response = std::make_shared<const noun::Response>(noun::Response{503, {}, "busy", {}});
  const Error error(ErrorDetails{.code = Errc::server_error,
                                 .what = "busy",
                                 .status = 503,
                                 .sent = Sent::answered,
                                 .stopped_because = StopReason::attempts,
                                 .attempts = 5,
                                 .elapsed = 15s,
                                 .retry_at = noun::WallTime(1s),
                                 .problem = noun::Problem{.title = "Busy"},
                                 .request = {.method = noun::Method::put, .url = "https://h/x", .curl = "curl"},
                                 .request_id = "r",
                                 .idempotency_key = "k",
                                 .response = response,
                                 .retryable = Retryable::once});
  EXPECT_EQ(error.status(), 503);
  EXPECT_EQ(error.stopped_because(), StopReason::attempts);
  EXPECT_EQ(error.attempts(), 5);
  EXPECT_EQ(error.elapsed(), 15s);
  EXPECT_EQ(error.retry_at(), noun::WallTime(1s));
  EXPECT_EQ(error.problem()->title, "Busy");
  EXPECT_EQ(error.problem()->type, "about:blank");
  EXPECT_EQ(error.request().method, noun::Method::put);
  EXPECT_EQ(error.request_id(), "r");
  EXPECT_EQ(error.idempotency_key(), "k");
  EXPECT_EQ(error.response(), response.get());
  EXPECT_EQ(Error(error).response(), response);
  EXPECT_EQ(error.details().retryable, Retryable::once);
}

TEST(Error, every_part_counts_when_two_are_compared) {
  const auto response = [](int status) {
    return std::make_shared<const noun::Response>(noun::Response{.status = status});
  };
  const ErrorDetails details{.response = response(404)};
  EXPECT_EQ(Error(details), Error({.response = response(404)}));
  const auto differs = [&](auto change) {
    auto other = details;
    change(other);
    return Error(other) != Error(details);
  };
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.code = Errc::send; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.what = "x"; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.advice = "x"; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.status = 1; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.sent = Sent::maybe; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.stopped_because = StopReason::time; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.attempts = 1; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.elapsed = 1s; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.retry_at.emplace(); }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.problem.emplace(); }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.request.url = "x"; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.request_id = "x"; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.idempotency_key = "x"; }));
  EXPECT_TRUE(differs([&](ErrorDetails& of) { of.response = response(410); }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.response = nullptr; }));
  EXPECT_TRUE(differs([](ErrorDetails& of) { of.retryable = Retryable::no; }));
}

TEST(Error, a_copy_is_the_same_error_and_a_moved_one_can_still_be_looked_at) {
  static_assert(std::is_nothrow_move_constructible_v<Error> && std::is_nothrow_copy_constructible_v<Error>);
  Error error(Errc::timeout, "too slow");
  const Error copy = error;
  EXPECT_EQ(&copy.details(), &error.details());
  Error moved = std::move(error);
  EXPECT_EQ(moved.message(), "too slow");
  EXPECT_EQ(error.message(), "too slow");
  moved = Error(Errc::send, "reset");
  EXPECT_EQ(moved.code(), Errc::send);
}

static_assert(std::is_same_v<decltype(std::declval<Error>().message()), std::string>, "a temporary's is the caller's");
static_assert(std::is_same_v<decltype(std::declval<Error>().what()), std::string>);
static_assert(std::is_same_v<decltype(std::declval<Error>().advice()), std::string>);
static_assert(std::is_same_v<decltype(std::declval<Error>().problem()), std::optional<noun::Problem>>);
static_assert(std::is_same_v<decltype(std::declval<Error>().request()), noun::RequestSummary>);
static_assert(std::is_same_v<decltype(std::declval<Error>().request_id()), std::string>);
static_assert(std::is_same_v<decltype(std::declval<Error>().idempotency_key()), std::string>);
static_assert(std::is_same_v<decltype(std::declval<Error>().details()), ErrorDetails>);

TEST(Error, the_exception_says_the_same) {
  try {
    noun::detail::throw_exception(Error(Errc::resolve, "no such host"));
    FAIL();
  } catch (const std::exception& exception) {
    EXPECT_STREQ(exception.what(), "no such host");
    EXPECT_EQ(dynamic_cast<const noun::Exception&>(exception).error().code(), Errc::resolve);
  }
}

TEST(Error, a_stream_is_written_code_and_message) {
  std::ostringstream out;
  out << Error(Errc::tls, "expired") << ' ' << Errc::send << ' ' << Sent::maybe << ' ' << StopReason::time;
  EXPECT_EQ(out.str(), "tls: expired send maybe time");
}

TEST(Error, fmt_and_googletest_write_code_and_message) {
  EXPECT_EQ(fmt::format("{}", Error(Errc::tls, "expired")), "tls: expired");
  EXPECT_EQ(fmt::format("{:>8}|{}|{}", Errc::tls, Sent::maybe, noun::Method::delete_), "     tls|maybe|DELETE");
  EXPECT_EQ(fmt::format("{}", noun::Result<int>(7)), "7");
  EXPECT_EQ(fmt::format("{}", noun::Result<int>(Error(Errc::tls, "expired"))), "tls: expired");
  EXPECT_EQ(fmt::format("{}", noun::Result<void>()), "done");
  EXPECT_EQ(::testing::PrintToString(Error(Errc::tls, "expired")), "tls: expired");
}

}}  // namespace vocabulary_test::error_test
