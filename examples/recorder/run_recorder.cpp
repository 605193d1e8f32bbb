#include "run_recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "run_log.hpp"

namespace recorder {

namespace {

[[noreturn]] void fail(std::string_view what, int error) {
  throw std::runtime_error(fmt::format("cannot {}: {}", what, std::generic_category().message(error)));
}

/// Opens no existing file, so that nothing is written through a link.
int new_file(const std::filesystem::path& file) {
  const auto write = fmt::format("write {}", file.string());
  struct stat status = {};
  if (::lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) throw std::runtime_error(fmt::format("cannot {}: not a regular file", write));
    if (::unlink(file.c_str()) != 0) fail(write, errno);
  }
  constexpr mode_t all_but_the_umask = 0666;
  const int opened = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, all_but_the_umask);
  if (opened < 0) fail(write, errno);
  return opened;
}

/// Reads complete lines only. Returns when the run started; nothing if the first line does not say so.
std::optional<noun::WallTime> prepare_to_continue(int file) {
  std::optional<noun::WallTime> started;
  std::string first;
  off_t whole = 0;
  std::string step(64 * 1024, '\0');
  off_t at = 0;
  while (const auto count = ::pread(file, step.data(), step.size(), at)) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read the recorded run", errno);
    const auto text = std::string_view(step).substr(0, static_cast<std::size_t>(count));
    if (whole == 0) {
      first += text.substr(0, text.find('\n'));
      if (text.find('\n') != std::string_view::npos) started = start_of(first);
    }
    if (const auto last = text.rfind('\n'); last != std::string_view::npos) whole = at + static_cast<off_t>(last) + 1;
    at += count;
  }
  if (!started) whole = 0;
  if (whole != at && ::ftruncate(file, whole) != 0) fail("cut the recorded run", errno);
  return started;
}

}  // namespace

RunRecorder::RunRecorder(const std::filesystem::path& file) : file_(new_file(file)) {}

RunRecorder::RunRecorder(int file) : started_(prepare_to_continue(file)), resumes_(started_) {
  file_ = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (file_ < 0) fail("record the run", errno);
}

RunRecorder::~RunRecorder() { ::close(file_); }

void RunRecorder::record(const noun::Event& event) {
  const std::lock_guard lock(mutex_);
  auto place = std::exchange(resumes_, false) ? LinePlace::resumed : LinePlace::later;
  if (!started_) {
    started_ = event.at;
    place = LinePlace::first;
  }
  const auto line = line_of(event, *started_, place);
  for (std::string_view rest = line; complete_ && !rest.empty();) {
    const auto count = ::write(file_, rest.data(), rest.size());
    if (count >= 0)
      rest.remove_prefix(static_cast<std::size_t>(count));
    else
      complete_ = errno == EINTR;
  }
}

bool RunRecorder::complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

}  // namespace recorder
