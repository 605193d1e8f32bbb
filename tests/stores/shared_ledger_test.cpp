// Tests of the ledger of shared quotas with stores of the program, in one process: whose gate it is, what its observer
// is notified of, stores that fail, and in which order clients, ledgers and threads may end.
#include <noun/shared_quota.hpp>

#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/fails_with.hpp"
#include "joining_thread.hpp"
#include "os/in_child.hpp"
#include "sanitized.hpp"
#include "stores/memory_store.hpp"

namespace noun_test { namespace shared_ledger_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Sent;
using noun::WhenUnavailable;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* url = "https://api.example.com";

/// Reports a quota that no test exhausts.
class QuotaServer final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    noun::Response response{.status = 200, .body = "{}"};
    response.headers = {{"X-RateLimit-Limit", "100000"},
                        {"X-RateLimit-Remaining", std::to_string(remaining_--)},
                        {"X-RateLimit-Reset", "3600"}};
    return response;
  }

 private:
  std::atomic<int> remaining_ = 99'999;
};

/// A store in memory that calls a function of the test before each operation, which may block, throw, or return an
/// error.
class TestStore final : public noun::QuotaStore {
 public:
  using Before = std::function<std::optional<noun::Error>()>;

  explicit TestStore(Before before, std::function<void()> at_end = [] {})
      : before_(std::move(before)), at_end_(std::move(at_end)) {}
  ~TestStore() override { at_end_(); }

  noun::Result<Stored> read(const std::string& key) override {
    if (auto error = before_()) return *error;
    return store_.read(key);
  }
  noun::Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version,
                                         const std::string& bytes) override {
    if (auto error = before_()) return *error;
    return store_.compare_and_swap(key, version, bytes);
  }
  noun::Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched,
                                                         noun::Instant until) override {
    return store_.wait_for_change(watched, until);
  }
  void interrupt() noexcept override { store_.interrupt(); }

 private:
  const Before before_;
  const std::function<void()> at_end_;
  noun::MemoryStore store_{
      std::make_shared<noun::MemoryStore::Shared>([] { return std::chrono::steady_clock::now().time_since_epoch(); })};
};

std::optional<noun::Error> no_error() { return std::nullopt; }
noun::Error broken() { return noun::Error(Errc::resource, "the disk is on fire", "call the fire brigade"); }

std::shared_ptr<noun::QuotaLedger> ledger_with(TestStore::Before before, const noun::SharingOptions& options = {}) {
  return noun::shared_ledger(std::make_unique<TestStore>(std::move(before)), options).value();
}

noun::Client client_with(std::shared_ptr<noun::QuotaLedger> ledger, const std::string& identity = "one") {
  return noun::Client(
      url, {.identity = identity, .transport = std::make_shared<QuotaServer>(), .quota_ledger = std::move(ledger)});
}

noun::Result<noun::Response> call(const noun::Client& api, const noun::CallOptions& options = {}) {
  return api.send({.path = "things/1"}, options);
}

/// What the observer of a ledger was notified of.
class Notices {
 public:
  std::function<void(const noun::Event&)> observer() {
    return [this](const noun::Event& event) {
      EXPECT_EQ(event.call, 0U);
      const std::lock_guard lock(mutex_);
      notes_.push_back(event.note);
      changed_.notify_all();
    };
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

TEST(SharedLedger, clients_of_one_identity_and_their_copies_share_a_gate) {
  const auto ledger = ledger_with(no_error);
  const auto one = client_with(ledger);
  const auto same = client_with(ledger);
  const auto copy = one.with({.timeouts = noun::Timeouts{.attempt = 1s}});
  const auto other = client_with(ledger, "other");
  for (const auto& api : {one, same, copy}) EXPECT_TRUE(call(api));
  EXPECT_EQ(one.quota_snapshot().sent, 3U);
  EXPECT_EQ(same.quota_snapshot().sent, 3U);
  EXPECT_EQ(copy.quota_snapshot().sent, 3U);
  EXPECT_EQ(other.quota_snapshot().sent, 0U);
  EXPECT_THAT(one.quota_snapshot().holders, SizeIs(1));
}

TEST(SharedLedger, a_quota_goes_on_after_its_clients_were_destroyed) {
  const auto ledger = ledger_with(no_error);
  EXPECT_TRUE(call(client_with(ledger)));
  const auto again = client_with(ledger);
  EXPECT_TRUE(call(again));
  EXPECT_EQ(again.quota_snapshot().limit, 100'000);
}

TEST(SharedLedger, needs_an_identity_and_the_clock_of_the_system) {
  const auto ledger = ledger_with(no_error);
  const auto nameless = noun::Client::create(url, {.quota_ledger = ledger});
  EXPECT_THAT(nameless, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_EQ(nameless.error().message(),
            "a shared quota ledger needs ClientOptions::identity, the name of the quota: nothing was sent; set "
            "ClientOptions::identity to the same text in all processes");
  const auto virtual_time = noun::Client::create(
      url, {.identity = "one", .clock = std::make_shared<noun::testing::ManualClock>(), .quota_ledger = ledger});
  EXPECT_THAT(virtual_time, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_EQ(virtual_time.error().message(),
            "a shared quota ledger needs the system's clock: nothing was sent; leave ClientOptions::clock empty");
  EXPECT_TRUE(noun::Client::create(url, {.identity = "one", .clock = noun::system_clock(), .quota_ledger = ledger}));
}

TEST(SharedLedger, its_observer_is_notified) {
  std::atomic<bool> fails = false;
  Notices notices;
  auto ledger = ledger_with([&] { return fails ? std::optional(broken()) : std::nullopt; },
                            {.observer = notices.observer()});
  {
    const auto api = client_with(std::move(ledger));
    EXPECT_TRUE(call(api));
    fails = true;
    EXPECT_TRUE(call(api));
    notices.wait_for(2);
    EXPECT_TRUE(call(api));
    fails = false;
    notices.wait_for(3);
    EXPECT_TRUE(call(api));
  }
  EXPECT_THAT(notices.wait_for(4),
              ElementsAre("this process shares the quota now",
                          StartsWith("the store of the shared quota is unavailable: the disk is on fire"),
                          "the store of the shared quota is available again",
                          "this process no longer shares the quota"));
}

TEST(SharedLedger, an_observer_that_throws_changes_nothing) {
  const auto api = client_with(
      ledger_with(no_error, {.observer = [](const noun::Event&) { throw std::runtime_error("from the observer"); }}));
  EXPECT_TRUE(call(api));
}

TEST(SharedLedger, its_observer_cannot_wait_for_a_call) {
  std::optional<noun::Client> api;
  std::promise<void> made;
  std::promise<noun::Result<noun::Response>> result;
  auto ledger = ledger_with(no_error, {.observer = [&](const noun::Event& event) {
                              if (event.note != "this process shares the quota now") return;
                              made.get_future().wait();
                              result.set_value(call(*api));
                            }});
  api.emplace(client_with(std::move(ledger)));
  made.set_value();
  EXPECT_TRUE(call(*api));
  EXPECT_THAT(result.get_future().get(), FailsWith(Errc::refused, Sent::no));
  api.reset();
}

/// What a store of the program does instead of working.
struct BrokenStore {
  const char* name;
  TestStore::Before before;
  const char* why;
};
class BrokenStores : public ::testing::TestWithParam<BrokenStore> {};
INSTANTIATE_TEST_SUITE_P(
    SharedLedger, BrokenStores,
    ::testing::Values(BrokenStore{"fails", [] { return std::optional(broken()); }, "the disk is on fire"},
                    BrokenStore{"lacks_memory", []() -> std::optional<noun::Error> { throw std::bad_alloc(); },
                                "bad_alloc"},
                    BrokenStore{"throws",
                                []() -> std::optional<noun::Error> { throw std::runtime_error("no such table"); },
                                "no such table"},
                    BrokenStore{"throws_a_number", []() -> std::optional<noun::Error> { throw 42; }, "unavailable"}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(BrokenStores, leave_calls_to_the_process_alone) {
  Notices notices;
  {
    const auto api = client_with(ledger_with(GetParam().before, {.observer = notices.observer()}));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(call(api));
  }
  EXPECT_THAT(notices.wait_for(1), ElementsAre(HasSubstr(GetParam().why)));
}

/// A store that fails unless its operations may take 200 ms.
class FarStore final : public noun::QuotaStore {
 public:
  explicit FarStore(std::vector<noun::Duration>& limits) : limits_(limits) {}

  noun::Result<Stored> read(const std::string& key) override { return is_too_far() ? broken() : store_.read(key); }
  noun::Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version,
                                         const std::string& bytes) override {
    return is_too_far() ? broken() : store_.compare_and_swap(key, version, bytes);
  }
  noun::Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched,
                                                         noun::Instant until) override {
    return store_.wait_for_change(watched, until);
  }
  void limit_operations(noun::Duration most) noexcept override { limits_.push_back(most); }
  void interrupt() noexcept override { store_.interrupt(); }

 private:
  bool is_too_far() const { return limits_.empty() || limits_.back() < 200ms; }

  std::vector<noun::Duration>& limits_;
  TestStore store_{no_error};
};

TEST(SharedLedger, operations_may_take_longer_after_a_failure) {
  std::vector<noun::Duration> limits;
  Notices notices;
  {
    const auto api =
        client_with(noun::shared_ledger(std::make_unique<FarStore>(limits), {.observer = notices.observer()}).value());
    EXPECT_TRUE(call(api));
  }
  ASSERT_FALSE(limits.empty());
  EXPECT_EQ(limits.front(), noun::SharingOptions().slow_after);
  EXPECT_EQ(notices.wait_for(1).front(), "this process shares the quota now");
}

/// A store whose operations hang for longer than a quick store's, then fail. Each wait is twice as long as the quota
/// that is due first asks for, so that the others, whose pauses are a quarter longer at most, are due with it.
class HangingStore final : public noun::QuotaStore {
 public:
  explicit HangingStore(std::promise<std::vector<std::vector<noun::Duration>>>& rounds) : done_(rounds) {}

  noun::Result<Stored> read(const std::string&) override { return hang(); }
  noun::Result<Swapped> compare_and_swap(const std::string&, std::uint64_t, const std::string&) override {
    return hang();
  }
  noun::Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>&, noun::Instant until) override {
    constexpr std::size_t enough = 3;
    if (round_.size() > 1 && rounds_.size() < enough) {
      rounds_.push_back(round_);
      if (rounds_.size() == enough) done_.set_value(rounds_);
    }
    round_.clear();
    const auto now = noun::system_clock()->now().steady;
    const auto all_are_due = until == noun::Instant::max() ? until : until + (until - now) + 10ms;
    return idle_.wait_for_change({}, all_are_due);
  }
  void limit_operations(noun::Duration most) noexcept override { limit_ = most; }
  void interrupt() noexcept override { idle_.interrupt(); }

 private:
  noun::Error hang() {
    round_.push_back(limit_);
    const auto until = std::chrono::steady_clock::now() + 2ms;
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return broken();
  }

  std::promise<std::vector<std::vector<noun::Duration>>>& done_;
  std::vector<noun::Duration> round_;                // how long each of its operations may take
  std::vector<std::vector<noun::Duration>> rounds_;  // those with more than one
  noun::Duration limit_ = {};
  TestStore idle_{no_error};
};

TEST(SharedLedger, of_a_store_that_hangs_one_quota_alone_waits_for_long) {
  std::promise<std::vector<std::vector<noun::Duration>>> rounds;
  const auto ledger = noun::shared_ledger(std::make_unique<HangingStore>(rounds), {.slow_after = 1ms}).value();
  const auto one = client_with(ledger, "one");
  const auto other = client_with(ledger, "other");
  const JoiningThread calls([&] { (void)call(one); });
  (void)call(other);
  auto measured = rounds.get_future();
  ASSERT_EQ(measured.wait_for(60s), std::future_status::ready);
  bool waited = false;
  for (const auto& round : measured.get()) {
    const auto longer = std::count_if(round.begin(), round.end(), [](noun::Duration most) { return most > 1ms; });
    EXPECT_LE(longer, 1);
    waited = waited || longer == 1;
  }
  EXPECT_TRUE(waited);
}

TEST_P(BrokenStores, fail_calls_if_the_program_wants_that) {
  const auto api = client_with(ledger_with(GetParam().before, {.when_unavailable = WhenUnavailable::fail}));
  for (int i = 0; i < 3; ++i) {
    const auto result = call(api);
    ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
    EXPECT_THAT(result.error().message(),
                AllOf(HasSubstr("the store of the shared quota is unavailable, and this process holds no permit"),
                      HasSubstr(GetParam().why),
                      HasSubstr("; fix the store, or set SharingOptions::when_unavailable to continue_alone")));
  }
}

/// A store that does not return before the test lets it.
struct Stuck {
  std::promise<void> go_on;
  std::shared_future<void> went_on = go_on.get_future().share();
  noun::Client api = client_with(ledger_with([went_on = went_on] { return went_on.wait(), no_error(); }));
};

TEST(SharedLedger, a_deadline_ends_the_wait_for_a_share) {
  Stuck stuck;
  EXPECT_THAT(call(stuck.api, {.deadline = 20ms}), FailsWith(Errc::deadline_exceeded, Sent::no));
  stuck.go_on.set_value();
  EXPECT_TRUE(call(stuck.api));
}

TEST(SharedLedger, a_stop_request_ends_the_wait_for_a_share) {
  Stuck stuck;
  noun::StopSource stop;
  std::promise<void> waits;
  const auto observed = stuck.api.with({.observer = [&](const noun::Event& event) {
    if (event.reason == noun::WaitReason::share) waits.set_value();
  }});
  const JoiningThread stopper([&] {
    waits.get_future().wait();
    stop.request_stop();
  });
  EXPECT_THAT(call(observed, {.stop = stop.get_token()}), FailsWith(Errc::cancelled, Sent::no));
  stuck.go_on.set_value();
}

TEST(SharedLedger, runs_a_thousand_calls_at_once) {
  const auto api = client_with(ledger_with(no_error));
  const std::vector operations(1000, noun::op::send(api, {.path = "things/1"}));
  int good = 0;
  for (const auto& result : api.run_all(operations, {.in_flight = 1000})) good += result ? 1 : 0;
  EXPECT_EQ(good, 1000);
  EXPECT_EQ(api.quota_snapshot().sent, 1000U);
  EXPECT_EQ(api.quota_snapshot().in_flight, 0U);
}

TEST(SharedLedger, the_last_client_may_be_destroyed_in_a_completion) {
  Notices notices;
  std::optional<noun::Client> api(client_with(ledger_with(no_error, {.observer = notices.observer()})));
  std::promise<bool> ended;
  noun::start(noun::op::send(*api, {.path = "things/1"}), {}, [&](const noun::Result<noun::Response>& response) {
    const bool good = response.has_value();
    api.reset();
    ended.set_value(good);
  });
  EXPECT_TRUE(ended.get_future().get());
  EXPECT_THAT(notices.wait_for(2), ElementsAre("this process shares the quota now",
                                               "this process no longer shares the quota"));
}

TEST(SharedLedger, the_last_client_may_be_destroyed_in_its_observer) {
  std::atomic<bool> fails = false;
  std::optional<noun::Client> api;
  std::promise<void> ended;
  auto store = std::make_unique<TestStore>([&] { return fails ? std::optional(broken()) : std::nullopt; },
                                           [&] { ended.set_value(); });
  const auto drop = [&](const noun::Event& event) {
    if (event.note.starts_with("the store of the shared quota is unavailable")) api.reset();
  };
  api.emplace(client_with(noun::shared_ledger(std::move(store), {.observer = drop}).value()));
  EXPECT_TRUE(call(*api));
  fails = true;
  ended.get_future().wait();
  EXPECT_FALSE(api);
}

TEST(SharedLedger, ends_soon_while_the_store_is_unavailable) {
  std::atomic<int> operations = 0;
  Notices notices;
  std::optional<noun::Client> api(client_with(ledger_with(
      [&] { return ++operations, std::optional(broken()); }, {.observer = notices.observer()})));
  EXPECT_TRUE(call(*api));
  notices.wait_for(1);
  const int before = operations;
  api.reset();
  EXPECT_LE(operations, before + 2);
}

TEST(SharedLedger, a_child_of_fork_may_destroy_what_it_inherited) {
  if (sanitized) GTEST_SKIP();
  auto ledger = ledger_with(no_error);
  std::optional<noun::Client> api(client_with(ledger));
  EXPECT_TRUE(call(*api));
  EXPECT_EQ(in_child([&] {
              api.reset();
              ledger.reset();
              return call(client_with(ledger_with(no_error))) ? 7 : 1;
            }),
            7);
  EXPECT_TRUE(call(*api));
}

TEST(SharedLedger, a_child_of_fork_cannot_use_what_it_inherited) {
  if (sanitized) GTEST_SKIP();
  const auto ledger = ledger_with(no_error);
  const auto api = client_with(ledger);
  EXPECT_TRUE(call(api));
  EXPECT_EQ(in_child([&] {
              const auto result = call(api);
              const auto made = noun::Client::create(url, {.identity = "one", .quota_ledger = ledger});
              const auto is_refusal = [](const noun::Error& error) {
                return error.code() == Errc::invalid_argument && error.message().find("before fork()") < 200;
              };
              return !result && is_refusal(result.error()) && !made && is_refusal(made.error()) ? 7 : 1;
            }),
            7);
}

void exit_with_a_static_client() {
  static const auto api = client_with(ledger_with(no_error, {.observer = [](const noun::Event& event) {
                                                    std::fprintf(stderr, "%s\n", event.note.c_str());
                                                  }}));
  std::exit(call(api) ? 7 : 1);
}

TEST(SharedLedgerDeathTest, a_client_that_is_destroyed_at_exit_leaves_the_quota) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_a_static_client(), ::testing::ExitedWithCode(7), "this process no longer shares the quota");
}

}}  // namespace noun_test::shared_ledger_test
