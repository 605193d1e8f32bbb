#include "run_recorder.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "run_log.hpp"

namespace recorder {

namespace {

/// Returns when the run of this file started, and removes an incomplete last line.
std::optional<noun::WallTime> prepare_to_continue(const std::filesystem::path& file) {
  std::ifstream lines(file, std::ios::binary);
  std::string line;
  if (!std::getline(lines, line) || lines.eof()) return std::nullopt;
  const auto started = start_of(line);
  auto whole = line.size() + 1;
  while (std::getline(lines, line) && !lines.eof()) whole += line.size() + 1;
  if (started) std::filesystem::resize_file(file, whole);
  return started;
}

}  // namespace

RunRecorder::RunRecorder(const std::filesystem::path& file, Existing existing) {
  if (existing == Existing::continued) started_ = prepare_to_continue(file);
  file_.open(file, std::ios::binary | (started_ ? std::ios::app : std::ios::trunc));
  if (!file_)
    throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(errno)));
}

void RunRecorder::record(const noun::Event& event) {
  const std::lock_guard lock(mutex_);
  const bool first = !started_;
  if (first) started_ = event.at;
  file_ << line_of(event, *started_, first) << std::flush;
}

bool RunRecorder::complete() const {
  const std::lock_guard lock(mutex_);
  return file_.good();
}

}  // namespace recorder
