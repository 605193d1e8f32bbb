#include "export_environment.hpp"

#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "argument_values.hpp"

namespace noun_export {

void forget_environment(const Arguments& arguments) {
  std::vector<std::string> names = {"TERM", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", arguments.token_env,
                                    arguments.bookmark_key_env, arguments.share_env};
  if (arguments.from_environment)
    names.insert(names.end(), {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
                               "NO_PROXY"});
  std::vector<std::pair<std::string, std::string>> kept;
  for (auto& name : names)
    if (const char* value = std::getenv(name.c_str()); value != nullptr) kept.emplace_back(std::move(name), value);
  ::clearenv();
  for (const auto& [name, value] : kept)
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) throw std::bad_alloc();
}

std::string environment_text() {
  return R"(  NAME   the token, with --token-env NAME; the key, with --bookmark-key-env NAME; the place of
         shared quotas, with --share-env NAME
  TERM   dumb or not set: plain lines instead of the live line
  TZ     the time zone of displayed times
  SSL_CERT_FILE, SSL_CERT_DIR   the certificate authorities, if libcurl has none of its own
  https_proxy, http_proxy, all_proxy, no_proxy   the proxy, with --from-environment; all except
         http_proxy also in capitals
  All other variables are removed at the start, so that no library reads them.
)";
}

std::string secret_in_environment(const char* option, const std::string& name, const char* what) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0')
    throw Misuse(fmt::format("the environment variable {} ({}) is not set; set it to the {} and export it.", name,
                             option, what));
  return value;
}

std::string bookmark_key_of(const Arguments& arguments) {
  const auto& name = arguments.bookmark_key_env;
  return name.empty() ? std::string() : secret_in_environment("--bookmark-key-env", name, "key");
}

}  // namespace noun_export
