#pragma once
// Records runs on virtual time for the tests of the recorder.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "run_log.hpp"
#include "run_recorder.hpp"

namespace recorder_test {

using namespace std::chrono_literals;
namespace kit = noun::testing;

/// A file that is removed at the end of the test.
class RunFile {
 public:
  RunFile()
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + ".jsonl")) {}
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;
  ~RunFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::vector<recorder::Step> steps() const {
    std::ifstream file(path_);
    return recorder::read_steps(file);
  }

 private:
  std::filesystem::path path_;
};

/// Replaces the second and the fourth response.
inline kit::SimulatedService::Fault replaces(noun::Response second, noun::Response fourth) {
  return [=](const noun::Attempt&, std::size_t number) -> kit::SimulatedService::Outcome {
    if (number == 2) return {{second, kit::SimulatedService::When::instead}};
    if (number == 4) return {{fourth, kit::SimulatedService::When::instead}};
    return std::nullopt;
  };
}

/// Lists `items` members, ten on a page, and records the run.
inline void record_drain(const std::filesystem::path& file, kit::ServiceOptions options, int items,
                         kit::SimulatedService::Fault fault = {}) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto service = std::make_shared<kit::SimulatedService>(clock, options);
  for (int id = 1; id <= items; ++id) service->add("/tasks", std::to_string(id), noun::Json{{"id", id}});
  if (fault) service->on_request(std::move(fault));
  recorder::RunRecorder recorder(file);
  const noun::Client api{"https://api.example.com",
                         {.retry = {.jitter = 0},
                          .observer = [&](const noun::Event& event) { recorder.record(event); },
                          .transport = service,
                          .clock = clock,
                          .quota_ledger = noun::make_quota_ledger()}};
  int seen = 0;
  for (const auto& task : api.collection("tasks").list({.page_size = 10})) seen += task ? 1 : 0;
  EXPECT_EQ(seen, items);
  EXPECT_TRUE(recorder.complete());
}

}  // namespace recorder_test
