#pragma once
/// @file
/// Certificates for tests, made on the spot by the openssl program.

#include <string>
#include <string_view>
#include <vector>

#include "transport/temporary_folder.hpp"

namespace noun_test {

/// What a certificate says beside its name and its key.
struct Issue {
  std::string_view subject = "IP:127.0.0.1";
  /// Whether it may sign others.
  bool authority = false;
  /// From when until when it is valid, as YYYYMMDDHHMMSSZ; a day from now on by default.
  std::string_view from = {};
  std::string_view until = {};
};

/// Certificates and keys in a folder of their own, which goes with it.
class Certificates {
 public:
  /// Makes NAME.pem (certificate) and NAME.key: signed by itself, for 127.0.0.1 unless another name is given.
  void make(const std::string& name, std::string_view subject = "IP:127.0.0.1");
  /// Makes them as `make` does, but valid in the year 2020 only.
  void make_expired(const std::string& name);
  /// Makes them signed by `by`, or by itself where that is empty.
  void issue(const std::string& name, const std::string& by, const Issue& issue);
  /// Makes NAME.pem of the named ones, one behind the other.
  void chain(const std::string& name, const std::vector<std::string>& links);
  /// The path of a file in the folder.
  std::string path(const std::string& file) const { return folder_.path(file); }

 private:
  TemporaryFolder folder_;
};

}  // namespace noun_test
