#pragma once
/// @file
/// What went wrong, told: from libcurl's codes, the operating system's, and noun's own findings to one Error. Nothing
/// is decided here about what to do next.

#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/result.hpp>
#include <noun/transport.hpp>

#include "transport/curl_transfer.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// `host:port` of an absolute URL, without userinfo; the scheme's own port if none is written.
std::string peer_of(std::string_view url);

/// What came of a transfer that ended that way. Takes the response out of it if its head came.
Result<Response> outcome_of(Transfer& transfer, Ending ending, const Attempt& attempt);

/// The error of an attempt that libcurl refused before it began.
Error refusal(CURLcode code, const Attempt& attempt);

/// Out of memory or descriptors.
Error exhaustion(const Attempt& attempt, Sent sent);

/// A stop request.
Error cancellation(const Attempt& attempt, Sent sent);

}}}  // namespace noun::curl
