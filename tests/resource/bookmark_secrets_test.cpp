// Tests of bookmarks without secrets: what is replaced in the URL of a page, and restored.
#include "resource/bookmark_secrets.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace noun { namespace bookmark_secrets_test {

using namespace detail;

constexpr const char* own_url = "https://api.example.com/a";

const KnownSecrets none;

using Secrets = std::function<std::vector<HeaderSecret>()>;

/// The URL restored from an authentic bookmark.
std::optional<std::string> restored(std::string_view page, const Query& query, const Secrets& secrets) {
  auto result = restore(page, query, none, true, secrets);
  auto* url = std::get_if<std::string>(&result);
  return url != nullptr ? std::optional(std::move(*url)) : std::nullopt;
}

/// The URL, or why it is not restored from a bookmark that anybody may have written.
std::string forged(std::string_view page, const Query& query, const Headers& headers, const KnownSecrets& known = none) {
  auto result = restore(page, query, known, false, [&] { return secrets_in(headers); });
  if (auto* url = std::get_if<std::string>(&result)) return std::move(*url);
  return std::get<RestoreFault>(result) == RestoreFault::missing ? "missing" : "misplaced";
}

std::vector<HeaderSecret> unexpected_call() {
  ADD_FAILURE() << "the secrets were requested";
  return {};
}

TEST(Withhold, replaces_query_values_that_restore_inserts_again) {
  const Query query = {{"token", "s3cret"}, {"empty", ""}, {"q", "a b"}, {"q", "c"}};
  const std::string url =
      "https://api.example.com/a?token=s3cret&empty=&q=a%20b&q=c&tokens=s3cret&page=2&token=s3cretly";
  const auto page = withhold(url, query, {}, none, own_url);
  EXPECT_EQ(page.find("token=s3cret&"), std::string::npos);
  EXPECT_EQ(page.find("a%20b"), std::string::npos);
  EXPECT_EQ(restored(page, query, unexpected_call), url);
  EXPECT_EQ(restored(page, {{"token", "other"}, {"", ""}, {"q", "x"}, {"q", "y"}}, unexpected_call),
            "https://api.example.com/a?token=other&empty=&q=x&q=y&tokens=other&page=2&token=s3cretly");
  EXPECT_EQ(restored(page, {{"token", "s3cret"}}, unexpected_call), std::nullopt);
}

TEST(Withhold, distinguishes_similar_values) {
  const Query query = {{"a", "1"}, {"b", "0"}, {"c", "x"}, {"d", "x"}, {"e", "x"},       {"f", "x"},
                       {"g", "x"}, {"h", "x"}, {"i", "x"}, {"j", "x"}, {"k", "eleventh"}};
  const std::string url = "https://api.example.com/a?a=1&b=0&c=x&d=x&e=x&f=x&g=x&h=x&i=x&j=x&k=eleventh&page=10";
  EXPECT_EQ(restored(withhold(url, query, {}, none, own_url), query, unexpected_call), url);
}

TEST(Withhold, replaces_header_secrets_and_restore_inserts_the_current_ones) {
  const Query query = {{"q", "a"}};
  const Headers then = {{"Cookie", "session=first-session; csrf=a-longer-token"}, {"Authorization", "Bearer s3/cret"}};
  const std::string url = "https://api.example.com/a?q=a&access_token=s3%2Fcret&after=s3&csrf=a-longer-token&page=2";
  const auto page = withhold(url, query, secrets_in(then), none, own_url);
  EXPECT_EQ(page.find("cret"), std::string::npos) << page;
  EXPECT_EQ(page.find("longer"), std::string::npos) << page;
  const Headers today = {{"authorization", "Bearer new-token"},
                         {"X-Key", "unconcerned"},
                         {"cookie", "session=another-longer-one; csrf=shorter"}};
  EXPECT_EQ(restored(page, query, [&] { return secrets_in(today); }),
            "https://api.example.com/a?q=a&access_token=new-token&after=s3&csrf=shorter&page=2");
  EXPECT_EQ(restored(page, query, [] { return secrets_in({{"Authorization", "Bearer alone-here"}}); }), std::nullopt);
}

TEST(Withhold, finds_a_query_secret_anywhere_in_the_link) {
  const Query query = {{"apikey", "s3cret/of query"}, {"state", "opened"}, {"pin_code_token", "12345"}};
  const std::string url =
      "https://api.example.com/v1/s3cret%2fof%20query/opened/x?api_key=s3cret%2Fof+query&then=opened&page=12345";
  const auto page = withhold(url, query, {}, none, "https://api.example.com/v1/x");
  EXPECT_EQ(page.find("cret"), std::string::npos) << page;
  EXPECT_NE(page.find("/opened/"), std::string::npos) << "an ordinary value is replaced only in its parameter";
  EXPECT_NE(page.find("then=opened"), std::string::npos);
  EXPECT_NE(page.find("page=12345"), std::string::npos) << "too short to be identified by its value";
  EXPECT_EQ(
      restored(page, query, unexpected_call),
      "https://api.example.com/v1/s3cret%2Fof%20query/opened/x?api_key=s3cret%2Fof%20query&then=opened&page=12345");
}

TEST(Withhold, finds_a_header_secret_in_the_path_after_the_path_of_the_listing) {
  const auto secrets = secrets_in({{"Authorization", "Bearer s3cret-token"}, {"X-Tenant", "numbers"}});
  const std::string own = "https://api.example.com/v1/numbers";
  const auto page = withhold("https://api.example.com/v1/numbers/s3cret-token/x?page=2", {}, secrets, none, own);
  EXPECT_EQ(page.find("s3cret"), std::string::npos) << page;
  EXPECT_NE(page.find("/v1/numbers/"), std::string::npos) << page;
  EXPECT_EQ(restored(page, {},
                    [] {
                      return secrets_in({{"Authorization", "Bearer new/token"}});
                    }),
            "https://api.example.com/v1/numbers/new%2Ftoken/x?page=2");
  EXPECT_EQ(withhold("https://s3cret-token/v1/numbers?page=2", {}, secrets, none, own),
            "https://s3cret-token/v1/numbers?page=2")
      << "the secret of another header does not change the origin";
}

TEST(Restore, rejects_what_withhold_did_not_write) {
  for (const char* page :
       {"https://\x01"
        "0\x02/",
        "https://h/\x01"
        "0\x02",
        "https://h/?\x01"
        "0\x02=a",
        "https://h/?q=a\x01"
        "0\x02",
        "https://h/?q=\x01"
        "0\x02"
        "a",
        "https://h/?q=\x01"
        "0\x02\x01"
        "0\x02",
        "https://h/?other=\x01"
        "0\x02"})
    EXPECT_EQ(restored(page, {{"q", "a b"}}, unexpected_call), std::nullopt) << page;
  for (const char* page :
       {"https://h/?a=\x01", "https://h/?a=\x01\x02", "https://h/?a=\x01x\x02", "https://h/?a=\x01-1\x02",
        "https://h/?a=\x01"
        "0\x02",
        "https://h/?a=\x01"
        "99999999999999999999\x02"})
    EXPECT_EQ(restored(page, {}, unexpected_call), std::nullopt);
}

TEST(Restore, puts_no_secret_into_a_shown_place_for_a_forger) {
  const Headers headers = {{"Authorization", "Bearer s3cret-token"}, {"X-Tenant", "acme-corp"}};
  const Query query = {{"q", "a b"}, {"api_key", "s3cret-key"}, {"pin", "s3cret-pin"}};
  KnownSecrets known;
  known.add_parameter("pin");
  for (const auto* place : {"\x01"
                            "1:authorization\x02",
                            "\x01"
                            "0:x-tenant\x02",
                            "\x01"
                            "1\x02"}) {
    EXPECT_EQ(forged(std::string("https://h/a?comment=") + place, query, headers), "misplaced") << place;
    EXPECT_EQ(forged(std::string("https://h/a/") + place, query, headers), "misplaced") << place;
    EXPECT_NE(restored(std::string("https://h/a/") + place, query, [&] { return secrets_in(headers); }), std::nullopt);
  }
  EXPECT_EQ(forged("https://h/a?comment=\x01"
                   "2\x02",
                   query, headers, known),
            "misplaced");
  EXPECT_EQ(forged("https://h/a?q=\x01"
                   "0\x02&tenant=\x01"
                   "0:x-tenant\x02&access_token=\x01"
                   "1:authorization\x02&pin=\x01"
                   "1\x02",
                   query, headers, known),
            "https://h/a?q=a%20b&tenant=acme-corp&access_token=s3cret-token&pin=s3cret-key");
}

TEST(Restore, knows_headers_with_any_name) {
  const Headers headers = {{"X-A&b=#c", "s3cret-token"}};
  const std::string url = "https://api.example.com/a?d=s3cret-token";
  EXPECT_EQ(restored(withhold(url, {}, secrets_in(headers), none, own_url), {}, [&] { return secrets_in(headers); }),
            url);
}

}  // namespace bookmark_secrets_test
}  // namespace noun
