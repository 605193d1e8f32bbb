// One experiment: clients with a contender each do their work against a simulated service, in virtual time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <noun/limit_fields.hpp>
#include <noun/simulated_limit.hpp>

#include "laboratory/contender.hpp"

namespace laboratory {

namespace kit = noun::testing;

/// What a second limit of the service counts.
enum class Second {
  none,
  policy,     ///< the same requests, reported as a further quota policy
  partition,  ///< every other job, as a partition of its own
};

/// What the service does.
struct ServiceSetup {
  kit::LimitOptions limit = {};
  std::size_t most_at_once = 0;  ///< requests being served; instead of the limit, if it is not 0
  Second second = Second::none;
  kit::LimitOptions second_limit = {};
  kit::LimitFieldOptions fields = {};
  bool unavailable = false;  ///< a rejection is a 503
  bool bare_errors = false;  ///< errors (rejections, and every tenth answer) have no fields of the limit
};

/// Who does how much.
struct CrewSetup {
  std::int64_t requests = 100;
  std::size_t clients = 1;
  std::size_t in_flight = 1;     ///< of each client
  std::int64_t first_share = 0;  ///< percent of the requests that the first client does; 0 for as much as the others
  bool shared = false;           ///< the contenders of all clients know at once what one is told
  Duration latency = std::chrono::milliseconds(200);
  bool jitter = false;         ///< an exchange takes half of the latency to one and a half, so that answers overtake
  Duration clock_offset = {};  ///< of the clients' wall clocks
  Duration start = {};         ///< where in the service's first minute it begins
};

/// One line of what happened, for replays.
using Tracer = std::function<void(Duration since_start, const std::string& line)>;

struct Experiment {
  ServiceSetup service = {};
  CrewSetup crew = {};
  std::uint64_t seed = 1;
  Tracer trace = {};
};

struct Outcome {
  bool finished = false;  ///< within 48 hours, and a hundred requests for each job
  std::int64_t requests = 0;
  std::int64_t rejected = 0;
  Duration elapsed = {};            ///< until the last job was done
  std::vector<double> utilisation;  ///< of each window but the last, or of the time until its end where there is none
  Duration probe_error = {};        ///< how late after the renewal of a used-up limit a request arrived, at the most

  double waste() const { return requests == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(requests); }
  double worst_utilisation() const;
  double mean_utilisation() const;
};

/// What the service's clock shows when the first minute begins.
constexpr noun::WallTime first_minute{std::chrono::seconds(1'768'910'400)};

/// Makes the contender of each client.
using Hire = std::function<std::unique_ptr<Contender>(std::size_t client, const Experiment& experiment)>;

Outcome run(const Experiment& experiment, const Hire& hire);

}  // namespace laboratory
