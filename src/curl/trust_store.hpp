#pragma once
/// @file
/// The certificate authorities of a transport, read once. libcurl reads them again for each multi handle, and for each
/// connection if a folder is among them; with the system's this takes 30 times as long as the rest of a handshake.

#include <memory>
#include <mutex>
#include <string>

#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "os/files.hpp"

struct x509_store_st;

namespace noun { inline namespace v0 { namespace curl {

/// A file and a folder of certificates. Either may be empty.
struct Authorities {
  std::string file = {};
  std::string folder = {};

  friend bool operator==(const Authorities&, const Authorities&) = default;
};

/// What libcurl would read. Both are empty if it would read nothing, or if its TLS library is not noun's OpenSSL.
Authorities authorities_of(const Tls& tls);

/// Authorities in memory.
/// @threadsafety  safe. A child of fork() may only destroy it.
class TrustStore {
 public:
  struct Release {
    void operator()(x509_store_st* store) const noexcept;
  };
  using Reference = std::unique_ptr<x509_store_st, Release>;

  explicit TrustStore(Authorities authorities) noexcept;

  /// The authorities. Reads them if that was never done, was done a day ago, or if they have changed since. If that
  /// fails, the last ones stay.
  /// @returns  null if there are none, or if they could never be read.
  Reference get(Instant now) noexcept;

 private:
  Reference load() const noexcept;

  const Authorities authorities_;
  std::mutex mutex_;
  Reference store_;
  FileVersion file_ = {};
  FileVersion folder_ = {};
  Instant loaded_;
};

}}}  // namespace noun::curl
