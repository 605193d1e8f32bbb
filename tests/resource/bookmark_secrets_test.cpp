// Tests of bookmarks without secrets: what is replaced in the URL of a page, and restored.
#include "resource/bookmark_secrets.hpp"

#include <gtest/gtest.h>

namespace noun { namespace bookmark_secrets_test {

using namespace detail;

constexpr const char* own_url = "https://api.example.com/a";

const KnownSecrets none;

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
  EXPECT_EQ(restore(page, query, unexpected_call), url);
  EXPECT_EQ(restore(page, {{"token", "other"}, {"", ""}, {"", "x"}, {"", "y"}}, unexpected_call),
            "https://api.example.com/a?token=other&empty=&q=x&q=y&tokens=other&page=2&token=s3cretly");
  EXPECT_EQ(restore(page, {{"token", "s3cret"}}, unexpected_call), std::nullopt);
}

TEST(Withhold, distinguishes_similar_values) {
  const Query query = {{"a", "1"}, {"b", "0"}, {"c", "x"}, {"d", "x"}, {"e", "x"},       {"f", "x"},
                       {"g", "x"}, {"h", "x"}, {"i", "x"}, {"j", "x"}, {"k", "eleventh"}};
  const std::string url = "https://api.example.com/a?a=1&b=0&c=x&d=x&e=x&f=x&g=x&h=x&i=x&j=x&k=eleventh&page=10";
  EXPECT_EQ(restore(withhold(url, query, {}, none, own_url), query, unexpected_call), url);
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
  EXPECT_EQ(restore(page, query, [&] { return secrets_in(today); }),
            "https://api.example.com/a?q=a&access_token=new-token&after=s3&csrf=shorter&page=2");
  EXPECT_EQ(restore(page, query, [] { return secrets_in({{"Authorization", "Bearer alone-here"}}); }), std::nullopt);
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
      restore(page, query, unexpected_call),
      "https://api.example.com/v1/s3cret%2Fof%20query/opened/x?api_key=s3cret%2Fof%20query&then=opened&page=12345");
}

TEST(Withhold, finds_a_header_secret_in_the_path_after_the_path_of_the_listing) {
  const auto secrets = secrets_in({{"Authorization", "Bearer s3cret-token"}, {"X-Tenant", "numbers"}});
  const std::string own = "https://api.example.com/v1/numbers";
  const auto page = withhold("https://api.example.com/v1/numbers/s3cret-token/x?page=2", {}, secrets, none, own);
  EXPECT_EQ(page.find("s3cret"), std::string::npos) << page;
  EXPECT_NE(page.find("/v1/numbers/"), std::string::npos) << page;
  EXPECT_EQ(restore(page, {},
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
       {"https://h/?a=\x01", "https://h/?a=\x01\x02", "https://h/?a=\x01x\x02", "https://h/?a=\x01-1\x02",
        "https://h/?a=\x01"
        "0\x02",
        "https://h/?a=\x01"
        "99999999999999999999\x02"})
    EXPECT_EQ(restore(page, {}, unexpected_call), std::nullopt);
}

}  // namespace bookmark_secrets_test
}  // namespace noun
