// Tests of next links to other origins: refused without sending, unless the caller trusts the origin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"
#include "wire/url.hpp"

namespace resource_test { namespace listing_origins_test {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* canary = "canary-token-0815";

/// The API, and other origins that respond to everything, in one transport.
struct TwoServers : Bench {
  class Network final : public noun::Transport {
   public:
    noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
      const auto host = noun::wire::split_url(attempt.url).authority;
      if (host == "api.example.com") return own.send(attempt, stop);
      foreign_urls.emplace_back(attempt.url);
      for (const auto& field : attempt.headers)
        if (field.value.find(canary) != std::string::npos) leaked = true;
      return noun::Response{.status = 200, .body = "[666]"};
    }

    PageTransport own;
    std::vector<std::string> foreign_urls;
    bool leaked = false;
  };

  std::shared_ptr<Network> network = std::make_shared<Network>();

  noun::Listing<int> listing(noun::ClientOptions options = {}) {
    options.credentials = noun::bearer(canary);
    options.transport = network;
    return client(std::move(options)).collection<int>("numbers").list();
  }
};

class ForeignLink : public ::testing::TestWithParam<const char*> {};

TEST_P(ForeignLink, is_refused_after_the_items_of_its_page_and_nothing_is_sent_there) {
  TwoServers bench;
  bench.network->own.page(numbers_url, "[1, 2]", next(GetParam()));
  auto listing = bench.listing();
  std::vector<int> taken;
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (number)
      taken.push_back(*number);
    else
      error = number.error();
  EXPECT_THAT(taken, ElementsAre(1, 2));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::refused);
  EXPECT_THAT(error->message(), AnyOf(HasSubstr("nothing was sent there"), HasSubstr("not followed")));
  EXPECT_EQ(error->message().find(canary), std::string::npos);
  EXPECT_TRUE(bench.network->foreign_urls.empty());
  EXPECT_EQ(bench.network->own.urls.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(links, ForeignLink,
                         ::testing::Values("https://evil.example/numbers?page=2", "//evil.example/numbers",
                                           "\\\\evil.example/x", "http://api.example.com/v1/numbers?page=2",
                                           "https://api.example.com:8443/v1/numbers",
                                           "https://api.example.com@evil.example/",
                                           "https://evil.example\\@api.example.com/",
                                           "ftp://api.example.com/v1/numbers", "https:evil", "javascript:alert(1)",
                                           "https://api.example.com.evil.example/"));

TEST(TrustedLink, is_followed_with_credentials) {
  TwoServers bench;
  bench.network->own.page(numbers_url, "[1]", next("https://mirror.example.com/numbers?page=2"));
  auto listing = bench.listing({.trusted_origins = {"https://mirror.example.com"}});
  EXPECT_THAT(all_of(listing), ElementsAre(1, 666));
  EXPECT_THAT(bench.network->foreign_urls, ElementsAre("https://mirror.example.com/numbers?page=2"));
  EXPECT_TRUE(bench.network->leaked);
}

TEST(TrustedLink, does_not_make_others_trusted) {
  TwoServers bench;
  bench.network->own.page(numbers_url, "[1]", next("https://other.example.com/numbers?page=2"));
  EXPECT_THAT(all_of(bench.listing({.trusted_origins = {"https://mirror.example.com"}})), ElementsAre(1, -1));
  EXPECT_TRUE(bench.network->foreign_urls.empty());
}

TEST(OwnLink, to_the_same_origin_is_followed_in_every_form) {
  for (const char* link :
       {"?page=2", "/v1/numbers?page=2", "numbers?page=2", "https://api.example.com/v1/numbers?page=2",
        "//api.example.com/v1/numbers?page=2", "../v1/numbers?page=2", "?page=2#fragment"}) {
    TwoServers bench;
    bench.network->own.page(numbers_url, "[1]", next(link));
    bench.network->own.page(numbers_url + "?page=2", "[2]");
    EXPECT_THAT(all_of(bench.listing()), ElementsAre(1, 2)) << link;
    EXPECT_EQ(bench.network->own.headers.back().get("Authorization"), std::string("Bearer ") + canary);
  }
}

TEST(ForeignRedirect, of_a_page_is_refused_and_nothing_is_sent_there) {
  for (const int status : {301, 302, 303, 307, 308}) {
    TwoServers bench;
    bench.network->own.pages[numbers_url] = {.status = status, .headers = {{"Location", "https://evil.example/"}}};
    const auto error = first_error(bench.listing());
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_TRUE(bench.network->foreign_urls.empty());
  }
}

}  // namespace listing_origins_test
}  // namespace resource_test
