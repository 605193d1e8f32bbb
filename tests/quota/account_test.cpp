// Our own requests: which are in flight, which may have been counted after which, and when each was sent.
#include "quota/account.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quota_tests { namespace account_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

void expect_sums(const Sums& sums, std::int64_t requests, std::int64_t cost) {
  EXPECT_EQ(sums.requests, requests);
  EXPECT_EQ(sums.cost, cost);
}

TEST(RequestLog, requests_are_counted_by_when_they_were_sent_and_received_and_late_ones_are_sorted_in) {
  RequestLog log;
  for (const int i : {0, 1, 2, 4, 3, 5, 6, 7, 9, 8}) log.record(begin + i * 10ms, begin + i * 10ms + 5ms);
  EXPECT_EQ(log.size(), 10);
  EXPECT_EQ(log.nth_last(2).received, begin + 85ms);
  EXPECT_EQ(log.received_since(begin + 75ms), 3);
  EXPECT_EQ(log.received_since(begin + 75ms + 1ns), 2);
  EXPECT_EQ(log.within(begin + 20ms, begin + 75ms), 5) << "sent after 20 ms, received by 75 ms";
  EXPECT_EQ(log.within(begin + 20ms - 1ns, begin + 75ms - 1ns), 5);
}

TEST(RequestLog, keeps_the_limit_and_what_may_be_in_flight) {
  for (const auto& [limit, more] :
       {std::pair{std::int64_t{0}, 64}, {std::int64_t{10}, 8}, {std::int64_t{100}, 25}, {std::int64_t{1} << 40, 64}}) {
    SCOPED_TRACE(limit);
    RequestLog log;
    log.keep(limit);
    for (int i = 0; i < 50'000; ++i) log.record(begin + i * 1ms, begin + i * 1ms);
    const std::int64_t kept = std::min(limit, RequestLog::most_kept);
    EXPECT_GE(log.size(), kept + more - 1);
    EXPECT_LE(log.size(), 2 * kept + more) << "the oldest group holds more";
    EXPECT_EQ(log.nth_last(1).received, begin + 49'999ms);
  }
}

TEST(RequestLog, a_negative_limit_keeps_what_may_be_in_flight) {
  RequestLog log;
  log.keep(-1'000'000);
  for (int i = 0; i < 100; ++i) log.record(begin + i * 1ms, begin + i * 1ms);
  EXPECT_EQ(log.size(), 64);
}

TEST(RequestLog, groups_of_many_requests_are_conservative) {
  RequestLog log;
  log.keep(1000);
  std::vector<RequestLog::Group> all;
  for (int i = 0; i < 1000; ++i) {
    const Instant sent = begin + i * 10ms + i * i % 7 * 1ms;
    all.push_back({sent, sent + 5ms + i % 11 * 4ms, 1});
    log.record(all.back().sent, all.back().received);
  }
  std::ranges::stable_sort(all, {}, &RequestLog::Group::received);
  ASSERT_EQ(log.size(), 1000);
  std::int64_t inexact = 0;
  for (std::int64_t n = 1; n <= 1000; ++n) {
    SCOPED_TRACE(n);
    const auto& [sent, received, requests] = all[static_cast<std::size_t>(1000 - n)];
    const auto& group = log.nth_last(n);
    ASSERT_LE(group.sent, sent);
    ASSERT_GE(group.received, received);
    ASSERT_LE(log.received_since(received),
              std::ranges::count_if(all, [&, since = received](const auto& one) { return one.received >= since; }));
    ASSERT_LE(log.within(sent, sent + 3s), std::ranges::count_if(all, [&, from = sent](const auto& one) {
                return one.sent > from && one.received <= from + 3s;
              }));
    inexact += group.requests > 1;
  }
  EXPECT_GT(inexact, 500);
}

TEST(Account, what_was_sent_is_in_flight_until_it_is_finished) {
  Account account;
  const auto first = account.send({.at = begin, .route = 7, .cost = 2});
  const auto second = account.send({.at = begin + 1ms, .cost = 3});
  EXPECT_EQ(first.at, begin);
  EXPECT_EQ(first.route, 7U);
  EXPECT_EQ(second.before, 1);
  expect_sums(account.sent(), 2, 5);
  expect_sums(account.in_flight(), 2, 5);
  account.finish(first);
  account.record(first, Outcome::served, begin + 5ms);
  expect_sums(account.in_flight(), 1, 3);
  expect_sums(account.served(), 1, 2);
  account.unsend(second);
  expect_sums(account.in_flight(), 0, 0);
  expect_sums(account.sent(), 1, 2);
  expect_sums(account.send({.at = begin + 9ms}).served, 1, 2);
}

TEST(Account, each_outcome_is_counted_where_the_server_may_have_counted_it) {
  using Case = std::tuple<Outcome, int, int>;
  for (const auto& [outcome, served, logged] :
       {Case{Outcome::served, 1, 1}, Case{Outcome::rejected, 0, 0}, Case{Outcome::lost, 0, 1}}) {
    Account account;
    const auto sending = account.send({.at = begin});
    account.finish(sending);
    account.record(sending, outcome, begin + 5ms);
    expect_sums(account.served(), served, served);
    EXPECT_EQ(account.log().size(), logged);
    expect_sums(account.in_flight(), 0, 0);
  }
}

TEST(Account, requests_in_flight_or_sent_since_may_be_counted_after_a_request_and_all_after_an_adopted_one) {
  Account account;
  const auto done = account.send({.at = begin, .cost = 5});
  account.finish(done);
  account.record(done, Outcome::served, begin + 1ms);
  const auto in_flight = account.send({.at = begin + 2ms, .cost = 2});
  const auto sending = account.send({.at = begin + 3ms});
  account.finish(in_flight);
  account.record(in_flight, Outcome::served, begin + 4ms);
  account.send({.at = begin + 5ms, .cost = 10});
  account.finish(sending);
  account.record(sending, Outcome::served, begin + 6ms);
  expect_sums(account.perhaps_after(sending), 2, 12);

  account.expect(1);
  expect_sums(account.in_flight(), 1, 11);
  account.expect(-1);
  const auto adopted = account.adopt({.at = begin - 1s, .route = 7}, 2);
  EXPECT_TRUE(adopted.elsewhere);
  expect_sums(account.in_flight(), 2, 12);
  account.finish(adopted);
  account.record(adopted, Outcome::served, begin + 2ms);
  expect_sums(account.perhaps_after(adopted), 4, 18);
}

}  // namespace account_test
}  // namespace quota_tests
