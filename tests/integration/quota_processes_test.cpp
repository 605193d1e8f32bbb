// Tests of processes that share a quota through files: they are never rejected, one that is killed does not stop the
// others, and one that ends leaves nothing behind.
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atlas_service.hpp>
#include <noun/noun.hpp>

#include "curl/fails_with.hpp"
#include "integration/fleet_process.hpp"
#include "os/temporary_folder.hpp"

namespace quota_processes_test {

using namespace std::chrono_literals;
using integration::ChildProgram;
using integration::counts_of;
using integration::FleetCounts;
using integration::fleet_worker;
using noun_test::FailsWith;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr std::size_t requests = 25;

struct QuotaProcesses : ::testing::Test {
  std::vector<std::string> words(std::size_t count = requests) const {
    return {service.base_url(), folder.path("quotas"), "items", "languages/deu", std::to_string(count), "4", "1000"};
  }
  noun::Client client() const {
    return noun::Client(service.base_url(),
                        {.identity = "fleet", .quota_ledger = noun::file_ledger(folder.path("quotas")).value()});
  }
  static bool call(const noun::Client& api) { return api.send({.path = "languages/deu"}).has_value(); }

  noun_test::TemporaryFolder folder;
  atlas::Service service{{.limit = 20, .period = 1s, .latency = 5ms}};
};

TEST_F(QuotaProcesses, are_not_rejected) {
  ChildProgram one(fleet_worker(words()));
  ChildProgram other(fleet_worker(words()));
  FleetCounts all = counts_of(one.wait());
  all += counts_of(other.wait());
  EXPECT_EQ(all.failed, 0U) << all.first_error;
  EXPECT_EQ(all.sent, 2 * requests);
  EXPECT_EQ(service.stats().requests, 2 * requests);
  EXPECT_EQ(service.stats().rejected, 0U);
}

TEST_F(QuotaProcesses, finish_without_one_that_was_killed) {
  ChildProgram killed(fleet_worker(words(1000)));
  ChildProgram one(fleet_worker(words()));
  ChildProgram other(fleet_worker(words()));
  killed.wait_for_output("first response");
  killed.end(SIGKILL);
  FleetCounts rest = counts_of(one.wait());
  rest += counts_of(other.wait());
  EXPECT_EQ(rest.failed, 0U) << rest.first_error;
  EXPECT_EQ(rest.sent, 2 * requests);
  EXPECT_EQ(service.stats().rejected, 0U);
}

TEST_F(QuotaProcesses, leave_nothing_behind) {
  EXPECT_EQ(counts_of(ChildProgram(fleet_worker(words())).wait()).failed, 0U);
  const auto api = client();
  EXPECT_TRUE(call(api));
  EXPECT_THAT(api.quota_snapshot().holders, ElementsAre(Field(&noun::QuotaHolder::is_self, true)));
}

TEST_F(QuotaProcesses, without_a_usable_directory_fail_if_the_program_wants_that) {
  const noun::Client api(service.base_url(),
                         {.identity = "fleet",
                          .quota_ledger = noun::file_ledger(folder.path("absent/quotas"),
                                                            {.when_unavailable = noun::WhenUnavailable::fail})
                                              .value()});
  const auto result = api.send({.path = "languages/deu"});
  EXPECT_THAT(result, FailsWith(noun::Errc::resource, noun::Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("SharingOptions::when_unavailable"));
  EXPECT_EQ(service.stats().requests, 0U);
}

}  // namespace quota_processes_test
