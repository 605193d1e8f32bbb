#pragma once
/// @file
/// The multiplexer over libcurl: one multi handle with all attempts in it, and the connections that they share.

#include <memory>

#include <noun/multiplexer.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// A multiplexer with connections of its own, or null when memory or descriptors ran out. On a Unix socket each attempt
/// makes its own connection.
std::unique_ptr<Multiplexer> make_multiplexer(const TransportOptions& options);

}}}  // namespace noun::curl
