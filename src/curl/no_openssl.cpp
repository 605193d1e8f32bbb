#include <utility>

#include "curl/curl_tls.hpp"

// Where libcurl uses the system's TLS: that reads the system's authorities itself, and libcurl reports a connection that
// ends without the end of its session.

struct x509_store_st {};

namespace noun { inline namespace v0 { namespace curl {

Authorities authorities_of(const Tls&) { return {}; }

void TrustStore::Release::operator()(x509_store_st*) const noexcept {}
TrustStore::TrustStore(Authorities authorities) noexcept : authorities_(std::move(authorities)) {}
TrustStore::Reference TrustStore::get(Instant) noexcept { return nullptr; }

bool session_closed(CURL*) noexcept { return true; }
bool agreed_on_http2(CURL*) noexcept { return false; }
bool keep_keys_secret(CURL*) noexcept { return true; }
bool share_trust(CURL*, TrustStore&) noexcept { return false; }

}}}  // namespace noun::curl
