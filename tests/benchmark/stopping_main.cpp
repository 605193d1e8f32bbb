// How soon calls end that are stopped or whose deadline passes, and what each takes of memory until then. Run by
// tests/benchmark/run, against a server that responds only to /ready.
//
//   stopping waiting|in_flight stop|deadline COUNT BASE_URL
//
// Prints the milliseconds from the stop or the deadline to the last completion; KiB for each call; requests in flight.
// In `waiting` one request is in flight, and the others wait for its permit.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <noun/noun.hpp>
#include <noun/stop.hpp>

namespace {

using namespace std::chrono_literals;
using noun::Instant;

std::size_t resident_kib() {
  constexpr std::string_view name = "VmRSS:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10);
  throw std::runtime_error("/proc/self/status has no VmRSS");
}

/// The last completion of so many.
class Completions {
 public:
  explicit Completions(std::size_t count) : left_(count) {}
  void add(noun::Errc code) {
    last_ = std::chrono::steady_clock::now().time_since_epoch().count();
    if (code != noun::Errc::cancelled && code != noun::Errc::deadline_exceeded) ++others_;
    --left_;
    left_.notify_one();
  }
  Instant last() const {
    for (auto left = left_.load(); left > 0; left = left_.load()) left_.wait(left);
    if (others_ > 0) throw std::runtime_error(std::to_string(others_) + " calls ended by something else");
    return Instant(Instant::duration(last_.load()));
  }

 private:
  std::atomic<std::size_t> left_;
  std::atomic<std::size_t> others_ = 0;
  std::atomic<Instant::rep> last_ = 0;
};

void measure(bool waiting, bool stops, std::size_t count, const char* base_url) {
  noun::ClientOptions options;
  options.quota.in_flight_unknown = waiting ? 1 : count;
  options.limits.connections = count;
  options.timeouts = {.connect = 1h, .attempt = 1h, .stall = 1h};
  const noun::Client api(base_url, options);
  // Until the first response, one request would be in flight.
  api.send({.path = "ready"}).value();
  // Long enough to start all of them.
  constexpr auto starting = 15s;
  const auto deadline = std::chrono::steady_clock::now() + starting;
  noun::StopSource source;
  Completions completions(count);
  const auto operation =
      noun::op::get(api.collection("silent")[1],
                    {.deadline = stops ? noun::Deadline{} : noun::Deadline(deadline), .stop = source.get_token()});

  const auto before = resident_kib();
  for (std::size_t i = 0; i < count; ++i)
    noun::start(operation, [&](const noun::Result<noun::Json>& result) {
      completions.add(result ? noun::Errc::protocol : result.error().code());
    });
  // Until all have a permit or a place, and then some time for the connections.
  const auto all_started = [&] {
    const auto quota = api.quota_snapshot();
    return quota.held + quota.in_flight >= count;
  };
  while (!all_started() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(2s);
  const auto memory = static_cast<double>(resident_kib() - before) / static_cast<double>(count);
  const auto in_flight = api.quota_snapshot().in_flight;
  if (!stops && std::chrono::steady_clock::now() > deadline) throw std::runtime_error("started too late");

  const auto begin = stops ? Instant(std::chrono::steady_clock::now()) : Instant(deadline);
  if (stops) source.request_stop();
  const auto took = std::chrono::duration<double, std::milli>(completions.last() - begin);
  std::printf("%.1f %.1f %zu\n", took.count(), memory, in_flight);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) return std::fputs("usage: stopping waiting|in_flight stop|deadline COUNT BASE_URL\n", stderr), 2;
  measure(std::string_view(argv[1]) == "waiting", std::string_view(argv[2]) == "stop",
          std::strtoull(argv[3], nullptr, 10), argv[4]);
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
