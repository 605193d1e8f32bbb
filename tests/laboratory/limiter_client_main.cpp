// noun's client with default options against a server with its own limits. tests/laboratory/limiters runs it.
//
//   limiter_client BASE_URL pages|items REQUESTS [--seconds PATIENCE]
//
// `pages` lists REQUESTS pages of one item, one after the other. `items` gets as many items from 16 threads. Prints a
// line of JSON: seconds from the first request to the last response, how many completed, and the first error.
#include <atomic>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "joining_thread.hpp"

namespace {

constexpr std::size_t threads = 16;

struct Run {
  std::size_t completed = 0;
  std::string first_error = {};
};

Run list_all(const noun::Client& api, std::chrono::seconds patience) {
  Run run;
  for (const auto& thing : api.collection("things").list({.page_size = 1, .deadline = api.now().steady + patience})) {
    if (!thing) {
      run.first_error = thing.error().message();
      break;
    }
    ++run.completed;
  }
  return run;
}

Run read_all(const noun::Client& api, std::size_t requests, std::chrono::seconds patience) {
  Run run;
  std::mutex mutex;
  std::atomic<std::size_t> next = 1;
  {
    const auto deadline = api.now().steady + patience;
    std::vector<noun_test::JoiningThread> all;
    for (std::size_t i = 0; i < threads; ++i)
      all.emplace_back([&] {
        const auto things = api.collection("things");
        for (auto id = next++; id <= requests; id = next++) {
          const auto thing = things[id].get({.deadline = deadline});
          const std::lock_guard lock(mutex);
          if (thing)
            ++run.completed;
          else if (run.first_error.empty())
            run.first_error = thing.error().message();
        }
      });
  }
  return run;
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) throw std::runtime_error(fmt::format("'{}' is not a number", text));
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool has_patience = words.size() == 5 && words[3] == "--seconds";
  if ((words.size() != 3 && !has_patience) || (words[1] != "pages" && words[1] != "items"))
    throw std::runtime_error("usage: limiter_client BASE_URL pages|items REQUESTS [--seconds PATIENCE]");
  const auto requests = number(words[2]);
  const std::chrono::seconds patience(has_patience ? number(words[4]) : 60);

  const noun::Client api{words[0], {.quota_ledger = noun::make_quota_ledger()}};
  const auto start = std::chrono::steady_clock::now();
  const auto run = words[1] == "pages" ? list_all(api, patience) : read_all(api, requests, patience);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const noun::Json line{{"took", took.count()},
                        {"completed", run.completed},
                        {"failed", requests - std::min(requests, run.completed)},
                        {"first_error", run.first_error}};
  fmt::print("{}\n", line.dump());
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
