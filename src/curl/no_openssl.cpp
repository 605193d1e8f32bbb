#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "curl/curl_tls.hpp"

// Where libcurl uses the system's TLS: that reads the system's authorities itself, and libcurl reports a connection that
// ends without the end of its session. That is so with Schannel; with OpenSSL it would not be.

struct x509_store_st {};

namespace noun { inline namespace v0 { namespace curl {

Result<void> check_library(const Tls& tls) {
  const char* const found = curl_version_info(CURLVERSION_NOW)->ssl_version;
  const std::string_view library = found == nullptr ? "" : found;
  if (!library.empty() && !library.starts_with("Schannel"))
    return Error(Errc::tls, fmt::format("libcurl uses {}, with which noun cannot tell a response that was cut", library),
                 "build libcurl with Schannel");
  if (!tls.client_certificate.empty() || !tls.client_key.empty())
    return Error(Errc::tls, "with Schannel, libcurl takes no client certificate in PEM format",
                 "give ClientOptions::transport one that presents the certificate");
  return {};
}

Authorities authorities_of(const Tls&) { return {}; }

void TrustStore::Release::operator()(x509_store_st*) const noexcept {}
TrustStore::TrustStore(Authorities authorities) noexcept : authorities_(std::move(authorities)) {}
TrustStore::Reference TrustStore::get(Instant) noexcept { return nullptr; }

bool session_closed(CURL*) noexcept { return true; }
bool agreed_on_http2(CURL*) noexcept { return false; }
bool keep_keys_secret(CURL*) noexcept { return true; }
bool share_trust(CURL*, TrustStore&) noexcept { return false; }

}}}  // namespace noun::curl
