// Tests of many concurrent operations: order, errors among the results, and laziness.
#include <noun/operation.hpp>
#include <noun/stop.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "resource/concurrent_pages.hpp"

namespace resource_test { namespace outcomes_test {

using ::testing::ElementsAre;
using ::testing::SizeIs;

template <class Range>
std::vector<int> values_of(Range&& results) {
  std::vector<int> values;
  for (const auto& result : results) values.push_back(result ? *result : -1);
  return values;
}

static_assert(std::input_iterator<noun::Outcomes<int>::iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, noun::Outcomes<int>::iterator>);
static_assert(!std::copyable<noun::Outcomes<int>>);

TEST(GetAll, returns_results_in_the_order_of_the_ids) {
  SixMembers bench;
  // Until the first response the quota is unknown, and one request is sent at a time.
  ASSERT_TRUE(bench.numbers[1].get());
  bench.service->together = 3;
  EXPECT_THAT(values_of(bench.numbers.get_all(std::vector{6, 1, 4, 2, 5, 3}, {.in_flight = 3})),
              ElementsAre(6, 1, 4, 2, 5, 3));
  EXPECT_EQ(bench.service->max_in_flight(), 3U);
}

TEST(GetAll, returns_errors_among_the_results) {
  SixMembers bench;
  auto results = bench.numbers.get_all(std::vector<std::string>{"1", "a/b", "..", "2"});
  auto at = results.begin();
  EXPECT_EQ(**at, 1);
  EXPECT_EQ((*++at).error().code(), Errc::not_found);
  EXPECT_EQ((*++at).error().code(), Errc::invalid_argument);
  EXPECT_EQ(**++at, 2);
  EXPECT_TRUE(++at == results.end());
}

TEST(RunAll, takes_each_operation_of_a_view_when_it_starts) {
  SixMembers bench;
  int taken = 0;
  const std::vector ids{6, 1, 4, 2, 5, 3};
  const auto operations = ids | std::views::transform([&](int id) {
                            ++taken;
                            return noun::op::get(bench.numbers[id]);
                          });
  auto results = bench.api.run_all(operations, {.in_flight = 2});
  EXPECT_EQ(taken, 0);
  auto at = results.begin();
  EXPECT_EQ(**at, 6);
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(**++at, 1);
  EXPECT_EQ(taken, 3);
  EXPECT_THAT(values_of(results), ElementsAre(1, 4, 2, 5, 3)) << "from the current position";
  EXPECT_EQ(taken, 6);
}

TEST(RunAll, copies_what_a_view_refers_to) {
  SixMembers bench;
  const std::vector<noun::Operation<int>> operations(2, noun::op::get(bench.numbers[3]));
  EXPECT_THAT(values_of(bench.api.run_all(std::views::all(operations))), ElementsAre(3, 3));
  EXPECT_THAT(values_of(bench.api.run_all(operations)), ElementsAre(3, 3)) << "as they were";
}

TEST(RunAll, an_exception_of_a_view_comes_after_the_results_before_it) {
  SixMembers bench;
  const std::vector ids{1, 2, 3, 4};
  int asked = 0;
  const auto operations = ids | std::views::transform([&](int id) {
                            ++asked;
                            if (id == 3) throw std::runtime_error("no three");
                            return noun::op::get(bench.numbers[id]);
                          });
  for (const std::size_t in_flight : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    auto results = bench.api.run_all(operations, {.in_flight = in_flight});
    auto at = results.begin();
    EXPECT_EQ(**at, 1);
    EXPECT_EQ(**++at, 2);
    ++at;
    asked = 0;
    EXPECT_THROW(static_cast<void>(*at), std::runtime_error);
    EXPECT_THROW(static_cast<void>(*at), std::runtime_error) << "as often as it is read";
    EXPECT_LE(asked, 1) << "nothing after it is taken";
  }
}

TEST(RunAll, a_view_is_not_read_ahead) {
  SixMembers bench;
  std::istringstream input("6 1 4");
  auto results = bench.api.run_all(
      std::ranges::istream_view<int>(input) | std::views::transform([&](int id) { return noun::op::get(bench.numbers[id]); }),
      {.in_flight = 1});
  auto at = results.begin();
  EXPECT_EQ(**at, 6);
  int next = 0;
  input >> next;
  EXPECT_EQ(next, 1) << "it was not taken yet";
  EXPECT_EQ(**++at, 4);
}

TEST(RunAll, copies_the_operations_of_a_view_that_cannot_be_copied) {
  SixMembers bench;
  auto operations = std::vector{1, 2} | std::views::transform([&](int id) { return noun::op::get(bench.numbers[id]); });
  static_assert(!std::copyable<decltype(operations)>);
  EXPECT_THAT(values_of(bench.api.run_all(operations)), ElementsAre(1, 2));
  EXPECT_THAT(values_of(bench.api.run_all(std::move(operations))), ElementsAre(1, 2));
}

TEST(GetAll, of_no_ids_sends_nothing) {
  SixMembers bench;
  EXPECT_THAT(values_of(bench.numbers.get_all(std::vector<int>())), SizeIs(0));
  EXPECT_THAT(bench.service->requested(), SizeIs(0));
}

TEST(GetAll, sends_nothing_before_begin_and_cancels_requests_in_flight) {
  SixMembers bench;
  ASSERT_TRUE(bench.numbers[1].get());
  bench.service->at_once = {SixMembers::member(2)};
  bench.service->together = 100;
  {
    auto results = bench.numbers.get_all(std::vector{2, 3, 4}, {.in_flight = 3});
    EXPECT_THAT(bench.service->requested(), SizeIs(1));
    EXPECT_EQ(**results.begin(), 2);
    bench.service->wait_for(2);
  }
  bench.service->wait_for_cancelled(2);
  EXPECT_THAT(bench.service->requested(), SizeIs(2));
}

TEST(GetAll, treats_in_flight_0_as_1_and_refuses_too_large_values) {
  SixMembers bench;
  auto results = bench.numbers.get_all(std::vector{2, 3}, {.in_flight = static_cast<std::size_t>(-1)});
  int refused = 0;
  for (const auto& result : results) {
    expect_refused(result, "in_flight must be 0 to 1,000,000");
    ++refused;
  }
  EXPECT_EQ(refused, 2) << "each operation has a result";
  EXPECT_THAT(bench.service->requested(), SizeIs(0));
  for (const std::size_t in_flight : {std::size_t{0}, std::size_t{1'000'000}})
    EXPECT_THAT(values_of(bench.numbers.get_all(std::vector{2, 3}, {.in_flight = in_flight})), ElementsAre(2, 3));
}

TEST(GetAll, applies_the_stop_token_to_each_call) {
  SixMembers bench;
  noun::StopSource stop;
  stop.request_stop();
  for (const auto& result : bench.numbers.get_all(std::vector{1, 2}, {}, {.stop = stop.get_token()}))
    EXPECT_EQ(code_of(result), Errc::cancelled);
}

TEST(GetAll, returns_decode_errors_with_their_operation) {
  SixMembers bench;
  bench.service->page(SixMembers::member(2), R"("two")");
  auto results = bench.numbers.get_all(std::vector{2});
  expect_error(*results.begin(), Errc::decode, "GET " + SixMembers::member(2));
}

TEST(RunAll, runs_operations_of_one_type_and_keeps_their_order) {
  SixMembers bench;
  std::vector<noun::Operation<int>> operations;
  for (const int id : {3, 2, 1}) operations.push_back(noun::op::get(bench.numbers[id]));
  EXPECT_THAT(values_of(bench.api.run_all(operations, {.in_flight = 2})), ElementsAre(3, 2, 1));
}

TEST(RunAll, runs_operations_without_a_body_in_the_response) {
  SixMembers bench;
  bench.service->pages[SixMembers::member(1)] = {.status = 204};
  bench.service->pages[SixMembers::member(2)] = {.status = 409};
  std::vector<bool> done;
  for (const auto& result :
       bench.api.run_all(std::vector{noun::op::remove(bench.numbers[1]), noun::op::remove(bench.numbers[2])}))
    done.push_back(static_cast<bool>(result));
  EXPECT_THAT(done, ElementsAre(true, false));
}

/// Has nothing to download, but does not say so before the thread that made it sleeps in the multiplexer.
class LateDownload final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return sleeper_ == maker_; });
    return noun::Response{.status = 404};
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<Watched>(*this); }

 private:
  class Watched final : public noun::Multiplexer {
   public:
    explicit Watched(LateDownload& of) : of_(of) {}
    void start(Id id, const noun::Attempt&) override { started_.push_back(id); }
    void cancel(Id) override {}
    std::vector<Ended> wait(noun::Duration) override {
      std::vector<Ended> ended;
      for (const auto id : std::exchange(started_, {})) ended.push_back({id, noun::Response{.status = 204}});
      if (!ended.empty()) return ended;
      std::unique_lock lock(of_.mutex_);
      of_.sleeper_ = std::this_thread::get_id();
      of_.changed_.notify_all();
      of_.changed_.wait(lock, [this] { return std::exchange(woken_, false); });
      of_.sleeper_ = {};
      return ended;
    }
    void wake() noexcept override {
      const std::lock_guard lock(of_.mutex_);
      woken_ = true;
      of_.changed_.notify_all();
    }

   private:
    LateDownload& of_;
    std::vector<Id> started_;
    bool woken_ = false;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::thread::id maker_ = std::this_thread::get_id();
  std::thread::id sleeper_ = {};
};

TEST(RunAll, waits_for_what_ends_on_another_thread) {
  const noun::Client api("http://127.0.0.1", {.transport = std::make_shared<LateDownload>()});
  const auto download = [&] {
    for (const auto& done : api.run_all(std::vector{noun::op::download(api, {.path = "f"}, [](std::string_view) {})}))
      EXPECT_EQ(code_of(done), Errc::not_found);
  };
  download();  // the client's loop has no thread yet
  for (const auto& removed : api.run_all(std::vector{noun::op::remove(api.collection("numbers")[1])}))
    EXPECT_TRUE(removed);
  download();
}

TEST(RunAll, waits_for_a_page_that_cannot_be_fetched) {
  const noun::Client api("http://127.0.0.1", {.transport = std::make_shared<LateDownload>()});
  auto listing = api.collection<int>("numbers").list({.resume = "no bookmark"});
  for (const auto& page : api.run_all(std::vector{noun::op::next_page(listing)})) EXPECT_FALSE(page);
}

TEST(RunAll, refuses_what_an_observer_on_its_thread_would_wait_for) {
  SixMembers bench;
  std::vector<std::optional<Errc>> inside;
  std::optional<noun::Client> api;
  std::optional<noun::Outcomes<int>> outer;
  api = bench.client({.observer =
                          [&](const noun::Event& event) {
                            if (event.kind != noun::EventKind::attempt_ended || !inside.empty()) return;
                            const auto numbers = api->collection<int>("numbers");
                            inside.push_back(code_of(numbers[4].get()));
                            for (const auto& result : numbers.get_all(std::vector{5, 6}))
                              inside.push_back(code_of(result));
                            for (const auto& result : numbers.list({.prefetch = 2})) inside.push_back(code_of(result));
                            inside.push_back(code_of(api->send({.path = "x"})));
                            inside.push_back(code_of(api->download({.path = "x"}, [](std::string_view) {})));
                            inside.push_back(code_of(*outer->begin()));
                          },
                      .transport = bench.service});
  outer.emplace(api->collection<int>("numbers").get_all(std::vector{3}));
  EXPECT_THAT(values_of(api->collection<int>("numbers").get_all(std::vector{1, 2})), ElementsAre(1, 2));
  EXPECT_THAT(inside, ::testing::AllOf(::testing::SizeIs(7), ::testing::Each(Errc::refused)));
}

template <class T>
const noun::detail::VerbRequest& request_of(const noun::Operation<T>& operation) {
  return std::get<noun::detail::VerbRequest>(noun::detail::OperationAccess::request_of(operation).work);
}

TEST(Op, describes_each_verb_without_sending) {
  Bench bench;
  const auto tasks = bench.client().collection<Language>("tasks");
  const Language german_one{"deu", "German"};
  EXPECT_EQ(request_of(noun::op::get(tasks[7])).method, Method::get);
  EXPECT_EQ(request_of(noun::op::create(tasks, german_one)).method, Method::post);
  EXPECT_EQ(request_of(noun::op::replace(tasks[7], german_one)).method, Method::put);
  const auto update = noun::op::update(tasks[7], Json{{"name", "x"}});
  EXPECT_EQ(noun::detail::BodyAccess::text_of(request_of(update).body), R"({"name":"x"})");
  EXPECT_EQ(request_of(noun::op::remove(tasks[7])).method, Method::delete_);
  static_assert(std::same_as<decltype(noun::op::get(tasks[7])), noun::Operation<Language>>);
  static_assert(std::same_as<decltype(noun::op::get<Json>(tasks[7])), noun::Operation<Json>>);
  static_assert(std::same_as<decltype(noun::op::replace<void>(tasks[7], german_one)), noun::Operation<void>>);
  static_assert(std::same_as<decltype(noun::op::remove(tasks[7])), noun::Operation<void>>);
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Op, runs_like_the_verb) {
  Bench bench;
  const auto languages = bench.client().collection<Language>("languages");
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german);
  EXPECT_EQ(noun::op::get(languages["deu"]).run()->name, "German");
}

}  // namespace outcomes_test
}  // namespace resource_test
