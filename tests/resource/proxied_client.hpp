#pragma once
/// @file
/// Clients with a proxy or TLS settings whose attempts a test receives: a client that is made with a transport has neither.

#include <memory>
#include <utility>

#include <noun/noun.hpp>

#include "resource/client_core.hpp"

namespace resource_test {

/// Makes a client without a transport of the program, and gives it this one.
inline noun::Result<noun::Client> proxied_client(std::shared_ptr<noun::Transport> transport, noun::Text base_url,
                                                 noun::ClientOptions options) {
  options.transport = nullptr;
  auto client = noun::Client::create(base_url, std::move(options));
  if (client) {
    const auto base = noun::detail::ClientAccess::base(*client);
    noun::detail::AddressAccess::core_of(base)->driver_context.transport = std::move(transport);
  }
  return client;
}

}  // namespace resource_test
