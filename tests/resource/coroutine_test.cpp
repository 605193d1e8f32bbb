// Tests of operations in coroutines, with a task type of the test.
#include <noun/coroutine.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coroutine_task.hpp"
#include "resource/concurrent_pages.hpp"
#include "resource/function_queue.hpp"

namespace resource_test { namespace coroutine_test {

using noun_test::Task;
using ::testing::Each;
using ::testing::ElementsAre;

struct Queued : SixMembers {
  FunctionQueue queue;
  std::vector<int> values;
  std::vector<std::thread::id> threads;

  Task get_all(std::vector<int> ids) {
    for (const int id : ids) {
      auto value = co_await noun::async(noun::op::get(numbers[id]), queue.executor());
      threads.push_back(std::this_thread::get_id());
      values.push_back(value ? *value : -1);
    }
  }
};

TEST(Coroutine, is_resumed_on_its_executor_with_each_result) {
  Queued bench;
  const auto task = bench.get_all({3, 99, 1});
  bench.queue.run_until([&] { return task.done(); });
  EXPECT_THAT(bench.values, ElementsAre(3, -1, 1));
  EXPECT_THAT(bench.threads, Each(std::this_thread::get_id()));
}

TEST(Coroutine, is_not_resumed_inside_the_expression_that_awaits) {
  Queued bench;
  bool after = false;
  const auto wait = [](Queued& in, bool& continued) -> Task {
    auto refused = co_await noun::async(noun::op::get(in.numbers[""]), in.queue.executor());
    continued = !refused;
  };
  const auto task = wait(bench, after);
  EXPECT_FALSE(after);
  bench.queue.run_one();
  EXPECT_TRUE(after);
}

TEST(Coroutine, that_is_destroyed_cancels_its_call) {
  Queued bench;
  bench.service->together = 2;
  {
    const auto task = bench.get_all({1});
    bench.service->wait_for(1);
  }
  bench.service->wait_for_cancelled(1);
  EXPECT_TRUE(bench.values.empty());
}

TEST(Coroutine, that_is_destroyed_before_it_is_resumed_is_not_resumed) {
  Queued bench;
  std::function<void()> resume;
  {
    const auto task = bench.get_all({1});
    resume = bench.queue.take();
  }
  resume();
  EXPECT_TRUE(bench.values.empty());
}

TEST(Coroutine, reads_pages_of_a_listing) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  FunctionQueue queue;
  std::vector<int> all;
  auto listing = bench.numbers.list({.prefetch = 2});
  const auto read = [&queue, &all](noun::Listing<int>& pages) -> Task {
    for (;;) {
      auto page = co_await noun::async(noun::op::next_page(pages), queue.executor());
      if (!page.value()) co_return;
      all.insert(all.end(), (*page)->items.begin(), (*page)->items.end());
    }
  };
  const auto task = read(listing);
  queue.run_until([&] { return task.done(); });
  EXPECT_EQ(all, numbers(1, 10));
}

TEST(Coroutine, that_is_destroyed_leaves_its_listing_to_others) {
  FiveLinkedPages bench;
  FunctionQueue queue;
  auto listing = bench.numbers.list();
  ASSERT_TRUE(noun::op::next_page(listing).run());
  {
    const auto task = [](noun::Listing<int>& pages, FunctionQueue& on) -> Task {
      static_cast<void>(co_await noun::async(noun::op::next_page(pages), on.executor()));
    }(listing, queue);
    bench.pages->wait_for(1);
  }
  bench.pages->wait_for_cancelled(1);
  for (int page = 1; page <= 5; ++page) bench.pages->at_once.push_back(numbered_page(page));
  EXPECT_THAT(noun::op::next_page(listing).run().value()->items, ElementsAre(3, 4));
}

TEST(Coroutine, that_is_destroyed_before_it_is_resumed_leaves_its_page) {
  FiveLinkedPages bench;
  FunctionQueue queue;
  auto listing = bench.numbers.list();
  std::function<void()> resume;
  {
    const auto task = [](noun::Listing<int>& pages, FunctionQueue& on) -> Task {
      static_cast<void>(co_await noun::async(noun::op::next_page(pages), on.executor()));
    }(listing, queue);
    resume = queue.take();
  }
  EXPECT_THAT(noun::op::next_page(listing).run().value()->items, ElementsAre(1, 2));
}

TEST(Coroutine, without_an_executor_continues_on_noun_s_thread) {
  SixMembers bench;
  Awaited<std::thread::id> on;
  const auto read = [&](const noun::Collection<int>& of) -> Task {
    auto value = co_await noun::async(noun::op::get(of[2]));
    EXPECT_EQ(value.value(), 2);
    on.set(std::this_thread::get_id());
  };
  std::optional<Task> task = read(bench.numbers);
  EXPECT_NE(on.get(), std::this_thread::get_id());
  // The thread has left the coroutine when it runs the next completion.
  Awaited<bool> after;
  noun::start(noun::op::get(bench.numbers[1]), [&](const noun::Result<int>&) { after.set(true); });
  after.get();
}

}  // namespace coroutine_test
}  // namespace resource_test
