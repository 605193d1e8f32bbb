#include <initializer_list>

#include <noun/options.hpp>

#include "curl/proxy_choice.hpp"
#include "os/process.hpp"

namespace noun { inline namespace v0 {
namespace {

/// The first variable that is not empty.
std::string first_of(std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (auto value = environment_variable(name); !value.empty()) return value;
  return {};
}

}  // namespace

std::string proxy_from_environment() {
  return proxy_setting({.http = first_of({"http_proxy", "all_proxy", "ALL_PROXY"}),
                              .https = first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
                              .none = first_of({"no_proxy", "NO_PROXY"})});
}

}}  // namespace noun
