// One experiment: clients, each with a contender, do their work against a simulated API, in virtual time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "laboratory/contender.hpp"
#include "laboratory/limit_fields.hpp"
#include "laboratory/simulated_limit.hpp"

namespace laboratory {

/// What a second limit of the API counts.
enum class Second {
  none,
  policy,     ///< the same requests, reported as another quota policy
  partition,  ///< every other job, as a separate partition
};

/// The behavior of the API.
struct ServiceSetup {
  LimitOptions limit = {};
  std::size_t most_at_once = 0;  ///< limit on the requests being served; replaces `limit` unless it is 0
  Second second = Second::none;
  LimitOptions second_limit = {};
  LimitFieldOptions fields = {};
  bool unavailable = false;  ///< a rejection is a 503
  bool bare_errors = false;  ///< errors (rejections, and every tenth response) have no rate-limit fields
};

/// The clients and their work.
struct WorkloadSetup {
  std::int64_t requests = 100;
  std::size_t clients = 1;
  std::size_t in_flight = 1;     ///< of each client
  std::int64_t first_share = 0;  ///< percent of the requests that the first client sends; 0 for an equal share
  bool shared = false;           ///< the contenders of all clients share each report at once
  Duration latency = std::chrono::milliseconds(200);
  bool jitter = false;         ///< a round trip takes 0.5 to 1.5 times the latency: responses arrive out of order
  Duration clock_offset = {};  ///< of the clients' wall clocks
  Duration start = {};         ///< within the first minute of the API's clock
};

/// One line of the trace of a replay.
using Tracer = std::function<void(Duration since_start, const std::string& line)>;

struct Experiment {
  ServiceSetup service = {};
  WorkloadSetup workload = {};
  std::uint64_t seed = 1;
  Tracer trace = {};
};

struct Outcome {
  bool finished = false;  ///< within 48 hours, and 100 requests per job
  std::int64_t requests = 0;
  std::int64_t rejected = 0;
  Duration elapsed = {};            ///< until the last job was finished
  std::vector<double> utilisation;  ///< of each window but the last; without windows, of the time until its end
  Duration probe_error = {};        ///< the longest time from the renewal of a used-up limit to the next request

  double waste() const { return requests == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(requests); }
  double worst_utilisation() const;
  double mean_utilisation() const;
};

/// The API's clock at the start of the first minute.
constexpr noun::WallTime first_minute{std::chrono::seconds(1'768'910'400)};

/// Creates the contender of each client.
using MakeContender = std::function<std::unique_ptr<Contender>(std::size_t client, const Experiment& experiment)>;

Outcome run(const Experiment& experiment, const MakeContender& make_contender);

}  // namespace laboratory
