#pragma once
/// @file
/// The options of a handle that are set once: restrictions of libcurl, TLS, the proxy, the callbacks. curl_options sets
/// those that differ from call to call.

#include <curl/curl.h>

#include <noun/result.hpp>
#include <noun/transport.hpp>

#include "curl/curl_exchange.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Checks the options of a transport: `tls` for a file that cannot be read or is not PEM, `invalid_argument` for a
/// proxy that is not a URL.
Result<void> check(const TransportOptions& options);

/// Sets all constant options of a new handle. Its callbacks use `exchange`, which must outlive it.
/// @returns  whether libcurl accepted them.
bool set_up(CURL* easy, const TransportOptions& options, Exchange& exchange) noexcept;

}}}  // namespace noun::curl
