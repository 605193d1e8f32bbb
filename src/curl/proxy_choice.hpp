#pragma once
/// @file
/// Which proxy a host is reached by.

#include <string>
#include <string_view>

#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// The proxies of an environment, as curl names them; empty for none.
struct ProxyVariables {
  std::string http = {};
  std::string https = {};
  std::string none = {};  ///< the hosts that are reached directly
};

/// Writes the variables as one text for proxy_for(); empty if there is no proxy.
std::string proxy_setting(const ProxyVariables& variables);

/// Returns the proxy for an origin as a URL, or empty.
/// @param setting  a URL, or what proxy_setting() returned. A proxy without a scheme is an http one.
std::string proxy_for(std::string_view setting, const wire::UrlOrigin& origin);

/// Whether others can read the requests to an origin: they are plain http and leave this machine, or go to a proxy.
bool is_readable(const wire::UrlOrigin& origin, std::string_view proxy_setting);

}}  // namespace noun
