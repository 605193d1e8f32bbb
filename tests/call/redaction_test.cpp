// Secrets: a canary in every place where one can be, looked for in every place that is seen.
#include "call/redaction.hpp"

#include "call/call_fixture.hpp"

namespace call_test {
namespace redaction_test {

/// All that people may see of a call, as one text.
std::string all_that_is_seen(const CallBench& bench) {
  std::string seen;
  if (bench.failed()) {
    const auto& error = bench.error();
    seen +=
        error.message() + "\n" + error.request().url + "\n" + error.request().curl + "\n" + error.request_id() + "\n";
  }
  for (const auto& event : bench.events) seen += event.url + "\n" + event.note + "\n";
  return seen;
}
void expect_no_canary(const CallBench& bench) {
  EXPECT_EQ(all_that_is_seen(bench).find("canary"), std::string::npos) << all_that_is_seen(bench);
}

TEST(Redaction, no_header_value_is_seen_unless_it_is_known_to_be_harmless) {
  for (const auto* name : {"Authorization", "X-Api-Key", "PRIVATE-TOKEN", "Cookie", "Proxy-Authorization", "X-Custom",
                           "X-Amz-Security-Token", "Api-Token"}) {
    CallBench bench;
    bench.request.headers.add(name, "canary-0123456789");
    bench.begin().answer(401, {}, "the key canary-0123456789 is not known");
    expect_no_canary(bench);
    EXPECT_NE(bench.error().request().curl.find(std::string(name) + ": ***"), std::string::npos);
    EXPECT_NE(bench.message().find("the key *** is not known"), std::string::npos) << bench.message();
  }
}

TEST(Redaction, harmless_headers_are_shown) {
  const noun::Headers headers = {
      {"Accept", "text/csv"}, {"if-none-match", "\"v1\""}, {"X-GitHub-Api-Version", "2022-11-28"}};
  const auto command = noun::curl_command(Method::get, "https://h/x", headers, false);
  EXPECT_EQ(command,
            "curl 'https://h/x' -H 'Accept: text/csv' -H 'if-none-match: \"v1\"' -H 'X-GitHub-Api-Version: "
            "2022-11-28'");
}

TEST(Redaction, credentials_that_the_service_echoes_are_not_seen) {
  struct Echo {
    std::string_view header;
    std::string_view echoed;
  };
  constexpr Echo echoes[] = {
      {"Bearer canary-token-1", "canary-token-1"},
      {"Basic YWxpY2U6Y2FuYXJ5LXBhc3N3b3Jk", "alice:canary-password"},
      {"Basic YWxpY2U6Y2FuYXJ5LXBhc3N3b3Jk", "canary-password"},
      {"Token token=\"canary-token-2\", nonce=\"x\"", "canary-token-2"},
      {"session=canary-cookie; theme=dark", "canary-cookie"},
      {"canary;sid=abcdefg-canary", "abcdefg-canary"},
  };
  for (const auto& echo : echoes)
    for (const auto* type : {"text/plain", "application/json", "text/html"}) {
      CallBench bench;
      bench.request.headers.add("Authorization", echo.header);
      const auto said = "no access with " + std::string(echo.echoed) + " here";
      const bool json = std::string_view(type) == "application/json";
      bench.begin().answer(403, {{"Content-Type", type}}, json ? "{\"message\":\"" + said + "\"}" : said);
      expect_no_canary(bench);
      EXPECT_NE(bench.message().find("no access with *** here"), std::string::npos) << bench.message();
    }
}

TEST(Redaction, a_secret_that_an_excerpt_would_cut_in_half_is_not_seen) {
  for (std::size_t before = 150; before < 310; ++before) {
    CallBench bench;
    bench.request.headers.add("Authorization", "Bearer canary-canary-canary-canary-canary");
    bench.begin().answer(400, {{"Content-Type", "text/plain"}},
                         std::string(before, 'x') + "canary-canary-canary-canary-canary");
    expect_no_canary(bench);
  }
}

TEST(Redaction, a_secret_that_json_escapes_is_not_seen_in_message_or_problem) {
  for (const auto* echoed :
       {"canary/+tok\\\\en", "canary\\/+tok\\\\en", "canary\\u002f\\u002Btok\\\\en", "\\u0063anary/+tok\\u005Cen"}) {
    CallBench bench;
    bench.request.headers.add("X-Api-Key", "canary/+tok\\en");
    bench.begin().answer(
        403, {{"Content-Type", "application/problem+json"}},
        "{\"title\":\"no access\",\"status\":403,\"detail\":\"with " + std::string(echoed) + " none\"}");
    expect_no_canary(bench);
    ASSERT_TRUE(bench.error().problem()) << echoed;
    EXPECT_EQ(bench.error().problem()->detail, "with *** none") << echoed;
    EXPECT_NE(bench.message().find("with *** none"), std::string::npos) << bench.message();
  }
}

TEST(Redaction, a_secret_that_begins_another_leaves_nothing_of_it) {
  const noun::Headers headers = {{"X-Key", "TOPSECRET"}};
  EXPECT_EQ(noun::scrubbed("TOPSECRETMORE, TOPSECRET", "https://h/?api_key=TOPSECRETMORE", headers), "***, ***");
}

TEST(Redaction, a_secret_that_is_percent_encoded_is_not_seen) {
  const noun::Headers headers = {{"X-Key", "a/b+c=="}};
  EXPECT_EQ(noun::scrubbed("a%2Fb%2Bc%3D%3D a%2fb+c%3d= a/b+c== a%2Fb", "https://h/", headers), "*** *** *** a%2Fb");
}

TEST(Redaction, the_request_id_hides_what_the_message_hides) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "canary-key");
  bench.begin().answer(400, {{"X-Request-Id", "rid-canary-key"}});
  EXPECT_EQ(bench.error().request_id(), "rid-***");
}

TEST(Redaction, what_only_begins_like_a_secret_is_shown) {
  const noun::Headers headers = {{"X-Key", "abc\\def"}};
  for (const auto* text : {"abc\\de", "abc", "abc\\u005cde", "abc\\u005", "\\", "abc/def"})
    EXPECT_EQ(noun::scrubbed(text, "https://h/", headers), text);
  EXPECT_EQ(noun::scrubbed("ababc\\def", "https://h/", headers), "ab***");
}

TEST(Redaction, credentials_of_the_function_are_not_seen_either) {
  CallBench bench;
  bench.environment.prepare = [](int) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", "Bearer canary-token"}};
  };
  bench.begin().fail(noun::Error(Errc::tls, "no session with canary-token", Sent::no));
  expect_no_canary(bench);
  EXPECT_NE(bench.error().request().curl.find("Authorization: ***"), std::string::npos);
}

TEST(Redaction, query_values_are_hidden_but_for_harmless_ones) {
  EXPECT_EQ(noun::shown_url("https://h/x?page=2&access_token=canary&state=open&Page=canary&empty=&flag"),
            "https://h/x?page=2&access_token=***&state=open&Page=***&empty&flag");
  EXPECT_EQ(noun::shown_url("https://h/x?"), "https://h/x");
  EXPECT_EQ(noun::shown_url("https://h/x#canary"), "https://h/x");
  EXPECT_EQ(noun::shown_url("https://h/x?sig=canary#canary"), "https://h/x?sig=***");
}

TEST(Redaction, a_query_secret_that_the_service_echoes_is_not_seen_in_either_spelling) {
  for (const auto* echoed : {"canary%2Fsecret", "canary/secret"}) {
    CallBench bench;
    bench.request.url += "?api_key=canary%2Fsecret&page=2";
    bench.begin().answer(403, {}, "unknown key " + std::string(echoed));
    expect_no_canary(bench);
    EXPECT_EQ(bench.error().request().url, "https://api.example.com/v1/things/7?api_key=***&page=2");
  }
}

TEST(Redaction, userinfo_is_hidden) {
  EXPECT_EQ(noun::shown_url("https://user:canary@h:8443/x?page=1"), "https://***@h:8443/x?page=1");
  EXPECT_EQ(noun::shown_url("https://h/x@y"), "https://h/x@y");
}

TEST(Redaction, a_redirect_that_carries_the_token_does_not_show_it) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "canary-token");
  bench.begin().answer(302, {{"Location", "/login/canary-token?return=canary-token"}}).answer(404);
  expect_no_canary(bench);
  EXPECT_EQ(bench.error().request().url, "https://api.example.com/login/***?return=***");
}

TEST(Redaction, the_host_is_always_shown) {
  EXPECT_EQ(noun::shown_url("https://tenant.example.com/tenant.example.com/x",
                            noun::Headers{{"X-Host", "tenant.example.com"}}),
            "https://tenant.example.com/***/x");
  EXPECT_EQ(noun::shown_url("https://tenant-7", noun::Headers{{"X-Tenant", "tenant-7"}}), "https://tenant-7");
}

TEST(Redaction, short_values_do_not_blot_out_ordinary_words) {
  EXPECT_EQ(noun::scrubbed("the id is wrong", "https://h/?mode=id", noun::Headers{{"X-Mode", "wrong"}}),
            "the id is wrong");
  EXPECT_EQ(noun::scrubbed("canary canary", "https://h/", noun::Headers{{"X-Mode", "canary"}}), "*** ***");
}

TEST(Redaction, knows_the_names_that_services_give_to_secrets) {
  for (const auto* name : {"api_key", "apikey", "X-Api-Key", "key", "access_token", "private-token", "client_secret",
                           "sig", "X-Amz-Signature", "password", "auth", "oauth_nonce", "sessionId", "sid", "jwt"})
    EXPECT_TRUE(noun::names_secret(name)) << name;
  for (const auto* name : {"state", "author", "q", "design", "page", "compass", "side", "passenger", "keyword", ""})
    EXPECT_FALSE(noun::names_secret(name)) << name;
}

TEST(Redaction, the_curl_command_is_fit_for_a_shell) {
  EXPECT_EQ(noun::curl_command(Method::post, "https://h/it's", noun::Headers{{"Accept", "a'b"}}, true),
            "curl -X POST 'https://h/it'\\''s' -H 'Accept: a'\\''b' --data-binary @body");
  EXPECT_EQ(noun::curl_command(Method::head, "https://h/", {}, false), "curl --head 'https://h/'");
  EXPECT_EQ(noun::curl_command(Method::delete_, "https://h/", {}, false), "curl -X DELETE 'https://h/'");
}

}  // namespace redaction_test
}  // namespace call_test
