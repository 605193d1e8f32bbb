#include <cstdlib>
#include <initializer_list>

#include <noun/options.hpp>

#include "curl/proxy_choice.hpp"

namespace noun { inline namespace v0 {
namespace {

/// The first variable that is not empty.
std::string first_of(std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (const auto* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

}  // namespace

std::string proxy_from_environment() {
  return proxy_setting({.http = first_of({"http_proxy", "all_proxy", "ALL_PROXY"}),
                              .https = first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
                              .none = first_of({"no_proxy", "NO_PROXY"})});
}

}}  // namespace noun
