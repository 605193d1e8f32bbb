#pragma once
/// @file
/// What every handle of a transport is told once, and never again: how far libcurl is trusted, TLS, the proxy, the
/// callbacks. What differs from call to call is in curl_options.

#include <curl/curl.h>

#include <noun/result.hpp>
#include <noun/transport.hpp>

#include "transport/curl_exchange.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Whether transports can be made with these options: `tls` for a file that cannot be read or is not PEM,
/// `invalid_argument` for a proxy that is not a URL.
Result<void> check(const TransportOptions& options);

/// Sets all options of a new handle that never change; its callbacks go to `exchange`, which must outlive it.
/// @returns  whether libcurl took them.
bool set_up(CURL* easy, const TransportOptions& options, Exchange& exchange) noexcept;

}}}  // namespace noun::curl
