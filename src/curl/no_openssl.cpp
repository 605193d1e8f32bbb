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
  // Libraries that are there, but not used, are in parentheses.
  const std::string_view all = found == nullptr ? "" : found;
  if (!all.empty() && !all.starts_with("Schannel") && all.find(" Schannel") == std::string_view::npos)
    return Error(Errc::tls, fmt::format("noun cannot detect truncated responses if libcurl uses {}", all),
                 "build libcurl with Schannel");
  if (!tls.client_certificate.empty() || !tls.client_key.empty())
    return Error(Errc::tls, "ClientOptions::tls.client_certificate is not supported on Windows",
                 "set ClientOptions::transport to a transport that presents the client certificate");
  return {};
}

Authorities authorities_of(const Tls&) { return {}; }

void TrustStore::Release::operator()(x509_store_st*) const noexcept {}
TrustStore::TrustStore(Authorities authorities) noexcept : authorities_(std::move(authorities)) {}
TrustStore::Reference TrustStore::get(Instant) noexcept { return nullptr; }

bool session_closed(CURL*) noexcept { return true; }
std::optional<bool> agreed_on_http2(CURL*) noexcept { return std::nullopt; }
bool has_unread_bytes(CURL*) noexcept { return false; }
bool keep_keys_secret(CURL*) noexcept { return true; }
bool share_trust(CURL*, TrustStore&) noexcept { return false; }

}}}  // namespace noun::curl
