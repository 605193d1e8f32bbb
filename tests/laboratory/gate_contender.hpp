// noun's gate as a contender, with a call's own wait after a rejection: a client's decisions without the client.
#pragma once

#include <memory>
#include <vector>

#include "laboratory/contender.hpp"
#include "quota/gate.hpp"

namespace laboratory {

class GateContender final : public Contender {
 public:
  explicit GateContender(std::shared_ptr<noun::quota::Gate> gate) : gate_(std::move(gate)) {}

  std::optional<Instant> acquire(std::size_t worker, Now now, std::size_t route) override;
  Retry on_response(const Response& response) override;
  bool overtaken(std::size_t worker) const override;

 private:
  struct WorkerState {
    noun::quota::Permit permit = {};
    noun::quota::Place place = {};
    noun::quota::RouteKey route = 0;
  };

  WorkerState& state_of(std::size_t worker);

  std::shared_ptr<noun::quota::Gate> gate_;
  std::vector<WorkerState> states_;
};

}  // namespace laboratory
