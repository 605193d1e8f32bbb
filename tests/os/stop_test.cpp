// noun's own stop tokens do what the standard's do ([thread.stoptoken]).

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <noun/detail/own_stop.hpp>
#include <noun/stop.hpp>

#include "joining_thread.hpp"
#include "os/stoppable_condition.hpp"

namespace noun_test { namespace stop_test {

using namespace std::chrono_literals;
using noun::Instant;

/// noun::StopToken and its like: the standard's types where there are any.
struct Chosen {
  using Token = noun::StopToken;
  using Source = noun::StopSource;
  using None = noun::NoStopState;
  template <class F>
  using Callback = noun::StopCallback<F>;
};

struct Own {
  using Token = noun::detail::own_stop::StopToken;
  using Source = noun::detail::own_stop::StopSource;
  using None = noun::detail::own_stop::NoStopState;
  template <class F>
  using Callback = noun::detail::own_stop::StopCallback<F>;
};

template <class T>
struct Stop : testing::Test {
  using Token = typename T::Token;
  using Source = typename T::Source;
  using Function = std::function<void()>;
  using Callback = typename T::template Callback<Function>;
  static constexpr typename T::None none{};
};
using Kinds = testing::Types<Chosen, Own>;
TYPED_TEST_SUITE(Stop, Kinds);

TYPED_TEST(Stop, token_without_a_state_is_never_stopped) {
  const typename TestFixture::Token token;
  EXPECT_FALSE(token.stop_possible());
  EXPECT_FALSE(token.stop_requested());
  typename TestFixture::Source source(TestFixture::none);
  EXPECT_FALSE(source.stop_possible());
  EXPECT_FALSE(source.stop_requested());
  EXPECT_FALSE(source.request_stop());
  EXPECT_EQ(source.get_token(), token);
  bool called = false;
  { const typename TestFixture::Callback callback(token, [&] { called = true; }); }
  EXPECT_FALSE(called);
}

TEST(OwnStop, callback_deduces_the_type_of_its_function) {
  noun::detail::own_stop::StopSource source;
  bool called = false;
  const noun::detail::own_stop::StopCallback callback(source.get_token(), [&] { called = true; });
  source.request_stop();
  EXPECT_TRUE(called);
}

TYPED_TEST(Stop, only_the_first_request_returns_true) {
  typename TestFixture::Source source;
  auto copy = source;
  const auto token = source.get_token();
  EXPECT_TRUE(source.stop_possible());
  EXPECT_TRUE(token.stop_possible());
  EXPECT_FALSE(token.stop_requested());
  EXPECT_TRUE(copy.request_stop());
  EXPECT_FALSE(source.request_stop());
  EXPECT_TRUE(source.stop_requested());
  EXPECT_TRUE(token.stop_requested());
}

TYPED_TEST(Stop, is_possible_while_there_is_a_source_or_after_a_request) {
  std::optional<typename TestFixture::Source> source(std::in_place);
  const auto token = source->get_token();
  auto copy = *source;
  source.reset();
  EXPECT_TRUE(token.stop_possible());
  auto moved = std::move(copy);
  EXPECT_TRUE(token.stop_possible());
  typename TestFixture::Source other;
  const auto requested = other.get_token();
  other.request_stop();
  moved = other;
  EXPECT_FALSE(token.stop_possible());
  moved = typename TestFixture::Source(TestFixture::none);
  other = std::move(moved);
  EXPECT_FALSE(other.stop_possible());
  EXPECT_TRUE(requested.stop_possible());
}

TYPED_TEST(Stop, tokens_and_sources_of_one_state_are_equal) {
  typename TestFixture::Source one;
  typename TestFixture::Source two;
  const auto copy = one;
  EXPECT_EQ(one, copy);
  EXPECT_NE(one, two);
  EXPECT_EQ(one.get_token(), copy.get_token());
  EXPECT_NE(one.get_token(), two.get_token());
  EXPECT_EQ(typename TestFixture::Token(), typename TestFixture::Token());
  swap(one, two);
  EXPECT_EQ(two, copy);
  one.swap(two);
  EXPECT_EQ(one, copy);
  auto a = one.get_token();
  auto b = two.get_token();
  swap(a, b);
  EXPECT_EQ(b, copy.get_token());
  a.swap(b);
  EXPECT_EQ(a, copy.get_token());
}

TYPED_TEST(Stop, request_calls_each_callback_once_on_its_thread) {
  typename TestFixture::Source source;
  std::vector<std::thread::id> calls;
  const auto record = [&] { calls.push_back(std::this_thread::get_id()); };
  const typename TestFixture::Callback first(source.get_token(), record);
  { const typename TestFixture::Callback gone(source.get_token(), record); }
  const typename TestFixture::Callback second(source.get_token(), record);
  std::thread::id requester;
  JoiningThread([&] {
    requester = std::this_thread::get_id();
    source.request_stop();
    source.request_stop();
  }).join();
  EXPECT_EQ(calls, std::vector(2, requester));
}

TYPED_TEST(Stop, callback_after_the_request_is_called_at_once) {
  typename TestFixture::Source source;
  source.request_stop();
  bool called = false;
  const typename TestFixture::Callback callback(source.get_token(), [&] { called = true; });
  EXPECT_TRUE(called);
}

TYPED_TEST(Stop, request_returns_false_while_another_one_calls) {
  typename TestFixture::Source source;
  std::optional<bool> inside;
  bool requested = false;
  const typename TestFixture::Callback callback(source.get_token(), [&] {
    requested = source.stop_requested();
    inside = source.request_stop();
  });
  EXPECT_TRUE(source.request_stop());
  EXPECT_TRUE(requested);
  EXPECT_EQ(inside, false);
}

TYPED_TEST(Stop, callback_may_register_and_remove_others) {
  typename TestFixture::Source source;
  std::optional<typename TestFixture::Callback> added;
  std::optional<typename TestFixture::Callback> first;
  std::optional<typename TestFixture::Callback> last;
  int called = 0;
  bool added_called = false;
  // Whichever is called first removes the other.
  const auto remove = [&](auto& other) {
    ++called;
    other.reset();
    added.emplace(source.get_token(), [&] { added_called = true; });
  };
  first.emplace(source.get_token(), [&] { remove(last); });
  last.emplace(source.get_token(), [&] { remove(first); });
  source.request_stop();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(added_called);
}

TYPED_TEST(Stop, callback_may_destroy_itself_and_the_source) {
  auto source = std::make_unique<typename TestFixture::Source>();
  const auto token = source->get_token();
  std::optional<typename TestFixture::Callback> callback;
  bool called = false;
  callback.emplace(token, [&] {
    called = true;
    source.reset();
    callback.reset();
  });
  source->request_stop();
  EXPECT_TRUE(called);
  EXPECT_TRUE(token.stop_requested());
}

TYPED_TEST(Stop, destructor_of_a_callback_waits_while_it_runs_elsewhere) {
  for (int round = 0; round < 20; ++round) {
    typename TestFixture::Source source;
    std::atomic<bool> entered = false;
    std::atomic<bool> ended = false;
    std::optional<typename TestFixture::Callback> callback;
    callback.emplace(source.get_token(), [&] {
      entered = true;
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      ended = true;
    });
    const JoiningThread requester([&] { source.request_stop(); });
    while (!entered) std::this_thread::yield();
    callback.reset();
    EXPECT_TRUE(ended);
  }
}

TYPED_TEST(Stop, callbacks_come_and_go_while_a_stop_is_requested) {
  for (int round = 0; round < 200; ++round) {
    typename TestFixture::Source source;
    std::atomic<int> calls = 0;
    std::atomic<int> ready = 0;
    int registered = 0;
    {
      std::vector<JoiningThread> threads;
      for (int i = 0; i < 2; ++i)
        threads.emplace_back([&, token = source.get_token()] {
          ++ready;
          while (!token.stop_requested()) const typename TestFixture::Callback callback(token, [&] { ++calls; });
        });
      while (ready < 2) std::this_thread::yield();
      const typename TestFixture::Callback stays(source.get_token(), [&] { ++registered; });
      source.request_stop();
    }
    EXPECT_EQ(registered, 1);
    EXPECT_LE(calls, 2);
  }
}

template <class T>
constexpr bool is_like_the_standard_s() {
  using Token = typename T::Token;
  using Source = typename T::Source;
  using Callback = typename T::template Callback<std::function<void()>>;
  static_assert(std::is_nothrow_copy_constructible_v<Token> && std::is_nothrow_move_constructible_v<Token>);
  static_assert(std::is_nothrow_copy_assignable_v<Token> && std::is_nothrow_move_assignable_v<Token>);
  static_assert(std::is_nothrow_copy_constructible_v<Source> && std::is_nothrow_move_constructible_v<Source>);
  static_assert(std::is_copy_assignable_v<Source> && std::is_move_assignable_v<Source>);
  static_assert(!std::is_convertible_v<typename T::None, Source>);
  static_assert(!std::is_copy_constructible_v<Callback> && !std::is_move_constructible_v<Callback>);
  static_assert(!std::is_constructible_v<Callback, Token, int>);
  return std::is_same_v<typename Callback::callback_type, std::function<void()>>;
}
static_assert(is_like_the_standard_s<Chosen>() && is_like_the_standard_s<Own>());

template <class T>
struct StopDeathTest : Stop<T> {};
TYPED_TEST_SUITE(StopDeathTest, Kinds);

TYPED_TEST(StopDeathTest, exception_of_a_callback_ends_the_program) {
  typename TestFixture::Source source;
  const typename TestFixture::Callback callback(source.get_token(), [] { throw 1; });
  EXPECT_DEATH(source.request_stop(), "");
  EXPECT_DEATH(
      {
        typename TestFixture::Source stopped;
        stopped.request_stop();
        const typename TestFixture::Callback at_once(stopped.get_token(), [] { throw 1; });
      },
      "");
}

TEST(StoppableCondition, wait_ends_when_notified_stopped_or_late) {
  noun::StoppableCondition changed;
  std::mutex mutex;
  bool ready = false;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(changed.wait_until(lock, {}, std::chrono::steady_clock::now() + 1ms, [&] { return ready; }));
  EXPECT_FALSE(changed.wait_until(lock, {}, Instant::min(), [&] { return ready; }));
  noun::StopSource stopped;
  stopped.request_stop();
  EXPECT_FALSE(changed.wait_until(lock, stopped.get_token(), Instant::max(), [&] { return ready; }));

  noun::StopSource source;
  {
    const JoiningThread stopper([&] { source.request_stop(); });
    EXPECT_FALSE(changed.wait_until(lock, source.get_token(), Instant::max(), [&] { return ready; }));
  }
  JoiningThread partner([&] {
    const std::lock_guard hold(mutex);
    ready = true;
    changed.notify_one();
  });
  EXPECT_TRUE(changed.wait_until(lock, noun::StopSource().get_token(), Instant::max(), [&] { return ready; }));
  lock.unlock();
}

}}  // namespace noun_test::stop_test
