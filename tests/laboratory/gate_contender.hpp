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

  std::optional<Instant> ask(std::size_t worker, Now now, std::size_t route) override;
  Again hear(const Answer& answer) override;
  bool overtaken(std::size_t worker) const override;

 private:
  struct Desk {
    noun::quota::Permit permit = {};
    noun::quota::Place place = {};
    noun::quota::RouteKey route = 0;
  };

  Desk& desk_of(std::size_t worker);

  std::shared_ptr<noun::quota::Gate> gate_;
  std::vector<Desk> desks_;
};

}  // namespace laboratory
