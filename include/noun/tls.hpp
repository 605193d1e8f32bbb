#pragma once
/// @file
/// How the other side of an https connection is known.

#include <string>

namespace noun { inline namespace v0 {

/// TLS settings of a client. By default the certificate and the host's name are verified against the system's
/// authorities, at TLS 1.2 or later.
struct Tls {
  /// False accepts any certificate: for experiments only. Such a client shares no connection with others.
  bool verify = true;
  /// A PEM file of authorities to trust instead of the system's; empty for the system's.
  std::string ca_file = {};
  /// A PEM file with the client's certificate (and chain); empty for none.
  std::string client_certificate = {};
  /// A PEM file with its private key; empty when it is in the same file.
  std::string client_key = {};
  /// The pass phrase of the private key, or empty.
  std::string client_key_password = {};

  /// Whether all are the same.
  friend bool operator==(const Tls&, const Tls&) = default;
};

}}  // namespace noun
