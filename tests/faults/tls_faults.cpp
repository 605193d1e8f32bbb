// Faults of TLS, and the servers that speak it.
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "curl/certificates.hpp"
#include "curl/raw_responses.hpp"
#include "curl/tls_peer.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

using noun::Errc;
using noun::Sent;
using Peer = RawServer::Peer;

/// Each takes two processes of openssl, so they are made once.
struct Authorities {
  Certificates certificates;

  Authorities() {
    auto& all = certificates;
    all.issue("authority", "", {.subject = "DNS:authority.test", .authority = true});
    all.issue("between", "authority", {.subject = "DNS:between.test", .authority = true});
    all.issue("stranger", "", {.subject = "DNS:stranger.test", .authority = true});
    all.issue("sound", "authority", {});
    all.issue("expired", "authority", {.from = "20200101000000Z", .until = "20201231000000Z"});
    all.issue("not_yet_valid", "authority", {.from = "20990101000000Z", .until = "20991231000000Z"});
    all.issue("of_another_host", "authority", {.subject = "DNS:other.test"});
    all.issue("of_another_address", "authority", {.subject = "IP:127.0.0.9"});
    all.issue("of_an_unknown_authority", "stranger", {});
    all.issue("without_the_one_between", "between", {});
    all.make("self_signed");
  }
};

const Certificates& certificates() {
  static const Authorities all;
  return all.certificates;
}

const Tls sound = {.spoken = true, .certificate = "sound"};

/// What a server sends in place of a handshake, after the client's first message.
Fault no_handshake(std::string name, RawServer::Script script, std::size_t attempts) {
  return {.name = std::move(name),
          .code = Errc::tls,
          .script = std::move(script),
          .sent = Sent::no,
          .attempts = attempts,
          .tls = {.spoken = true}};
}

RawServer::Script replies(std::string bytes) {
  return [bytes = std::move(bytes)](Peer& peer) {
    peer.some();
    peer.send(bytes);
    peer.until_closed();
  };
}

Fault untrusted(std::string certificate) {
  return {.name = "certificate_" + certificate,
          .code = Errc::tls,
          .script = always(http_response("[1,2]")),
          .sent = Sent::no,
          .attempts = 1,
          .tls = {.spoken = true, .certificate = certificate}};
}

}  // namespace

RawServer::Script secured(const Tls& tls, RawServer::Script script) {
  return [tls, script = std::move(script)](RawServer::Peer& peer) {
    try {
      TlsPeer session(certificates(), tls.certificate, peer,
                      {.version = tls.old ? TLS1_1_VERSION : TLS1_3_VERSION, .http2 = tls.http2});
      peer.use([&] { return session.some(); }, [&](std::string_view bytes) { return session.send(bytes); });
      script(peer);
    } catch (const std::runtime_error&) {
      // The client refused it.
    }
  };
}

std::string trusted_authority() { return certificates().path("authority.pem"); }

std::vector<Fault> faults_of_tls() {
  const auto cut = [](std::string name, std::string bytes) {
    return Fault{.name = std::move(name),
                 .code = Errc::truncated,
                 .script = says(std::move(bytes)),
                 .sent = Sent::answered,
                 .tls = sound};
  };
  return {
      untrusted("expired"),
      untrusted("not_yet_valid"),
      untrusted("of_another_host"),
      untrusted("of_another_address"),
      untrusted("self_signed"),
      untrusted("of_an_unknown_authority"),
      untrusted("without_the_one_between"),
      no_handshake(
          "handshake_reset",
          [](Peer& peer) {
            peer.some();
            peer.reset();
          },
          3),
      no_handshake(
          "handshake_closed", [](Peer& peer) { peer.some(); }, 3),
      no_handshake("plain_http_on_the_tls_port", replies("HTTP/1.1 400 Bad Request\r\n\r\n"), 1),
      no_handshake("handshake_alert", replies(std::string("\x15\x03\x03\x00\x02\x02\x28", 7)), 1),
      {.name = "handshake_stalls",
       .code = Errc::timeout,
       .script = [](Peer& peer) { peer.until_closed(); },
       .sent = Sent::no,
       .hangs = true,
       .tls = {.spoken = true}},
      {.name = "old_version",
       .code = Errc::tls,
       .script = always(http_response("[1,2]")),
       .sent = Sent::no,
       .attempts = 1,
       .tls = {.spoken = true, .certificate = "sound", .old = true}},
      {.name = "session_ends_before_the_response", .code = Errc::send, .script = says(""), .tls = sound},
      cut("session_ends_in_the_body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1,2]"),
      // Without a length only close_notify shows that the body is whole.
      cut("session_ends_in_a_body_without_a_length", "HTTP/1.1 200 OK\r\n\r\n[1,2"),
      {.name = "sound_session", .code = {}, .script = always(http_response("[1,2]")), .tls = sound},
  };
}

}  // namespace noun_test
