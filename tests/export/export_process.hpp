#pragma once
/// @file
/// The programs noun-export and noun-quota as child processes.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace export_test {

/// The paths of the built programs.
extern const char* const program;
extern const char* const quota_program;

/// A child process with its streams in files. The destructor kills it if it still runs.
class Process {
 public:
  /// @param directory  its working directory, which also has the files of its streams.
  /// @param output     the path of its standard output; empty for a file in `directory`.
  Process(const std::filesystem::path& directory, const std::vector<std::string>& words,
          const std::map<std::string, std::string>& environment = {}, const std::string& output = {},
          const char* path = program);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const noexcept { return id_; }
  void send(int signal) const;
  /// Whether it ends within this time.
  bool ends_within(std::chrono::milliseconds patience) const;
  /// Its exit status, or 128 + the signal that ended it.
  int wait();
  /// Its peak memory so far, in KiB; 0 after its end. (The peak that the system reports after the end includes the
  /// memory of this process at the fork.)
  long peak_kib() const;
  std::string out() const;
  std::string err() const;

 private:
  std::filesystem::path directory_;
  pid_t id_ = -1;
  int status_ = -1;
};

/// A new directory that is removed with its contents.
struct Folder {
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path / name; }

  std::filesystem::path path;
};

/// Waits until a file in an existing folder has this many bytes.
/// @throws std::runtime_error  after 30 s.
void wait_for_bytes(const std::filesystem::path& file, std::uintmax_t bytes);
std::string text_of(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::filesystem::path& file);

}  // namespace export_test
