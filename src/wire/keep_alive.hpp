#pragma once
/// @file
/// The Keep-Alive field.

#include <chrono>
#include <optional>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// How long the server keeps a connection without a request: the shortest `timeout` of `timeout=5, max=100`, at most a
/// day. Nothing if there is none that is a number of seconds.
/// @source RFC 2068, section 19.7.1; draft-thomson-hybi-http-timeout-03, section 2.
std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value);

}}}  // namespace noun::wire
