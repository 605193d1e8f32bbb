#pragma once
/// @file
/// An nginx on loopback for one test, with its own configuration and log.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "os/temporary_folder.hpp"

namespace integration {

/// A request in the log of nginx.
struct Seen {
  /// The number of the connection; equal for requests on one connection.
  std::string connection;
  /// `HTTP/1.1` or `HTTP/2.0`.
  std::string protocol;
  std::string target;
};

/// A child process, and its standard output and error as one text.
class ChildProgram {
 public:
  /// @param inherit  descriptors that it inherits as 10, 11 and so on.
  ChildProgram(std::vector<std::string> words, std::vector<std::string> environment = {},
               std::vector<int> inherit = {});
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;
  ~ChildProgram();

  /// Reads until the output contains `words`.
  /// @throws std::runtime_error  with the output, if it ends before, or if it prints nothing for 30 s.
  void wait_for_output(std::string_view words);
  void signal(int number) const;
  /// Sends the signal if it still runs, and waits for its end.
  void end(int signal_number);
  /// Waits for its end, and returns all that it has printed.
  std::string wait();

 private:
  pid_t process_ = -1;
  int output_ = -1;
  std::string text_;
  std::size_t read_ = 0;
};

/// An nginx with one worker. It listens before the constructor returns.
class Nginx {
 public:
  /// @param servers  the contents of `http { }`. `@4` is replaced by 127.0.0.1 and a free port, `@6` by [::1] and a
  ///                 free port, `@folder` by the folder of the log.
  /// @param module   the file of a module that it loads; empty for none.
  explicit Nginx(std::string servers, const std::string& module = {});

  std::uint16_t port() const noexcept { return port_; }
  std::uint16_t port6() const noexcept { return port6_; }
  std::string path(const std::string& file) const { return folder_.path(file); }
  /// Makes nginx close all idle connections by reloading; returns when they are closed.
  void close_idle();
  /// Stops nginx after its pending responses, and returns all requests.
  std::vector<Seen> stop();

 private:
  static std::vector<std::string> words_of(const std::string& configuration);

  noun_test::TemporaryFolder folder_;
  std::uint16_t port_ = 0;
  std::uint16_t port6_ = 0;
  std::unique_ptr<ChildProgram> process_;
};

/// Whether the machine has an IPv6 loopback.
bool has_ipv6();

/// A port of 127.0.0.1 that was just free, for programs that cannot choose a free port.
std::uint16_t free_port();

}  // namespace integration
