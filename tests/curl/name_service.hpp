#pragma once
/// @file
/// The name service of the test program: it overrides libc's getaddrinfo for libcurl.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace noun_test {

/// Resolves a name while it exists.
class NameService {
 public:
  /// Resolves `name` to these ports of 127.0.0.1, in this order; a resolution ignores the port of the URL.
  NameService(std::string name, std::vector<std::uint16_t> ports);
  /// Runs `wait` for each resolution of `name`, which then has no address.
  NameService(std::string name, std::function<void()> wait);
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;
  ~NameService();

  struct Entry;

 private:
  // Shared, because the resolver thread that libcurl abandons may outlive the test.
  std::shared_ptr<Entry> entry_;
};

}  // namespace noun_test
