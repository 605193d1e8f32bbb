#pragma once
/// @file
/// The multiplexer over libcurl: a few multi handles in one loop for all attempts, which share their connections.

#include <memory>

#include <noun/transport.hpp>

#include "curl/trust_store.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Makes a multiplexer with its own connections. On a Unix socket each attempt opens its own connection. Throws
/// std::bad_alloc, or std::system_error if memory or descriptors ran out.
std::unique_ptr<Multiplexer> make_multiplexer(const TransportOptions& options, std::shared_ptr<TrustStore> trust);

}}}  // namespace noun::curl
