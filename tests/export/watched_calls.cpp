#include "watched_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <map>

namespace export_test {
namespace {

std::atomic<bool> is_watched = false;

struct Watched {
  Watch watch;
  std::vector<std::string> calls;
  bool was_interrupted = false;
  bool has_ended = false;
  std::map<ino_t, off_t> durable;
};

Watched& watched() {
  static Watched one;
  return one;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string name_of(int number) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(number), ignored).filename().string();
}

struct stat status_of(int number) {
  struct stat status = {};
  ::fstat(number, &status);
  return status;
}

void lose_power() {
  constexpr int most_files = 64;
  for (int number = 0; number < most_files; ++number) {
    const auto status = status_of(number);
    const auto durable = watched().durable.find(status.st_ino);
    if (durable == watched().durable.end() || status.st_size <= durable->second) continue;
    const std::string path = "/proc/self/fd/" + std::to_string(number);
    if (::truncate(path.c_str(), durable->second) != 0 || ::truncate(path.c_str(), status.st_size) != 0) ::_exit(1);
  }
}

/// Counts a call; returns false and sets errno if it must not be made.
template <class AtEnd>
bool passes(const std::string& call, bool can_be_interrupted, AtEnd at_end) {
  auto& all = watched();
  all.was_interrupted = all.watch.interrupts && can_be_interrupted && !all.was_interrupted;
  if (all.was_interrupted) {
    errno = EINTR;
    return false;
  }
  all.calls.push_back(call);
  const auto number = all.calls.size();
  const bool ends = !all.has_ended && number == all.watch.end_at;
  if (ends) {
    all.has_ended = true;
    if (all.watch.half) at_end();
    if (all.watch.power_lost) lose_power();
  }
  errno = number == all.watch.fail_at ? all.watch.error : EIO;
  return !all.has_ended && number != all.watch.fail_at;
}
bool passes(const std::string& call, bool can_be_interrupted) {
  return passes(call, can_be_interrupted, [] {});
}

int synchronize(const char* call, int number) {
  if (!is_watched) return next<int(int)>(call)(number);
  if (!passes(std::string(call) + " " + name_of(number), true)) return -1;
  const auto status = status_of(number);
  watched().durable[status.st_ino] = status.st_size;
  return 0;
}

}  // namespace

WatchedCalls::WatchedCalls(const Watch& watch) {
  watched() = {watch, {}, false, false, {}};
  is_watched = true;
}

WatchedCalls::~WatchedCalls() { is_watched = false; }

const std::vector<std::string>& WatchedCalls::calls() { return watched().calls; }
bool WatchedCalls::has_ended() { return watched().has_ended; }

}  // namespace export_test

// Replaces the functions of the C library in this program.

using namespace export_test;

extern "C" int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if (is_watched && (flags & O_CREAT) != 0 && !passes("open " + std::filesystem::path(path).filename().string(), true))
    return -1;
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

extern "C" ssize_t write(int number, const void* data, size_t size) {
  auto* const write_on = next<ssize_t(int, const void*, size_t)>("write");
  if (!is_watched) return write_on(number, data, size);
  const auto status = status_of(number);
  watched().durable.emplace(status.st_ino, status.st_size);
  const auto half = [&] { return write_on(number, data, size / 2); };
  if (!passes("write " + name_of(number), true, half)) return -1;
  return write_on(number, data, std::min(size, watched().watch.most));
}

extern "C" int ftruncate(int number, off_t size) noexcept {
  if (is_watched && !passes("ftruncate " + name_of(number), true)) return -1;
  return next<int(int, off_t)>("ftruncate")(number, size);
}

extern "C" int fsync(int number) { return synchronize("fsync", number); }
extern "C" int fdatasync(int number) { return synchronize("fdatasync", number); }

extern "C" int rename(const char* from, const char* to) noexcept {
  if (is_watched && !passes("rename " + std::filesystem::path(to).filename().string(), false)) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

extern "C" int renameat2(int from_in, const char* from, int to_in, const char* to, unsigned int flags) noexcept {
  if (is_watched && !passes("renameat2 " + std::filesystem::path(to).filename().string(), false)) return -1;
  return next<int(int, const char*, int, const char*, unsigned int)>("renameat2")(from_in, from, to_in, to, flags);
}

extern "C" int remove(const char* path) noexcept {
  if (is_watched && !passes("remove " + std::filesystem::path(path).filename().string(), false)) return -1;
  return next<int(const char*)>("remove")(path);
}

extern "C" int unlink(const char* path) noexcept {
  if (is_watched && !passes("unlink " + std::filesystem::path(path).filename().string(), false)) return -1;
  return next<int(const char*)>("unlink")(path);
}
