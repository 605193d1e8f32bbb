// Downloads or uploads one file, for a test that measures or kills it: file_client get|put BASE_URL FILE.
// Prints what happened and the peak of its memory in KiB.

#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <noun/noun.hpp>

namespace {

/// VmHWM of /proc/self/status.
std::string peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return word;
  return "0";
}

}  // namespace

int main(int count, char** words) try {
  if (count != 4) return 2;
  noun::Client api{words[2], {.retry = {.max_attempts = 3, .initial_backoff = std::chrono::milliseconds(1)}}};
  if (std::string_view(words[1]) == "get") {
    const auto done = api.download({.path = "file"}, words[3]).value();
    fmt::print("{} bytes, resumed {} times, restarted {} times, peak {} KiB\n", done.size, done.resumed, done.restarted,
               peak_memory());
  } else {
    const auto body = noun::body::file(words[3]);
    const auto done = api.send({.method = noun::Method::put, .path = "file", .body = body}).value();
    fmt::print("status {}, peak {} KiB\n", done.status, peak_memory());
  }
} catch (const noun::Exception& exception) {
  return fmt::print("{}\n", exception.what()), 1;
}
