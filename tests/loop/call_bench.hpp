#pragma once
/// @file
/// A call and its dependencies, without a client, for the tests of drivers.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <noun/testing.hpp>

#include "call/call.hpp"
#include "loop/driver.hpp"

namespace noun_test {

using namespace std::chrono_literals;

struct CallBench {
  std::shared_ptr<noun::testing::ManualClock> clock = std::make_shared<noun::testing::ManualClock>();
  std::shared_ptr<noun::QuotaLedger> ledger = noun::make_quota_ledger();
  noun::CallContext call_context = {.retry = {.jitter = 0},
                                    .budget = std::make_shared<noun::BudgetAccount>(noun::RetryBudget{}),
                                    .gate = ledger->gate("https://h.example", "me")};
  noun::DriverContext driver_context;
  noun::CallRequest request = {.url = "https://h.example/a", .attempt_timeout = 60s};

  explicit CallBench(std::shared_ptr<noun::Transport> transport = nullptr) {
    driver_context.clock = clock;
    driver_context.transport = std::move(transport);
  }
  noun::Call call() { return {call_context, request, 1, 7}; }
};

/// A transport that calls a function.
class FunctionTransport final : public noun::Transport {
 public:
  using Function = std::function<noun::Result<noun::Response>(const noun::Attempt&, const noun::StopToken&)>;
  explicit FunctionTransport(Function function) : function_(std::move(function)) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
    return function_(attempt, stop);
  }

 private:
  Function function_;
};

}  // namespace noun_test
