// Exits while its calls run: exiting_client local|static|global|leaked|download|blocking BASE_URL CA_FILE EVENTS. The
// word says how long the client lives, or what runs. It exits after so many events of its calls.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>

#include <noun/noun.hpp>
#include <noun/start.hpp>

namespace {

/// Destroyed after OpenSSL has ended: it was constructed before libcurl was initialized.
std::optional<noun::Client> global;

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

void run_calls(const noun::Client& api, std::string_view way) {
  if (way == "download") {
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
  if (count != 5) return 2;
  const std::string_view way(words[1]);
  // A download that ends with its process leaves its file.
  std::filesystem::current_path(std::filesystem::path(words[3]).parent_path());
  events_left = std::atoi(words[4]);
  const auto count_down = [](const noun::Event&) {
    if (--events_left == 0) ready.release();
  };
  const noun::ClientOptions options{
      .retry = {.max_attempts = 1}, .tls = {.ca_file = words[3]}, .observer = count_down};
  noun::Client api{words[2], options};
  static const Reports reports{*new noun::Client(api), way};
  if (way == "static") {
    static const noun::Client lasting(words[2], options);
    run_calls(lasting, way);
  } else if (way == "global") {
    run_calls(global.emplace(words[2], options), way);
  } else if (way == "leaked") {
    run_calls(*new noun::Client(words[2], options), way);
  } else {
    run_calls(api, way);
  }
  // Each run ends in another moment of its calls.
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::chrono::steady_clock::now().time_since_epoch().count() % 20'000));
  return 0;
}
