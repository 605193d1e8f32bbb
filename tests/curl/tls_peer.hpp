#pragma once
/// @file
/// The server's side of a TLS session on a connection of a RawServer, which decides how the session ends.

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "curl/certificates.hpp"
#include "curl/raw_server.hpp"

namespace noun_test {

struct TlsTerms {
  /// The latest.
  int version = TLS1_3_VERSION;
  /// Whether HTTP/2 is agreed on.
  bool http2 = false;
  /// A file with the certificates that clients must have one of; empty if they need none.
  std::string clients = {};
};

/// Its destructor ends the session without a word (close_notify). Use it on the connection's own thread: SIGPIPE is
/// blocked there.
class TlsPeer {
 public:
  TlsPeer(const Certificates& certificates, const std::string& name, RawServer::Peer& peer, TlsTerms terms = {})
      : context_(SSL_CTX_new(TLS_server_method())) {
    block_sigpipe();
    SSL_CTX_use_certificate_file(context_, certificates.path(name + ".pem").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_, certificates.path(name + ".key").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_max_proto_version(context_, terms.version);
    if (terms.version < TLS1_2_VERSION) SSL_CTX_set_cipher_list(context_, "DEFAULT:@SECLEVEL=0");
    if (terms.http2) SSL_CTX_set_alpn_select_cb(context_, agree_on_http2, nullptr);
    if (!terms.clients.empty()) {
      SSL_CTX_load_verify_locations(context_, terms.clients.c_str(), nullptr);
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    session_ = SSL_new(context_);
    SSL_set_fd(session_, peer.descriptor());
    if (SSL_accept(session_) == 1) return;
    SSL_free(session_);
    SSL_CTX_free(context_);
    throw std::runtime_error("no TLS session");
  }
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;
  ~TlsPeer() {
    SSL_free(session_);
    SSL_CTX_free(context_);
  }

  /// The next bytes received; empty if the session ended.
  std::string some() {
    std::array<char, 4096> bytes;
    const int count = SSL_read(session_, bytes.data(), static_cast<int>(bytes.size()));
    return {bytes.data(), static_cast<std::size_t>(count > 0 ? count : 0)};
  }
  bool send(std::string_view bytes) { return SSL_write(session_, bytes.data(), static_cast<int>(bytes.size())) > 0; }
  /// Sends close_notify.
  void close() { SSL_shutdown(session_); }

 private:
  /// OpenSSL writes without a flag against it.
  static void block_sigpipe() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  }
  static int agree_on_http2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char*, unsigned,
                            void*) {
    *chosen = reinterpret_cast<const unsigned char*>("h2");
    *size = 2;
    return SSL_TLSEXT_ERR_OK;
  }

  SSL_CTX* context_;
  SSL* session_ = nullptr;
};

}  // namespace noun_test
