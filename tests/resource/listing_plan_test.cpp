// Tests of plans: the rest of a listing, its time under the quota, and deadlines that cannot be met.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace resource_test { namespace listing_plan_test {

using namespace std::chrono_literals;
using noun::Errc;

/// A thousand numbers in a hundred pages; ten requests a minute.
class Plan : public ::testing::Test {
 protected:
  std::shared_ptr<noun::testing::ManualClock> clock = std::make_shared<noun::testing::ManualClock>();
  std::shared_ptr<noun::testing::SimulatedService> service = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 10, .period = 60s, .latency = 100ms});
  noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};

  Plan() {
    for (int i = 0; i < 1000; ++i) service->add("/numbers", std::to_string(i), i);
  }
  noun::Listing<int> list(noun::ListOptions options = {}) {
    options.page_size = 10;
    return api.collection<int>("numbers").list(std::move(options));
  }
  static void take_pages(noun::Listing<int>& listing, int pages) {
    for (auto& page : listing.pages()) {
      ASSERT_TRUE(page) << page.error().message();
      if (--pages == 0) break;
    }
  }
};

TEST_F(Plan, of_a_listing_before_begin_is_unknown) {
  const auto plan = list().plan();
  EXPECT_FALSE(plan.pages || plan.windows || plan.estimate || plan.finish);
  EXPECT_EQ(service->requests(), 0U) << "it sends nothing";
}

TEST_F(Plan, counts_the_remaining_pages_and_their_windows) {
  auto listing = list();
  take_pages(listing, 1);
  auto plan = listing.plan();
  EXPECT_EQ(plan.pages, 99U);
  EXPECT_EQ(plan.windows, 9U) << "nine requests are left in this window, and ten in each further one";
  EXPECT_FALSE(plan.estimate) << "the length of a window is unknown after one window";
  take_pages(listing, 10);
  plan = listing.plan();
  EXPECT_EQ(plan.pages, 89U);
  EXPECT_EQ(plan.windows, 8U);
  ASSERT_TRUE(plan.estimate);
  EXPECT_GT(*plan.estimate, 7 * 60s);
  EXPECT_LE(*plan.estimate, 8 * 60s + 1s);
  EXPECT_EQ(*plan.finish, api.now().wall + *plan.estimate);
}

TEST_F(Plan, is_accurate) {
  auto listing = list();
  take_pages(listing, 11);
  const auto plan = listing.plan();
  const auto began = api.now().steady;
  while (listing.plan().pages != 0U) take_pages(listing, 1);
  const auto took = api.now().steady - began;
  EXPECT_NEAR(std::chrono::duration<double>(took).count(), std::chrono::duration<double>(*plan.estimate).count(), 2);
}

TEST_F(Plan, within_the_window_takes_as_long_as_its_pages) {
  auto listing = list({.max_items = 50});
  take_pages(listing, 2);
  const auto plan = listing.plan();
  EXPECT_EQ(plan.pages, 3U);
  EXPECT_EQ(plan.windows, 0U);
  EXPECT_EQ(plan.estimate, 300ms);
}

/// Pages that take a second each, and failures that take no time.
class SlowPages final : public noun::Transport {
 public:
  explicit SlowPages(std::shared_ptr<noun::testing::ManualClock> clock) : clock_(std::move(clock)) {}
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    if (fails) return noun::Response{.status = 403};
    clock_->advance(1s);
    ++page_;
    return noun::Response{.status = 200,
                          .headers = {{"X-RateLimit-Limit", "5000"},
                                      {"X-RateLimit-Remaining", "4000"},
                                      {"X-RateLimit-Reset", "3600"},
                                      {"Link", "<?page=" + std::to_string(page_ + 1) + ">; rel=\"next\""},
                                      {"Link", "<?page=100>; rel=\"last\""}},
                          .body = "[" + std::to_string(page_) + "]"};
  }
  bool fails = false;

 private:
  std::shared_ptr<noun::testing::ManualClock> clock_;
  int page_ = 0;
};

TEST_F(Plan, ignores_failures_in_the_time_per_page) {
  const auto slow = std::make_shared<SlowPages>(clock);
  auto listing =
      noun::Client("https://api.example.com", {.transport = slow, .clock = clock}).collection<int>("numbers").list();
  take_pages(listing, 2);
  EXPECT_EQ(listing.plan().estimate, 98s);
  slow->fails = true;
  for (const auto& number : listing) {
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().code(), Errc::forbidden);
  }
  EXPECT_EQ(listing.plan().pages, 98U);
  EXPECT_EQ(listing.plan().estimate, 98s);
}

TEST_F(Plan, of_a_finished_listing_is_zero) {
  auto listing = list({.max_items = 20});
  take_pages(listing, 2);
  EXPECT_EQ(listing.plan().pages, 0U);
  EXPECT_EQ(listing.plan().estimate, 0s);
}

TEST_F(Plan, that_misses_the_deadline_is_an_error_at_once_and_can_be_resumed) {
  auto listing = list({.deadline = api.now().steady + 5min});
  int taken = 0;
  std::optional<noun::Error> error;
  for (auto& number : listing) {
    if (number)
      ++taken;
    else
      error = number.error();
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::deadline_exceeded);
  EXPECT_EQ(error->stopped_because(), noun::StopReason::time);
  EXPECT_NE(error->message().find("cannot end before its deadline: 89 more pages"), std::string::npos)
      << error->message();
  EXPECT_EQ(taken, 110) << "the length of a window is known after two windows";
  auto rest = list({.resume = listing.bookmark()});
  int more = 0;
  for (auto& number : rest) more += number ? 1 : 0;
  EXPECT_EQ(taken + more, 1000);
}

TEST_F(Plan, that_meets_the_deadline_continues) {
  auto listing = list({.deadline = api.now().steady + 15min});
  int taken = 0;
  for (auto& number : listing) taken += number ? 1 : 0;
  EXPECT_EQ(taken, 1000);
}

}  // namespace listing_plan_test
}  // namespace resource_test
