#pragma once
/// @file
/// A TLS server for tests: the openssl program.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "curl/certificates.hpp"

namespace noun_test {

/// Responds to every request on every connection, one connection after the other.
class TlsServer {
 public:
  /// @param options  further options of openssl's s_server, appended after -cert and -key.
  TlsServer(const Certificates& certificates, const std::string& name, std::vector<std::string> options = {});
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;
  ~TlsServer();

  std::string url(std::string_view host = "127.0.0.1") const;
  /// Stops it and returns its output: a report of every connection and its data.
  std::string stop();

 private:
  void run();

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::uint16_t port_ = 0;
  std::string said_;
  std::thread thread_;
};

/// The number of occurrences of `part` in `text`.
std::size_t count_of(std::string_view part, std::string_view text);

}  // namespace noun_test
