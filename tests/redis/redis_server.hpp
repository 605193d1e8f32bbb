#pragma once
/// @file
/// A Redis server from Debian on loopback for one test.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "integration/nginx.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test {

/// A redis-server without a disk. It accepts connections before the constructor returns.
class RedisServer {
 public:
  /// @param options  of the command line.
  explicit RedisServer(std::vector<std::string> options = {});

  std::string socket() const { return folder_.path("socket"); }
  std::uint16_t port() const noexcept { return port_; }
  /// The URL of its Unix socket.
  std::string url() const { return "redis+unix://" + socket(); }

  /// Ends it, and what it had stored.
  void kill() { process_->end(9); }
  void start();
  /// Runs a command on a connection of its own, as the default user. Returns the response as text, elements of arrays in
  /// lines.
  std::string operator()(const std::vector<std::string>& words, std::uint32_t database = 0) const;

 private:
  TemporaryFolder folder_;
  std::vector<std::string> options_;
  std::uint16_t port_ = 0;
  std::unique_ptr<integration::ChildProgram> process_;
};

}  // namespace noun_test
