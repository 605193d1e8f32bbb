#pragma once
/// @file
/// The program of file_client_main.cpp, as a process.

#include <string>
#include <vector>

#include <sys/types.h>

namespace integration {

/// A running file_client. Its destructor kills it.
class FileClient {
 public:
  explicit FileClient(std::vector<std::string> words);
  FileClient(const FileClient&) = delete;
  FileClient& operator=(const FileClient&) = delete;
  ~FileClient() { kill(); }

  /// Ends it with SIGKILL, unless it has ended.
  void kill();
  /// Returns all that it prints, when it has ended.
  std::string wait();

 private:
  pid_t process_ = -1;
  int voice_ = -1;
};

/// What it prints until its end.
inline std::string run_file_client(std::vector<std::string> words) { return FileClient(std::move(words)).wait(); }

}  // namespace integration
