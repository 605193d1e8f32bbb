#include "run_recorder.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "run_log.hpp"

namespace recorder {

namespace {

/// When the run of this file began; the file then ends in a whole line.
std::optional<noun::WallTime> take_up(const std::filesystem::path& file) {
  std::ifstream lines(file, std::ios::binary);
  std::string line;
  if (!std::getline(lines, line) || lines.eof()) return std::nullopt;
  const auto began = began_of(line);
  auto whole = line.size() + 1;
  while (std::getline(lines, line) && !lines.eof()) whole += line.size() + 1;
  if (began) std::filesystem::resize_file(file, whole);
  return began;
}

}  // namespace

RunRecorder::RunRecorder(const std::filesystem::path& file, Existing existing) {
  if (existing == Existing::continued) began_ = take_up(file);
  file_.open(file, std::ios::binary | (began_ ? std::ios::app : std::ios::trunc));
  if (!file_)
    throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(errno)));
}

void RunRecorder::record(const noun::Event& event) {
  const std::lock_guard lock(mutex_);
  const bool first = !began_;
  if (first) began_ = event.at;
  file_ << line_of(event, *began_, first) << std::flush;
}

bool RunRecorder::complete() const {
  const std::lock_guard lock(mutex_);
  return file_.good();
}

}  // namespace recorder
