#pragma once
/// @file
/// Replays: what happened to other HTTP clients, as CVEs and GHSAs report it, and the same situation for noun.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <noun/noun.hpp>

#include "curl/certificates.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "journeys/canary.hpp"

namespace noun_test { namespace replays {

using namespace std::literals;
using namespace ::testing;
using noun::Errc;
using noun::Method;
using noun::Sent;
using Peer = RawServer::Peer;

/// Checks what noun does.
using Situation = std::function<void()>;

/// One vulnerability of another client.
struct Replay {
  std::string number;    ///< of the CVE or GHSA
  std::string happened;  ///< what happened to the other client
  Situation with_noun;   ///< the same situation
};
using Replays = std::vector<Replay>;

/// @{
/// By lesson.
Replays of_redirects();
Replays of_proxies();
Replays of_urls();
Replays of_injection();
Replays of_framing();
Replays of_limits();
Replays of_connections();
Replays of_tls();
Replays of_cookies();
Replays of_output();
/// @}

/// The secret of the program.
inline const canary::Secret secret(815, canary::legal_everywhere);
/// Matches text that has the secret in any spelling.
MATCHER(HasSecret, "") { return !canary::found(secret, arg).empty(); }

/// Puts the secret into the options of a client.
using Put = std::function<void(noun::ClientOptions&)>;
inline Put in_header(std::string name, std::string scheme = "") {
  return [=](noun::ClientOptions& options) { options.headers.add(name, scheme + secret.text); };
}
inline void as_bearer(noun::ClientOptions& options) { options.credentials = noun::bearer(secret.text); }
inline void as_password(noun::ClientOptions& options) { options.credentials = noun::basic("user", secret.text); }

/// A client that makes one attempt for each call.
inline noun::Client client_of(const std::string& base_url, const Put& put = {}, noun::ClientOptions options = {}) {
  options.retry.max_attempts = 1;
  if (put) put(options);
  return noun::Client{base_url, std::move(options)};
}

inline noun::Result<noun::Download> downloaded(const noun::Client& api, std::string path = "x") {
  return api.download({.path = std::move(path)}, [](std::string_view) {});
}
/// @{
/// The first error of a listing, or of a stream.
inline std::optional<noun::Error> listed(const noun::Client& api) {
  for (const auto& item : api.collection("things").list())
    if (!item) return item.error();
  return std::nullopt;
}
inline std::optional<noun::Error> streamed(const noun::Client& api, std::string path = "x") {
  for (const auto& event : api.stream({.path = std::move(path)}))
    if (!event) return event.error();
  return std::nullopt;
}
/// @}

inline std::string redirect_to(std::string_view target, std::string_view status = "302 Found") {
  return http_response("", fmt::format("Location: {}\r\n", target), status);
}

/// NAME.pem and NAME.key of `own`, for 127.0.0.1, and of others.
const Certificates& certificates();

}}  // namespace noun_test::replays
