#pragma once
/// @file
/// A TLS server for tests, played by the openssl program, with certificates made on the spot.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace noun_test {

/// Certificates and keys in a folder of their own, which goes with it.
class Certificates {
 public:
  Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;
  ~Certificates();

  /// Makes NAME.pem (certificate) and NAME.key: signed by itself, for 127.0.0.1 unless another name is given.
  void make(const std::string& name, std::string_view subject = "IP:127.0.0.1");
  /// Makes them as `make` does, but valid in the year 2020 only.
  void make_expired(const std::string& name);
  /// The path of a file in the folder.
  std::string path(const std::string& file) const { return (folder_ / file).string(); }

 private:
  std::filesystem::path folder_;
};

/// Answers every request on every connection, one connection after the other.
class TlsService {
 public:
  /// @param options  more of openssl's s_server, behind -cert and -key.
  TlsService(const Certificates& certificates, const std::string& name, std::vector<std::string> options = {});
  TlsService(const TlsService&) = delete;
  TlsService& operator=(const TlsService&) = delete;
  ~TlsService();

  std::string url(std::string_view host = "127.0.0.1") const;
  /// Ends it, and answers all that it said: a report of every connection, and what came over it.
  std::string stop();

 private:
  void run();

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::uint16_t port_ = 0;
  std::string said_;
  std::thread answerer_;
};

/// How often `part` occurs in `text`.
std::size_t count_of(std::string_view part, std::string_view text);

}  // namespace noun_test
