#pragma once
/// @file
/// A server in a process of its own, so that its calls are not the client's.

#include <string>

#include <sys/types.h>

#include "curl/certificates.hpp"

namespace torture {

/// Serves what the journey asks for, over http and https, until destroyed. The first part of a path is free; the
/// requests below it are counted.
class Server {
 public:
  /// Forks. The process has no other threads.
  explicit Server(const noun_test::Certificates& certificates);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  const std::string& url() const noexcept { return url_; }
  const std::string& tls_url() const noexcept { return tls_url_; }

 private:
  std::string url_;
  std::string tls_url_;
  int open_ = -1;
  pid_t process_ = -1;
};

/// The content of the file that the server has.
const std::string& served_file();

}  // namespace torture
