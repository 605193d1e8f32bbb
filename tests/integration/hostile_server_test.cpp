// Clients of a server that tries to send them elsewhere, with two real servers: the other one receives no byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <noun/noun.hpp>

#include "curl/raw_server.hpp"
#include "wire/hostile_targets.hpp"

namespace integration { namespace hostile_server_test {

using noun_test::http_response;
using noun_test::RawServer;
using noun_test::TargetOrigin;
using Peer = RawServer::Peer;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* canary = "canary-token-0815";

TargetOrigin origin_of(const RawServer& server) {
  return {"http", "127.0.0.1", ":" + std::to_string(server.port())};
}

/// Ways to name the target: a redirect, and the next page in each place.
struct Way {
  const char* name;
  noun::Paging paging;
  std::function<std::string(const std::string& target)> response;
};

std::vector<Way> ways() {
  using namespace noun::paging;
  const auto page = [](const noun::Json& next) {
    return http_response(noun::Json{{"items", {1, 2}}, {"next", next}}.dump(), "Content-Type: application/json\r\n");
  };
  const auto with_field = [](const std::string& field) { return http_response(R"({"items": [1, 2]})", field); };
  std::vector<Way> all;
  for (const auto* status : {"301 Moved", "302 Found", "307 Temporary", "308 Permanent"})
    all.push_back({status, {.style = SinglePage{}, .items = "/items"}, [status](const auto& target) {
                     return http_response("", "Location: " + target + "\r\n", status);
                   }});
  all.push_back({"Link", {.style = LinkHeader{}, .items = "/items"}, [=](const auto& target) {
                   return with_field("Link: <" + target + ">; rel=\"next\"\r\n");
                 }});
  all.push_back({"header", {.style = NextUrl{.from_header = "X-Next"}, .items = "/items"}, [=](const auto& target) {
                   return with_field("X-Next: " + target + "\r\n");
                 }});
  all.push_back({"member", {.style = NextUrl{.from = "/next"}, .items = "/items"}, page});
  return all;
}

noun::ClientOptions with_canaries(noun::Paging paging) {
  return {.credentials = noun::bearer(canary),
          .dialect = {.paging = std::move(paging)},
          .retry = {.max_attempts = 1},
          .headers = {{"X-Api-Key", canary}, {"Cookie", canary}},
          .query = {{"api_key", canary}}};
}

/// What a listing at `own` says of its errors.
std::string listed(const RawServer& own, noun::ClientOptions options) {
  const noun::Client api{own.url("/v1"), std::move(options)};
  std::string messages;
  for (const auto& item : api.collection("numbers").list())
    if (!item) messages += item.error().message() + "\n";
  return messages;
}

TEST(HostileServer, sends_no_byte_to_another_origin_by_any_target) {
  RawServer other(noun_test::always(http_response("[666]")));
  for (const auto& way : ways()) {
    std::mutex mutex;
    std::string response;
    RawServer own([&](Peer& peer) {
      for (bool more = true; more && peer.request();) {
        std::string now;
        {
          const std::lock_guard lock(mutex);
          now = response;
        }
        more = peer.send(now);
      }
    });
    for (const auto& target : noun_test::hostile_targets(origin_of(own), origin_of(other))) {
      SCOPED_TRACE(std::string(way.name) + " " + target.substr(0, 80));
      {
        const std::lock_guard lock(mutex);
        response = way.response(target);
      }
      const auto before = own.connections();
      EXPECT_THAT(listed(own, with_canaries(way.paging)), Not(HasSubstr(canary)));
      // A second one would be TLS to the port of plain HTTP.
      EXPECT_EQ(own.connections() - before, 1U);
    }
    EXPECT_THAT(own.requests(), Each(AllOf(HasSubstr("Bearer canary"), HasSubstr("X-Api-Key: canary"))));
    EXPECT_EQ(other.connections(), 0U) << way.name;
  }
}

TEST(HostileServer, is_followed_to_an_origin_that_the_client_trusts) {
  RawServer other(noun_test::always(http_response("{\"items\": []}")));
  for (const auto& way : ways()) {
    if (way.paging.style.index() == noun::Paging{.style = noun::paging::SinglePage{}}.style.index()) continue;
    RawServer own(noun_test::always(way.response(other.url("/v1/x"))));
    auto options = with_canaries(way.paging);
    options.trusted_origins = {other.url("")};
    EXPECT_THAT(listed(own, options), IsEmpty()) << way.name;
  }
  EXPECT_THAT(other.requests(), SizeIs(3));
}

TEST(HostileServer, receives_the_credentials_of_each_client_alone) {
  RawServer server(noun_test::always(http_response("1")));
  // One identity shares the connections, never the fields.
  const auto client = [&](const char* token, std::string identity) {
    return noun::Client{server.url(""), {.credentials = noun::bearer(token), .identity = std::move(identity)}};
  };
  const auto first = client("one", "hostile-server");
  const auto second = client("two", "hostile-server");
  const auto other = client("three", "hostile-server-other");
  const auto nameless = client("four", "");
  int changes = 0;
  const noun::Client changing{server.url(""), {.credentials = [&](const auto&) {
                                return noun::Headers{{"Authorization", "Bearer new-" + std::to_string(++changes)}};
                              }}};
  std::vector<std::string> tokens;
  for (int i = 0; i < 2; ++i)
    for (const auto* api : {&first, &second, &other, &nameless, &changing}) {
      ASSERT_TRUE(api->singleton("x").get());
      const auto request = server.last_request();
      const auto at = request.find("Bearer ") + 7;
      tokens.push_back(request.substr(at, request.find("\r\n", at) - at));
      EXPECT_EQ(request.find("Bearer ", at), std::string::npos) << "one field";
    }
  EXPECT_THAT(tokens, ::testing::ElementsAre("one", "two", "three", "four", "new-1", "one", "two", "three", "four",
                                             "new-2"));
  EXPECT_EQ(server.connections(), 4U);
}

}  // namespace hostile_server_test
}  // namespace integration
