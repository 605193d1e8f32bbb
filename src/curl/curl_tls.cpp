#include "curl/curl_tls.hpp"

#include <chrono>

#include "os/steady_now.hpp"

// OpenSSL is libcurl's choice: where libcurl has none, noun needs none. Hence weak declarations instead of its headers.
struct ssl_st;
struct ssl_ctx_st;
extern "C" {
[[gnu::weak]] int SSL_get_shutdown(const ssl_st* session);
[[gnu::weak]] int SSL_has_pending(const ssl_st* session);
[[gnu::weak]] void SSL_get0_alpn_selected(const ssl_st* session, const unsigned char** name, unsigned* length);
[[gnu::weak]] void SSL_CTX_set_keylog_callback(ssl_ctx_st* context, void (*callback)(const ssl_st*, const char*));
[[gnu::weak]] long SSL_CTX_ctrl(ssl_ctx_st* context, int command, long number, void* data);
}

namespace noun { inline namespace v0 { namespace curl {
namespace {

constexpr int received_shutdown = 2;   // SSL_RECEIVED_SHUTDOWN
constexpr int set_verify_store = 106;  // SSL_CTRL_SET_VERIFY_CERT_STORE
constexpr int set_chain_store = 107;   // SSL_CTRL_SET_CHAIN_CERT_STORE

// Null if libcurl uses another TLS library.
const curl_tlssessioninfo* openssl_of(CURL* easy) noexcept {
  const curl_tlssessioninfo* info = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == nullptr) return nullptr;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info : nullptr;
}

// Null if the running transfer has none.
const ssl_st* session_of(CURL* easy) noexcept {
  const auto* const openssl = openssl_of(easy);
  return openssl == nullptr ? nullptr : static_cast<const ssl_st*>(openssl->internals);
}

CURLcode on_context(CURL*, void* context, void* trust) noexcept {
  auto* const tls = static_cast<ssl_ctx_st*>(context);
  if (SSL_CTX_set_keylog_callback != nullptr) SSL_CTX_set_keylog_callback(tls, nullptr);
  if (trust == nullptr) return CURLE_OK;
  // libcurl changes the context's own store. In place of it, this one verifies the server, and completes the chain of a
  // client certificate.
  const auto store = static_cast<TrustStore*>(trust)->get(steady_now());
  const bool taken = SSL_CTX_ctrl(tls, set_verify_store, 1, store.get()) == 1 &&
                     SSL_CTX_ctrl(tls, set_chain_store, 1, store.get()) == 1;
  return taken ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

}  // namespace

Result<void> check_library(const Tls&) { return {}; }

bool session_closed(CURL* easy) noexcept {
  const auto* const session = session_of(easy);
  return session == nullptr || SSL_get_shutdown == nullptr || (SSL_get_shutdown(session) & received_shutdown) != 0;
}

std::optional<bool> agreed_on_http2(CURL* easy) noexcept {
  const auto* const session = session_of(easy);
  if (session == nullptr || SSL_get0_alpn_selected == nullptr) return std::nullopt;
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(session, &name, &length);
  return length == 2 && name[0] == 'h' && name[1] == '2';
}

bool has_unread_bytes(CURL* easy) noexcept {
  const auto* const session = session_of(easy);
  return session != nullptr && SSL_has_pending != nullptr && SSL_has_pending(session) == 1;
}

bool keep_keys_secret(CURL* easy) noexcept {
  return openssl_of(easy) == nullptr || curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &on_context) == CURLE_OK;
}

bool share_trust(CURL* easy, TrustStore& trust) noexcept {
  const auto set = [easy](CURLoption option, auto value) { return curl_easy_setopt(easy, option, value) == CURLE_OK; };
  const char* const nothing = nullptr;
  return openssl_of(easy) != nullptr && SSL_CTX_ctrl != nullptr && trust.get(steady_now()) &&
         set(CURLOPT_SSL_CTX_DATA, &trust) && set(CURLOPT_CAINFO, nothing) && set(CURLOPT_CAPATH, nothing);
}

}}}  // namespace noun::curl
