#include "run_recorder.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "run_log.hpp"

namespace recorder {

RunRecorder::RunRecorder(const std::filesystem::path& file) : file_(file, std::ios::binary | std::ios::trunc) {
  if (!file_) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
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
