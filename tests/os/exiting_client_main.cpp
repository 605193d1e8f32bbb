// Exits while its calls run: exiting_client WAY BASE_URL CA_FILE EVENTS. WAY says how long the client lives, or what
// runs: local, static, global, idle, leaked, download, blocking, waiting or waiting_late; backing_off, which exits
// after so many events of its calls; stream or function, which exit while they take events or bytes, and fail if that
// takes long.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/start.hpp>

namespace {

/// When it exits, if that must not take long.
std::atomic<std::chrono::steady_clock::time_point> exits_at;

bool decodes() { return noun::Codec<noun::Json>::decode("{\"a\":7}").has_value(); }

/// Destroyed after what the JSON parser is made of: it was constructed before the first text was decoded.
struct Decodes {
  ~Decodes() {
    if (!decodes()) std::_Exit(9);
    constexpr auto limit = std::chrono::milliseconds(1500);  // the handler waits for two seconds
    if (exits_at.load() != std::chrono::steady_clock::time_point() &&
        std::chrono::steady_clock::now() - exits_at.load() >= limit)
      std::_Exit(10);
  }
} at_the_end;

/// Destroyed after OpenSSL has ended: it was constructed before libcurl was initialized.
std::optional<noun::Client> global;

/// A client whose destructor waits for its calls.
struct Waiting {
  std::optional<noun::Client> api = {};
  std::vector<std::future<noun::Result<noun::Response>>> futures = {};
  std::optional<noun::Outcomes<noun::Response>> outcomes = {};
  std::optional<noun::Listing<noun::Json>> listing = {};

  void start(noun::Client client) {
    api = std::move(client);
    const auto get = noun::op::send(*api, {.path = "things"});
    for (int i = 0; i < 20; ++i) futures.push_back(noun::future(get));
    outcomes = api->run_all(std::vector(20, get), {.in_flight = 8});
    for (auto& first : *outcomes) {
      if (!first) std::_Exit(4);
      break;
    }
    listing = api->collection<noun::Json>("things").list({.prefetch = 2});
  }
  ~Waiting() {
    if (!api) return;
    const auto is_expected = [](const auto& result) {
      return result || result.error().code() == noun::Errc::cancelled;
    };
    for (auto& each : futures)
      if (!is_expected(each.get())) std::_Exit(5);
    for (auto& each : *outcomes)
      if (!is_expected(each)) std::_Exit(6);
    for (auto& each : *listing)
      if (each) std::_Exit(7);
    // What starts after the end of noun's threads fails at once.
    if (!is_expected(noun::future(noun::op::send(*api, {.path = "late"})).get())) std::_Exit(8);
  }
};
/// Destroyed after noun's threads have ended.
Waiting late;

std::atomic<int> events_left;
std::binary_semaphore ready{0};

/// Makes a call when the process ends.
struct Reports {
  const noun::Client& api;
  const std::string_view way;
  ~Reports() {
    if (way == "blocking" && !api.send({.path = "last"})) std::_Exit(3);
  }
};

/// Each run ends in another moment of its calls.
void pass_time() {
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::chrono::steady_clock::now().time_since_epoch().count() % 20'000));
}

[[noreturn]] void exit_soon() {
  pass_time();
  exits_at = std::chrono::steady_clock::now();
  std::exit(0);
}

void run_calls(const noun::Client& api, std::string_view way) {
  if (way == "stream") {
    for ([[maybe_unused]] const auto& event : api.stream<noun::Json>({.path = "events"})) exit_soon();
  } else if (way == "function") {
    (void)api.download({.path = "file"}, [](std::string_view) { exit_soon(); });
  } else if (way == "download" || way == "backing_off") {
    for (int i = 0; i < 8; ++i) noun::start(noun::op::download(api, {.path = "file"}, "file"), [](auto) {});
  } else if (way == "blocking") {
    for (int i = 0; i < 8; ++i)
      std::thread([api] {
        for (;;) (void)api.send({.path = "things"});
      }).detach();
  } else {
    for (int i = 0; i < 60; ++i) noun::start(noun::op::send(api, {.path = "things"}), [](auto) {});
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5 || !decodes()) return 2;
  const std::string_view way(words[1]);
  // Where the test looks for what downloads leave.
  std::filesystem::current_path(std::filesystem::path(words[3]).parent_path());
  events_left = std::atoi(words[4]);
  const auto count_down = [](const noun::Event&) {
    if (--events_left == 0) ready.release();
  };
  const noun::ClientOptions options{
      .retry = {.max_attempts = way == "backing_off" ? 5 : 1}, .tls = {.ca_file = words[3]}, .observer = count_down};
  noun::Client api{words[2], options};
  static const Reports reports{*new noun::Client(api), way};
  if (way == "static") {
    static const noun::Client lasting(words[2], options);
    run_calls(lasting, way);
  } else if (way == "global") {
    run_calls(global.emplace(words[2], options), way);
  } else if (way == "idle") {
    (void)noun::future(noun::op::send(global.emplace(words[2], options), {.path = "things"})).get();
  } else if (way == "waiting") {
    static Waiting waiting;
    waiting.start(api);
  } else if (way == "waiting_late") {
    late.start(api);
  } else if (way == "leaked") {
    static const auto* const leaked = new noun::Client(words[2], options);
    run_calls(*leaked, way);
  } else {
    run_calls(api, way);
  }
  if (way == "backing_off") ready.acquire();
  pass_time();
  return 0;
}
