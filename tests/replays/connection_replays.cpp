// What one request leaves behind for the next: its response, its body, its fields, its descriptors.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>

#include <sys/syscall.h>
#include <unistd.h>

#include "os/temporary_folder.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {

std::atomic<int> closed_twice = 0;

namespace {

using namespace std::chrono_literals;

std::string body_of(const std::string& request) { return request.substr(request.find("\r\n\r\n") + 4); }

/// The response to a request that timed out.
void late_response() {
  Gate over;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (peer.number() == 0) over.wait();
    peer.send(http_response(peer.number() == 0 ? "late" : "in time"));
    peer.until_closed();
  });
  const auto api = client_of(server.url());
  EXPECT_THAT(api.send({.path = "x"}, {.attempt_timeout = 1s}), FailsWith(Errc::timeout, Sent::maybe));
  over.open();
  EXPECT_EQ(api.send({.path = "y"}).value().body, "in time");
}

/// Many requests with bodies at once, each of which is sent again.
void bodies_of_retries() {
  constexpr int count = 32;
  std::mutex mutex;
  std::set<std::string> known;
  RawServer server([&](Peer& peer) {
    while (const auto request = peer.request()) {
      const std::lock_guard lock(mutex);
      const bool is_first = known.insert(request->substr(0, request->find(" HTTP"))).second;
      peer.send(is_first ? http_response("", "Retry-After: 0\r\n", "503 Busy") : http_response("1"));
    }
  });
  const noun::Client api{server.url(), {.quota = {.in_flight_unknown = count}}};
  std::vector<noun::Operation<noun::Json>> all;
  std::multiset<std::string> expected;
  for (int i = 0; i < count; ++i) {
    const noun::Json text = fmt::format("{:*>{}}", i, 1 + i * i);
    all.push_back(noun::op::replace(api.collection("things")[i], text));
    for (int attempt = 0; attempt < 2; ++attempt) expected.insert(text.dump());
  }
  for (auto& each : api.run_all(all, {.in_flight = count})) EXPECT_TRUE(each) << each;
  std::multiset<std::string> received;
  for (const auto& request : server.requests()) received.insert(body_of(request));
  EXPECT_TRUE(received == expected);
}

/// A POST with a file or a text, after a PUT whose body was read from a file.
Situation post_after_put(bool with_file) {
  return [=] {
    RawServer server(always(http_response("")));
    const TemporaryFolder folder;
    folder.write("secret", secret.text);
    folder.write("other", "other");
    const auto api = client_of(server.url());
    const auto body = with_file ? noun::body::file(folder.path("other")) : noun::Body("other");
    EXPECT_TRUE(api.send({.method = Method::put, .path = "x", .body = noun::body::file(folder.path("secret"))}));
    EXPECT_TRUE(api.send({.method = Method::post, .path = "y", .body = body}));
    EXPECT_EQ(server.connections(), 1U);
    EXPECT_THAT(server.last_request(), AllOf(StartsWith("POST /y "), EndsWith("\r\n\r\nother"), Not(HasSecret())));
  };
}

/// A field of one call, and the next call on its connection.
Situation field_of_a_call(std::string name) {
  return [=] {
    RawServer server(always(http_response("1")));
    const auto api = client_of(server.url());
    EXPECT_TRUE(api.send({.path = "x", .headers = {{name, secret.text}}}));
    EXPECT_TRUE(api.send({.path = "y"}));
    EXPECT_EQ(server.connections(), 1U);
    EXPECT_THAT(server.requests(), ElementsAre(HasSecret(), Not(HasSubstr(name))));
  };
}

/// Two clients with different tokens, which share their connections.
void tokens_of_clients() {
  RawServer server(always(http_response("1")));
  const auto with = [&](const char* token) {
    return client_of(server.url(), {}, {.credentials = noun::bearer(token), .identity = "replays of tokens"});
  };
  const auto one = with("token-one");
  const auto two = with("token-two");
  for (const auto* api : {&one, &two}) EXPECT_TRUE(api->send({.path = "x"}));
  EXPECT_EQ(server.connections(), 1U);
  EXPECT_THAT(server.requests(), ElementsAre(HasSubstr("-one"), AllOf(HasSubstr("-two"), Not(HasSubstr("-one")))));
}

/// A Digest challenge, which noun does not answer: neither there nor at the next host, of a client that shares handles.
void challenge_of_another_host() {
  const std::string digest = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n";
  RawServer first(always(http_response("", digest, "401 Unauthorized")));
  RawServer second(always(http_response("1")));
  const auto one = client_of(first.url(), as_password, {.identity = "replays of challenges"});
  const auto two = client_of(second.url(), {}, {.identity = "replays of challenges"});
  EXPECT_THAT(one.send({.path = "x"}), FailsWith(Errc::unauthorized, Sent::answered));
  EXPECT_TRUE(two.send({.path = "x"}));
  EXPECT_THAT(first.requests(), ElementsAre(HasSubstr("Authorization: Basic ")));
  EXPECT_THAT(second.requests(), ElementsAre(Not(HasSubstr("Authorization"))));
}

/// The program's alarm, while names are resolved. Only a libcurl that does so without a thread would touch it.
void alarm_of_the_program() {
  struct sigaction before {
  }, after{};
  ::sigaction(SIGALRM, nullptr, &before);
  ::alarm(1000);
  RawServer server(always(http_response("1")));
  const noun::ClientOptions options{.timeouts = {.connect = 1500ms}};
  EXPECT_TRUE(client_of(fmt::format("http://localhost:{}/", server.port()), {}, options).send({.path = "x"}));
  EXPECT_FALSE(client_of("http://nowhere.invalid/", {}, options).send({.path = "x"}));
  EXPECT_GT(::alarm(0), 900U);
  ::sigaction(SIGALRM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

/// The descriptors of name resolutions and of loops.
void descriptors() {
  RawServer server(always(http_response("1")));
  closed_twice = 0;
  for (int i = 0; i < 10; ++i) {
    const auto api = client_of(fmt::format("http://localhost:{}/", server.port()));
    const std::vector<noun::Operation<noun::Json>> all(8, noun::op::get(api.singleton("x")));
    for (auto& each : api.run_all(all)) EXPECT_TRUE(each) << each;
    EXPECT_TRUE(api.send({.path = "x"}));
  }
  EXPECT_EQ(closed_twice, 0);
}

}  // namespace

Replays of_connections() {
  return {
      {"CVE-2019-16779", "excon gave the response of an interrupted request to the next one", late_response},
      {"CVE-2023-45286", "resty sent the buffer of another request when it retried", bodies_of_retries},
      {"CVE-2022-32221", "curl read the body of a POST as that of the PUT before it", post_after_put(false)},
      {"CVE-2023-28322", "curl called the PUT's read callback for the POST after it", post_after_put(true)},
      {"CVE-2015-3236", "curl sent the credentials of one request with the next", field_of_a_call("Authorization")},
      {"CVE-2026-9546", "curl sent the Referer of an earlier request", field_of_a_call("Referer")},
      {"CVE-2022-22576", "curl used a connection of one bearer token for another", tokens_of_clients},
      {"CVE-2026-11856", "curl sent the Digest credentials for one host to the next", challenge_of_another_host},
      {"CVE-2023-28320", "curl used SIGALRM to limit name resolution", alarm_of_the_program},
      {"CVE-2025-0665", "curl closed a descriptor of a name resolution twice", descriptors},
  };
}

}}  // namespace noun_test::replays

// Counts what is closed without being open.
extern "C" int close(int descriptor) {
  const auto result = static_cast<int>(::syscall(SYS_close, descriptor));
  if (result != 0 && errno == EBADF) ++noun_test::replays::closed_twice;
  return result;
}
