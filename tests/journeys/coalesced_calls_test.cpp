// Identical GETs at the same time, in threads of a program and in the background.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

namespace noun_test { namespace coalesced_calls_test {

using namespace std::chrono_literals;
using noun::CacheMode;
using noun::CacheStatus;
using noun::WaitReason;

/// Counts the calls that wait for an identical one. The first request of item 1 is answered after so many.
class Crossing final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
    std::unique_lock lock(mutex_);
    ++sent;
    const bool is_first = attempt.url.ends_with("/items/1") && std::exchange(first_, false);
    changed_.notify_all();
    const auto wake = [this] { changed_.notify_all(); };
    const noun::StopCallback<decltype(wake)&> on_stop(stop, wake);
    if (is_first) changed_.wait(lock, [&] { return followers_ >= wanted || stop.stop_requested(); });
    if (stop.stop_requested()) return noun::Error(noun::Errc::cancelled, "stopped", "", noun::Sent::maybe);
    if (is_first && fails) return noun::Error(noun::Errc::send, "broken", "", noun::Sent::maybe);
    auto answer = response;
    answer.body = std::to_string(sent);
    answer.url = attempt.url;
    return answer;
  }
  void on_event(const noun::Event& event) {
    if (event.kind != noun::EventKind::holding || event.reason != WaitReason::same_request) return;
    const std::lock_guard lock(mutex_);
    ++followers_;
    changed_.notify_all();
  }
  void wait_for_sent(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sent >= count; });
  }
  void wait_for_followers(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return followers_ >= count; });
  }

  noun::Response response{.status = 200, .headers = {{"Cache-Control", "max-age=60"}}};
  /// How many calls must follow before the first request is answered.
  int wanted = 0;
  bool fails = false;
  int sent = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int followers_ = 0;
  bool first_ = true;
};

struct CoalescedCalls : ::testing::Test {
  noun::Client client(noun::ClientOptions options = {}) {
    options.transport = crossing;
    options.cache = noun::memory_cache();
    options.cache_mode = CacheMode::rfc9111;
    options.quota.in_flight_unknown = 100;
    options.observer = [crossing = crossing](const noun::Event& event) { crossing->on_event(event); };
    return noun::Client("https://api.example.com", std::move(options));
  }
  /// Runs so many identical calls, each on its own thread.
  static std::vector<noun::Result<int>> at_once(int count, const std::function<noun::Result<int>()>& call) {
    std::vector<std::future<noun::Result<int>>> running;
    for (int index = 0; index < count; ++index) running.push_back(std::async(std::launch::async, call));
    std::vector<noun::Result<int>> results;
    for (auto& each : running) results.push_back(each.get());
    return results;
  }

  std::shared_ptr<Crossing> crossing = std::make_shared<Crossing>();
};

TEST_F(CoalescedCalls, in_threads_share_one_request) {
  crossing->wanted = 4;
  const auto item = client().collection("items")[1];
  auto leading = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_sent(1);
  for (const auto& result : at_once(4, [&] { return item.get<int>(); })) {
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(*result, 1);
  }
  EXPECT_EQ(leading.get().value(), 1);
  EXPECT_EQ(crossing->sent, 1);
}

TEST_F(CoalescedCalls, in_the_background_share_it_with_a_thread) {
  crossing->wanted = 3;
  const auto api = client();
  const auto item = api.collection("items")[1];
  auto leading = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_sent(1);
  const auto one = noun::op::get<int>(item);
  for (auto& result : api.run_all(std::vector{one, one, one})) {
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result.response()->cache, CacheStatus::fresh);
  }
  EXPECT_TRUE(leading.get());
  EXPECT_EQ(crossing->sent, 1);
}

TEST_F(CoalescedCalls, send_their_own_after_a_response_that_may_not_be_stored) {
  crossing->wanted = 2;
  crossing->response.headers = {{"Cache-Control", "no-store"}};
  const auto item = client().collection("items")[1];
  auto leading = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_sent(1);
  for (const auto& result : at_once(2, [&] { return item.get<int>(); })) EXPECT_TRUE(result);
  EXPECT_TRUE(leading.get());
  EXPECT_EQ(crossing->sent, 3);
}

TEST_F(CoalescedCalls, send_their_own_after_one_that_failed) {
  crossing->wanted = 2;
  crossing->fails = true;
  const auto item = client({.retry = {.max_attempts = 1}}).collection("items")[1];
  auto leading = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_sent(1);
  for (const auto& result : at_once(2, [&] { return item.get<int>(); })) EXPECT_TRUE(result);
  EXPECT_FALSE(leading.get());
  EXPECT_EQ(crossing->sent, 3);
}

TEST_F(CoalescedCalls, do_not_wait_for_one_that_waits) {
  crossing->wanted = 1;
  crossing->fails = true;
  const auto item = client({.retry = {.initial_backoff = 1h, .max_backoff = 1h, .give_up_after = 2h}}).collection("items")[1];
  noun::StopSource stop;
  auto leading = std::async(std::launch::async, [&] { return item.get<int>({.stop = stop.get_token()}); });
  crossing->wait_for_sent(1);
  EXPECT_EQ(item.get<int>().value(), 2);
  stop.request_stop();
  EXPECT_EQ(leading.get().error().code(), noun::Errc::cancelled);
}

TEST_F(CoalescedCalls, go_on_if_the_one_that_was_sent_is_cancelled) {
  crossing->wanted = 100;
  const auto item = client().collection("items")[1];
  noun::StopSource stop;
  auto leading = std::async(std::launch::async, [&] { return item.get<int>({.stop = stop.get_token()}); });
  crossing->wait_for_sent(1);
  auto following = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_followers(1);
  stop.request_stop();
  EXPECT_EQ(leading.get().error().code(), noun::Errc::cancelled);
  EXPECT_EQ(following.get().value(), 2);
}

TEST_F(CoalescedCalls, that_follow_obey_their_own_deadline_and_stop) {
  crossing->wanted = 100;
  const auto item = client().collection("items")[1];
  noun::StopSource stop;
  auto leading = std::async(std::launch::async, [&] { return item.get<int>({.stop = stop.get_token()}); });
  crossing->wait_for_sent(1);
  EXPECT_EQ(item.get<int>({.deadline = 10ms}).error().code(), noun::Errc::deadline_exceeded);
  noun::StopSource own;
  auto stopped = std::async(std::launch::async, [&] { return item.get<int>({.stop = own.get_token()}); });
  crossing->wait_for_followers(2);
  own.request_stop();
  EXPECT_EQ(stopped.get().error().code(), noun::Errc::cancelled);
  stop.request_stop();
  EXPECT_FALSE(leading.get());
  EXPECT_EQ(crossing->sent, 1);
}

/// Each of these must not wait for the one in flight.
TEST_F(CoalescedCalls, that_differ_are_sent) {
  crossing->wanted = 1;
  crossing->response.headers = {{"ETag", "\"1\""}};
  const auto api = client();
  // The quota is known from then on: no call waits for the first response.
  EXPECT_TRUE(api.collection("items")[2].get<int>());
  const auto item = api.collection("items")[1];
  auto leading = std::async(std::launch::async, [&] { return item.get<int>(); });
  crossing->wait_for_sent(2);
  const std::vector<noun::CallOptions> others = {
      {.headers = {{"Accept-Language", "de"}}},
      {.query = {{"a", "b"}}},
      {.cache = noun::UseCache::off},
      {.priority = noun::Priority::interactive},
      {.cache = noun::UseCache::reload},
  };
  for (const auto& options : others)
    EXPECT_EQ(item.get<int>(options).response()->cache,
              options.cache == noun::UseCache::off ? CacheStatus::none : CacheStatus::stored);
  EXPECT_TRUE(item.replace<noun::Json>(noun::Json(1)));
  EXPECT_TRUE(item.get<int>()) << "a read after a write does not get what was requested before it";
  EXPECT_EQ(crossing->sent, 4 + static_cast<int>(others.size()));
  crossing->on_event({.kind = noun::EventKind::holding, .reason = WaitReason::same_request});
  EXPECT_EQ(leading.get().value_or(0), crossing->sent);
}

}}  // namespace noun_test::coalesced_calls_test
