// The state of a gate is a value: written and read back at any moment of any scenario, it decides the same; and it stays
// small.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "laboratory/cell.hpp"
#include "laboratory/gate_contender.hpp"

namespace laboratory { namespace gate_state_test {

/// A gate whose knowledge is written, forgotten and read back at random moments.
class Reloaded final : public Contender {
 public:
  Reloaded(std::uint64_t seed, std::size_t& largest) : random_(seed), largest_(largest) {}

  std::optional<Instant> ask(std::size_t worker, Now now, std::size_t route) override {
    reload(now);
    return contender_.ask(worker, now, route);
  }
  Again hear(const Answer& answer) override {
    reload(answer.received);
    return contender_.hear(answer);
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

std::vector<std::string> history(Experiment experiment, const Hire& hire) {
  std::vector<std::string> lines;
  experiment.trace = [&](Duration, const std::string& line) { lines.push_back(line); };
  run(experiment, hire);
  return lines;
}

TEST(GateState, read_back_at_any_moment_decides_the_same) {
  std::size_t largest = 0;
  std::size_t cells = 0;
  // One of each kind and reset in turn, so that all values of the other dimensions come along.
  const auto all = cells_with({"k1", "-5s", "n1.1/n5", "x1/x4/x16"});
  for (std::size_t i = 0; i < all.size(); i += 3) {
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
  EXPECT_GT(cells, 800U);
  EXPECT_LE(largest, 8U * 1024);
  RecordProperty("largest_bytes", static_cast<int>(largest));
}

}}  // namespace laboratory::gate_state_test
