#pragma once
/// @file
/// The program noun-export as a child process.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace export_test {

/// Where the build put it.
extern const char* const program;

/// A child with its streams in files. One that is left alone is killed.
class Process {
 public:
  /// @param directory  where it runs, and where its streams are kept.
  /// @param output     what its standard output is instead of a file there; empty for that.
  Process(const std::filesystem::path& directory, const std::vector<std::string>& words,
          const std::map<std::string, std::string>& environment = {}, const std::string& output = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  /// Whether it ends within that time.
  bool ends_within(std::chrono::milliseconds patience) const;
  /// Its exit status, or 128 and the signal that ended it.
  int wait();
  /// The most memory that it had so far, in KiB; 0 once it has ended. What the system says of an ended child counts in
  /// what this process had when it began.
  long peak_kib() const;
  std::string out() const;
  std::string err() const;

 private:
  std::filesystem::path directory_;
  pid_t id_ = -1;
  int status_ = -1;
};

/// A new directory, removed with what is in it.
struct Folder {
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path / name; }

  std::filesystem::path path;
};

/// Waits until a file in an existing folder has so many bytes.
/// @throws std::runtime_error  where that takes longer than 30 s.
void wait_for_bytes(const std::filesystem::path& file, std::uintmax_t bytes);
std::string text_of(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::filesystem::path& file);

}  // namespace export_test
