// Tests of the saved state of a gate: loaded at any moment of any scenario, the gate makes the same decisions. The
// state stays small.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "laboratory/cell.hpp"
#include "laboratory/gate_contender.hpp"

namespace laboratory { namespace gate_state_test {

using namespace std::chrono_literals;

/// A gate whose state is saved and loaded at random moments.
class Reloaded final : public Contender {
 public:
  Reloaded(std::uint64_t seed, std::size_t& largest) : random_(seed), largest_(largest) {}

  std::optional<Instant> acquire(std::size_t worker, Now now, std::size_t route) override {
    reload(now);
    return contender_.acquire(worker, now, route);
  }
  Retry on_response(const Response& response) override {
    reload(response.received);
    return contender_.on_response(response);
  }
  bool overtaken(std::size_t worker) const override { return contender_.overtaken(worker); }

 private:
  void reload(Now now) {
    if (random_() % 5 != 0) return;
    const auto bytes = gate_->save(now.steady);
    largest_ = std::max(largest_, bytes.size());
    ASSERT_TRUE(gate_->load(bytes, now.steady, noun::quota::Gate::InFlight::is_ours));
    ASSERT_TRUE(gate_->save(now.steady) == bytes);
  }

  std::mt19937_64 random_;
  std::size_t& largest_;
  std::shared_ptr<noun::quota::Gate> gate_ = std::make_shared<noun::quota::Gate>();
  GateContender contender_{gate_};
};

/// A gate whose state is loaded by other gates with one byte changed. They reject it, or continue without harm.
class Damaged final : public Contender {
 public:
  Damaged(std::uint64_t seed, std::size_t& taken) : random_(seed), taken_(taken) {}

  std::optional<Instant> acquire(std::size_t worker, Now now, std::size_t route) override {
    return contender_.acquire(worker, now, route);
  }
  Retry on_response(const Response& response) override {
    const auto retry = contender_.on_response(response);
    auto bytes = gate_->save(response.received.steady);
    for (int i = 0; i < 20; ++i) {
      auto& byte = bytes[static_cast<std::size_t>(random_() % bytes.size())];
      const char before = std::exchange(byte, static_cast<char>(random_() % 3 == 0 ? 0 : random_()));
      if (byte != before) continue_with(bytes, response);
      byte = before;
    }
    return retry;
  }
  bool overtaken(std::size_t worker) const override { return contender_.overtaken(worker); }

 private:
  void continue_with(const std::string& bytes, const Response& response) {
    const auto gate = std::make_shared<noun::quota::Gate>();
    if (!gate->load(bytes, response.received.steady, noun::quota::Gate::InFlight::is_lost)) return;
    ++taken_;
    GateContender other(gate);
    Now now = response.received;
    for (int i = 0; i < 3; ++i) {
      const auto until = other.acquire(0, now, 0);
      EXPECT_GE(until.value_or(now.steady), now.steady);
      if (!until)
        other.on_response({.rejected = response.rejected, .sent = now, .received = now, .headers = response.headers});
      const noun::Duration wait = until ? std::clamp(*until - now.steady, 0ns, noun::Duration(1min)) : 0ns;
      now = {now.steady + wait, now.wall + wait};
    }
  }

  std::mt19937_64 random_;
  std::size_t& taken_;
  std::shared_ptr<noun::quota::Gate> gate_ = std::make_shared<noun::quota::Gate>();
  GateContender contender_{gate_};
};

std::vector<std::string> history(Experiment experiment, const MakeContender& make_contender) {
  std::vector<std::string> lines;
  experiment.trace = [&](Duration, const std::string& line) { lines.push_back(line); };
  run(experiment, make_contender);
  return lines;
}

TEST(GateState, loaded_at_any_moment_makes_the_same_decisions) {
  std::size_t largest = 0;
  std::size_t cells = 0;
  // A prime step: all values of each dimension occur.
  const auto all = cells_with({"k1", "-5s", "n1.1/n5", "x1/x4/x16"});
  for (std::size_t i = 0; i < all.size(); i += 13) {
    SCOPED_TRACE(all[i].id());
    const auto experiment = experiment_of(all[i], {});
    const auto plain = history(experiment, [](std::size_t, const Experiment&) {
      return std::make_unique<GateContender>(std::make_shared<noun::quota::Gate>());
    });
    const auto reloaded =
        history(experiment, [&](std::size_t, const Experiment&) { return std::make_unique<Reloaded>(i, largest); });
    ASSERT_TRUE(plain == reloaded);
    ++cells;
  }
  EXPECT_GT(cells, 180U);
  EXPECT_LE(largest, 8U * 1024);
  RecordProperty("largest_bytes", static_cast<int>(largest));
}

TEST(GateState, with_a_changed_byte_is_harmless) {
  std::size_t taken = 0;
  const auto all = cells_with({"epoch/nothing/waits", "-5s", "all", "ordered", "x4", "k1", "n5"});
  for (std::size_t i = 0; i < all.size(); ++i)
    run(experiment_of(all[i], {.limit = 10, .window = 5s}),
        [&](std::size_t, const Experiment&) { return std::make_unique<Damaged>(i, taken); });
  EXPECT_GT(taken, 1000U) << "most bytes are numbers, and most numbers are valid";
}

}}  // namespace laboratory::gate_state_test
