#include "faults/fault.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace noun_test {
namespace {

/// Responds to the first request of all with `first`, and runs the script on the next connection; or on the same one.
RawServer::Script after(std::string first, bool on_the_same, RawServer::Script script) {
  return [=, is_first = std::make_shared<std::atomic<bool>>(true)](RawServer::Peer& peer) {
    const bool greets = is_first->exchange(false);
    if (greets && !(peer.request() && peer.send(first))) return;
    if (!greets || on_the_same) script(peer);
  };
}

}  // namespace

Site site_of(const Fault& fault, const std::string& first) {
  if (fault.place) return fault.place();
  auto script = fault.script;
  if (!first.empty()) script = after(first + fault.unsolicited, fault.reused, std::move(script));
  if (!fault.tls.certificate.empty()) script = secured(fault.tls, std::move(script));
  const auto server = std::make_shared<RawServer>(std::move(script));
  return {server->url("/", fault.tls.spoken ? "https" : "http"), server,
          [server] { return server->requests().size(); }};
}

std::vector<FaultGroup> all_faults() {
  std::vector<FaultGroup> groups{{"on the way", faults_on_the_way()},
                                 {"TLS", faults_of_tls()},
                                 {"before the head", faults_before_the_head()},
                                 {"in the head", faults_in_the_head()},
                                 {"in the body", faults_in_the_body()},
                                 {"content codings", faults_of_codings()},
                                 {"JSON", faults_of_json()},
                                 {"statuses", faults_of_statuses()},
                                 {"redirects", faults_of_redirects()},
                                 {"HTTP/2", faults_of_http2()},
                                 {"reused connections", faults_of_reused_connections()},
                                 {"tolerated", tolerated_faults()}};
  for (auto& group : groups)
    for (auto& fault : group.faults)
      if (fault.code == noun::Errc::too_large) fault.attempts = 1;
  return groups;
}

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

}  // namespace noun_test
