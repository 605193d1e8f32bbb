#pragma once
/// @file
/// What libcurl does not do with OpenSSL: it takes any end of a connection for the end of the session, writes keys to a
/// file that the environment names, does not say that HTTP/2 was agreed on, keeps a connection with bytes after a
/// response, and reads the certificate authorities for each connection. Other TLS libraries are left alone.

#include <optional>

#include <curl/curl.h>

#include <noun/result.hpp>
#include <noun/transport.hpp>

#include "curl/trust_store.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// An error if the TLS library of libcurl cannot do what `tls` asks, or does not report a truncated response. Checked on
/// Windows only.
Result<void> check_library(const Tls& tls);

/// Whether the server has closed the TLS session of the running transfer (close_notify), so that its body is not cut.
/// True if that cannot be known. @source RFC 8446, section 6.1.
bool session_closed(CURL* easy) noexcept;

/// Whether the TLS session of the running transfer has agreed on HTTP/2 (ALPN). Nothing if that cannot be known.
std::optional<bool> agreed_on_http2(CURL* easy) noexcept;

/// Whether the TLS session of the running transfer has bytes that arrived and that libcurl has not read. False if that
/// cannot be known.
bool has_unread_bytes(CURL* easy) noexcept;

/// Keeps libcurl from writing the keys of sessions to the file SSLKEYLOGFILE.
/// @returns  whether memory sufficed.
bool keep_keys_secret(CURL* easy) noexcept;

/// Has the connections of the handle verified by `trust`, which must outlive it; libcurl then reads no authorities.
/// Call keep_keys_secret() before.
/// @returns  false if `trust` has none; libcurl then reads them, and reports why it cannot.
bool share_trust(CURL* easy, TrustStore& trust) noexcept;

}}}  // namespace noun::curl
