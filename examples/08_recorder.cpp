// Records a run under the server's quota as JSON Lines, and draws it.
//
//   08_recorder [RUN.jsonl RUN.svg]         lists a collection of the server at NOUN_EXAMPLE_URL
//   08_recorder --draw RUN.jsonl RUN.svg    draws a recorded run, also one that ended in a crash
//
// RUN.html in place of RUN.svg is a page for a browser, RUN.json a trace for ui.perfetto.dev.
// examples/recorder/drain makes recorder/drain.svg with this program.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "run_log.hpp"
#include "run_picture.hpp"
#include "run_recorder.hpp"
#include "run_report.hpp"

namespace {

void draw(const std::string& run, const std::string& picture) {
  std::ifstream lines(run, std::ios::binary);
  if (!lines) throw std::runtime_error(fmt::format("cannot read {}", run));
  if (std::error_code ignored; std::filesystem::equivalent(run, picture, ignored))
    throw std::runtime_error(fmt::format("{} is the recording; name another file for the picture", picture));
  const auto format = recorder::report_format(picture);
  const auto text = format ? recorder::report_of(lines, *format) : recorder::draw_run(recorder::read_steps(lines));
  std::ofstream file(picture, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(fmt::format("cannot write {}", picture));
}

void drain(const std::string& run) {
  recorder::RunRecorder recorder(run);
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL"),
                   {.observer = [&](const noun::Event& event) { recorder.record(event); }}};
  std::size_t items = 0;
  for (const auto& language : api.collection("languages").list({.page_size = 50})) {
    language.value();
    ++items;
  }
  const auto quota = api.quota_snapshot();
  fmt::print("{} items, {} requests, {} rejected\n", items, quota.sent, quota.rejected);
  if (!recorder.complete()) throw std::runtime_error(fmt::format("{} is not complete: is the disk full?", run));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--draw") return draw(words[1], words[2]), 0;
  if (words.size() != 2 && !words.empty())
    return fmt::print(stderr, "usage: 08_recorder [RUN.jsonl RUN.svg]\n       08_recorder --draw RUN.jsonl RUN.svg\n"),
           2;
  const auto run = words.empty() ? "run.jsonl" : words[0];
  const auto picture = words.empty() ? "run.svg" : words[1];
  drain(run);
  draw(run, picture);
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
