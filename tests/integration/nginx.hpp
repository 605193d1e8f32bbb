#pragma once
/// @file
/// A real nginx on loopback, of a test's own: its configuration, its log and its end are the test's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "transport/temporary_folder.hpp"

namespace integration {

/// A request as nginx logged it.
struct Seen {
  /// Counted by nginx: equal for requests that came over one connection.
  std::string connection;
  /// `HTTP/1.1` or `HTTP/2.0`.
  std::string protocol;
  std::string target;
};

/// A program that a test started, and what it says on its standard error or output.
class Companion {
 public:
  /// @param inherit  descriptors that it finds as number 10, 11 and so on.
  Companion(std::vector<std::string> words, std::vector<std::string> environment = {}, std::vector<int> inherit = {});
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion();

  /// Reads on until it has said that.
  /// @throws std::runtime_error  with all that it said, if it ends before.
  void wait_until_it_says(std::string_view words);
  void signal(int number) const;
  /// Sends the signal, if it is still running, and waits for the end.
  void end(int signal_number);

 private:
  pid_t process_ = -1;
  int voice_ = -1;
  std::string said_;
  std::size_t read_ = 0;
};

/// An nginx with one worker. It listens before the constructor returns.
class Nginx {
 public:
  /// @param servers  what stands in `http { }`. `@4` stands for an address of 127.0.0.1 with a port of its own, `@6`
  ///                 for one of [::1], `@folder` for the folder that the log is in.
  explicit Nginx(std::string servers);

  std::uint16_t port() const noexcept { return port_; }
  std::uint16_t port6() const noexcept { return port6_; }
  std::string path(const std::string& file) const { return folder_.path(file); }
  /// Lets it close all idle connections, as a new configuration does; returns when they are closed.
  void close_idle();
  /// Ends it, once it has answered what it was asked, and answers all that it was asked.
  std::vector<Seen> stop();

 private:
  static std::vector<std::string> words_of(const std::string& configuration);

  noun_test::TemporaryFolder folder_;
  std::uint16_t port_ = 0;
  std::uint16_t port6_ = 0;
  std::unique_ptr<Companion> process_;
};

/// Whether there is an IPv6 loopback here.
bool has_ipv6();

/// A port of 127.0.0.1 that was free a moment ago, for programs that cannot choose one themselves.
std::uint16_t free_port();

}  // namespace integration
