// Jobs that start a few requests before a window resets, on machines that stall. The responses of two windows look
// alike, and the gate must not take the end of the first for the end of the second.
#include <gtest/gtest.h>

#include <string>

#include "quota/quota_simulation.hpp"

namespace quota_tests { namespace quota_stall_test {

using namespace std::chrono_literals;

constexpr int beginnings = 40;

struct StallCase {
  const char* name;
  Duration period;
  Reset reset;
  std::size_t workers;
};

class StalledResets : public ::testing::TestWithParam<StallCase> {};

TEST_P(StalledResets, cost_no_rejection) {
  for (const double stalled : {0.0, 0.02, 0.1})
    for (int beginning = 0; beginning < beginnings; ++beginning) {
      ServiceSetup service;
      service.limit = 40;
      service.period = GetParam().period;
      service.reset = GetParam().reset;
      ClientSetup client;
      client.workers = GetParam().workers;
      client.requests = 200;
      client.latency = 2ms;
      client.stalled = stalled;
      client.stall = 300ms;
      client.start = 10s - beginning * 3ms + 500us;
      const auto report = simulate(service, client, static_cast<std::uint64_t>(beginning));
      EXPECT_EQ(report.served, 200);
      // Just after the reset, a window that opened with the first request is possible too, and is tried once.
      EXPECT_LE(report.rejected, beginning == 0 && service.period > 2s ? 1 : 0)
          << stalled << " stalled, beginning " << beginning;
    }
}

std::string name_of(const ::testing::TestParamInfo<StallCase>& info) {
  return std::string(info.param.name) + "_" + std::to_string(info.param.period / 1s) + "s_x" +
         std::to_string(info.param.workers);
}

std::vector<StallCase> cases() {
  std::vector<StallCase> cases;
  for (const Duration period : {1s, 2s, 5s})
    for (const std::size_t workers : {1U, 4U, 16U}) {
      cases.push_back({"seconds_up", period, Reset::seconds_up, workers});
      cases.push_back({"milliseconds", period, Reset::milliseconds, workers});
      cases.push_back({"epoch_up", period, Reset::epoch_up, workers});
    }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, StalledResets, ::testing::ValuesIn(cases()), name_of);

}  // namespace quota_stall_test
}  // namespace quota_tests
