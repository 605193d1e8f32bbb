#pragma once
/// @file
/// TLS settings.

#include <string>

namespace noun { inline namespace v0 {

/// TLS settings of a client. By default the certificate and the host name are verified against the system's certificate
/// authorities, with TLS 1.2 or later.
struct Tls {
  /// Whether the certificate is verified. False is for experiments only; such a client shares no connection with
  /// others.
  bool verify = true;
  /// A PEM file of certificate authorities to trust instead of the system's; empty for the system's.
  std::string ca_file = {};
  /// A PEM file with the client's certificate (and chain); empty for none.
  std::string client_certificate = {};
  /// A PEM file with the private key; empty if it is in the same file.
  std::string client_key = {};
  /// The pass phrase of the private key, or empty.
  std::string client_key_password = {};

  /// Whether all members are equal.
  friend bool operator==(const Tls&, const Tls&) = default;
};

}}  // namespace noun
