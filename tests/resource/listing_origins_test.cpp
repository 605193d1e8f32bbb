// Next links to other origins: refused, and no credential goes there, unless the caller trusts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"
#include "wire/url.hpp"

namespace resource_test { namespace listing_origins_test {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* canary = "canary-token-0815";

/// The service, and a stranger who answers everything, behind one transport.
struct TwoServices : Bench {
  class Network final : public noun::Transport {
   public:
    noun::Result<noun::Response> send(const noun::Attempt& attempt, const std::stop_token& stop) override {
      const auto host = noun::wire::split_url(attempt.url).authority;
      if (host == "api.example.com") return own.send(attempt, stop);
      strangers.emplace_back(attempt.url);
      for (const auto& field : attempt.headers)
        if (field.value.find(canary) != std::string::npos) leaked = true;
      return noun::Response{.status = 200, .body = "[666]"};
    }

    PageTransport own;
    std::vector<std::string> strangers;
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

TEST_P(ForeignLink, is_refused_behind_the_pages_own_items_and_nothing_goes_there) {
  TwoServices bench;
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
  EXPECT_TRUE(bench.network->strangers.empty());
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
  TwoServices bench;
  bench.network->own.page(numbers_url, "[1]", next("https://mirror.example.com/numbers?page=2"));
  auto listing = bench.listing({.trusted_origins = {"https://mirror.example.com"}});
  EXPECT_THAT(all_of(listing), ElementsAre(1, 666));
  EXPECT_THAT(bench.network->strangers, ElementsAre("https://mirror.example.com/numbers?page=2"));
  EXPECT_TRUE(bench.network->leaked);
}

TEST(TrustedLink, does_not_make_others_trusted) {
  TwoServices bench;
  bench.network->own.page(numbers_url, "[1]", next("https://other.example.com/numbers?page=2"));
  EXPECT_THAT(all_of(bench.listing({.trusted_origins = {"https://mirror.example.com"}})), ElementsAre(1, -1));
  EXPECT_TRUE(bench.network->strangers.empty());
}

TEST(OwnLink, in_any_spelling_is_followed) {
  for (const char* link :
       {"?page=2", "/v1/numbers?page=2", "numbers?page=2", "https://api.example.com/v1/numbers?page=2",
        "//api.example.com/v1/numbers?page=2", "../v1/numbers?page=2", "?page=2#fragment"}) {
    TwoServices bench;
    bench.network->own.page(numbers_url, "[1]", next(link));
    bench.network->own.page(numbers_url + "?page=2", "[2]");
    EXPECT_THAT(all_of(bench.listing()), ElementsAre(1, 2)) << link;
    EXPECT_EQ(bench.network->own.headers.back().get("Authorization"), std::string("Bearer ") + canary);
  }
}

TEST(ForeignRedirect, of_a_page_is_refused_and_nothing_goes_there) {
  for (const int status : {301, 302, 303, 307, 308}) {
    TwoServices bench;
    bench.network->own.pages[numbers_url] = {.status = status, .headers = {{"Location", "https://evil.example/"}}};
    const auto error = first_error(bench.listing());
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_TRUE(bench.network->strangers.empty());
  }
}

}  // namespace listing_origins_test
}  // namespace resource_test
