#pragma once
/// @file
/// Turns libcurl's error codes, the operating system's and noun's own checks into an Error.

#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/result.hpp>
#include <noun/transport.hpp>

#include "curl/curl_transfer.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// `host:port` of an absolute URL, without userinfo; if no port is written, 443 for https, and for http `http_port`
/// (with its colon).
std::string peer_of(std::string_view url, std::string_view http_port = ":80");

/// The result of a transfer that ended in that way. Moves the response out of it if its head arrived.
Result<Response> outcome_of(Transfer& transfer, Ending ending, const Attempt& attempt);

/// The error of an attempt that libcurl refused to start, or whose body cannot be opened.
Error refusal(Transfer& transfer, CURLcode code, const Attempt& attempt);

/// The error if memory or descriptors ran out.
Error exhaustion(const Attempt& attempt, Sent sent);

/// The error of a stop request.
Error cancellation(const Attempt& attempt, Sent sent);

}}}  // namespace noun::curl
