// Tests of redaction: a canary in every place that may hold a secret must not appear in errors and events.
#include "call/redaction.hpp"

#include "call/call_fixture.hpp"
#include "decision/resumption.hpp"
#include "wire/ascii.hpp"

namespace call_test { namespace redaction_test {

const noun::KnownSecrets none;

/// Everything that an error and the events of a call show, as one text.
std::string visible_text(const CallBench& bench) {
  std::string text;
  if (bench.failed()) {
    const auto& error = bench.error();
    text = error.message() + "\n" + error.request().url + "\n" + error.request().curl + "\n" + error.request_id();
  }
  for (const auto& event : bench.events) text += "\n" + event.url + "\n" + event.note + "\n" + event.partition;
  return text;
}
void expect_no_canary(const CallBench& bench) {
  EXPECT_EQ(visible_text(bench).find("canary"), std::string::npos) << visible_text(bench);
}
/// No canary, and the message contains `shown`.
void expect_no_canary_but(std::string_view shown, const CallBench& bench) {
  expect_no_canary(bench);
  EXPECT_NE(bench.message().find(shown), std::string::npos) << bench.message();
}

TEST(Redaction, header_values_are_hidden_unless_known_to_be_harmless) {
  for (const auto* name : {"Authorization", "X-Api-Key", "PRIVATE-TOKEN", "Cookie", "Proxy-Authorization", "X-Custom",
                           "X-Amz-Security-Token", "Api-Token"}) {
    CallBench bench;
    bench.request.headers.add(name, "canary-0123456789");
    bench.begin().respond(401, {{"X-Request-Id", "rid-canary-0123456789"}}, "the key canary-0123456789 is not known");
    expect_no_canary_but("the key *** is not known", bench);
    EXPECT_NE(bench.error().request().curl.find(std::string(name) + ": ***"), std::string::npos);
    EXPECT_EQ(bench.error().request_id(), "rid-***");
  }
}

TEST(Redaction, credentials_in_a_response_are_hidden) {
  constexpr std::pair<std::string_view, std::string_view> echoes[] = {
      {"Bearer canary-token-1", "canary-token-1"},
      {"Basic YWxpY2U6Y2FuYXJ5LXBhc3N3b3Jk", "alice:canary-password"},
      {"Basic YWxpY2U6Y2FuYXJ5LXBhc3N3b3Jk", "canary-password"},
      {"Token token=\"canary-token-2\", nonce=\"x\"", "canary-token-2"},
      {"session=canary-cookie; theme=dark", "canary-cookie"},
      {"canary;sid=abcdefg-canary", "abcdefg-canary"},
  };
  for (const auto& [header, echoed] : echoes)
    for (const std::string_view type : {"text/plain", "application/json", "text/html"}) {
      CallBench bench;
      bench.request.headers.add("Authorization", header);
      const auto message = "no access with " + std::string(echoed) + " here";
      bench.begin().respond(403, {{"Content-Type", type}},
                            type == "application/json" ? "{\"message\":\"" + message + "\"}" : message);
      expect_no_canary_but("no access with *** here", bench);
    }
}

TEST(Redaction, white_space_at_the_ends_of_a_secret_is_no_part_of_it) {
  const std::string url = "https://h/x";
  for (const auto* header :
       {"canary-1 ", "\tcanary-1", "Bearer canary-1 ", "Bearer  canary-1", "Bearer\tcanary-1\t",
        "Basic YWxpY2U6Y2FuYXJ5LTEg", "Basic YWxpY2U6Y2FuYXJ5LTE= ", "Token token=\"canary-1 \""})
    EXPECT_EQ(noun::Redaction(url, {{{"Authorization", header}}, none}).scrubbed("token 'canary-1'"), "token '***'")
        << header;
  EXPECT_EQ(noun::Redaction(url + "?api_key=canary-1%20", {{}, none}).scrubbed("key 'canary-1'"), "key '***'");
  EXPECT_EQ(noun::Redaction(url + "?api_key=50%+%63anary-1", {{}, none}).scrubbed("key '50% canary-1'"), "key '***'");
  noun::KnownSecrets known;
  known.add("canary-1\n");
  known.add_passing(" canary-2");
  EXPECT_EQ(noun::Redaction(url, {{}, known}).scrubbed("'canary-1' and 'canary-2'"), "'***' and '***'");
  const auto earlier = noun::secrets_in_query(url + "?pin=12+", none);
  EXPECT_EQ(noun::Redaction(url + "?next=12+&last=12", {{}, none, earlier}).url(), url + "?next=***&last=***");
}

TEST(Redaction, the_names_of_signed_fields_are_words) {
  CallBench bench;
  bench.request.headers.add("Authorization",
                            "AWS4-HMAC-SHA256 Credential=AKID/20150830/us-east-1/s3/aws4_request, "
                            "SignedHeaders=accept;host, Signature=canary-5d672d79");
  bench.begin().respond(403, {}, "canary-5d672d79 is no signature that we accept");
  expect_no_canary_but("*** is no signature that we accept", bench);
}

TEST(Redaction, a_secret_at_the_end_of_an_excerpt_is_hidden) {
  for (std::size_t before = 150; before < 310; ++before) {
    CallBench bench;
    bench.request.headers.add("Authorization", "Bearer canary-canary-canary-canary-canary");
    bench.begin().respond(400, {{"Content-Type", "text/plain"}},
                          std::string(before, 'x') + "canary-canary-canary-canary-canary");
    expect_no_canary(bench);
  }
}

TEST(Redaction, a_json_escaped_secret_is_hidden_in_message_and_problem) {
  for (const auto* echoed :
       {"canary/+tok\\\\en", "canary\\/+tok\\\\en", "canary\\u002f\\u002Btok\\\\en", "\\u0063anary/+tok\\u005Cen"}) {
    CallBench bench;
    bench.request.headers.add("X-Api-Key", "canary/+tok\\en");
    bench.begin().respond(
        403, {{"Content-Type", "application/problem+json"}},
        "{\"title\":\"no access\",\"status\":403,\"detail\":\"with " + std::string(echoed) + " none\"}");
    expect_no_canary_but("with *** none", bench);
    ASSERT_TRUE(bench.error().problem()) << echoed;
    EXPECT_EQ(bench.error().problem()->detail, "with *** none") << echoed;
  }
}

TEST(Redaction, credentials_from_the_function_are_hidden) {
  CallBench bench;
  bench.context.credentials_may_change = true;
  bench.credentials = [](const auto&) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", "Bearer canary-token"}};
  };
  bench.begin().fail(noun::Error(Errc::tls, "no session with canary-token", Sent::no));
  expect_no_canary(bench);
  EXPECT_NE(bench.error().request().curl.find("Authorization: ***"), std::string::npos);
}

TEST(Redaction, a_query_secret_in_a_response_is_hidden_encoded_and_decoded) {
  for (const auto* echoed : {"canary%2Fsecret", "canary/secret"}) {
    CallBench bench;
    bench.request.url += "?api_key=canary%2Fsecret&page=2";
    bench.begin().respond(403, {}, "unknown key " + std::string(echoed));
    expect_no_canary(bench);
    EXPECT_EQ(bench.error().request().url, "https://api.example.com/v1/things/7?api_key=***&page=2");
  }
}

TEST(Redaction, a_secret_in_a_redirect_is_hidden) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "canary-token");
  bench.begin().respond(302, {{"Location", "/login/canary-token?return=canary-token"}}).respond(404);
  expect_no_canary(bench);
  EXPECT_EQ(bench.error().request().url, "https://api.example.com/login/***?return=***");
}

TEST(Redaction, a_secret_of_the_first_url_is_hidden_after_all_redirects_in_every_spelling) {
  for (const auto* location :
       {"/v1/y?next=canary+secret", "/v1/y?next=canary%20secret", "/v1/y?next=canary%2520secret",
        "/v1/y?next=%2Fz%3Fk%3D%2563anary%252520secret%26canary%2Bsecret", "/v1/canary%20secret/y",
        "/v1/y?next=CANARY%20Secret"}) {
    CallBench bench;
    bench.request.url += "?api_key=canary%20secret";
    bench.begin().respond(302, {{"Location", location}});
    bench.respond(307, {{"Location", location + std::string("&second=1")}}).respond(404, {}, location);
    const auto text = noun::wire::lowered(visible_text(bench));
    EXPECT_EQ(text.find("canary"), std::string::npos) << text;
    EXPECT_NE(text.find("second=1"), std::string::npos) << text;
  }
}

TEST(Redaction, a_short_secret_of_the_first_url_is_hidden_as_a_value_of_the_next_one) {
  const auto known = std::make_shared<noun::KnownSecrets>();
  known->add_parameter("pin");
  for (const int status : {404, 302}) {
    CallBench bench;
    bench.context.known_secrets = known;
    bench.context.limits.redirects = status == 302 ? 1 : 5;
    bench.request.url += "?pin=4711";
    bench.begin().respond(302, {{"Location", "/v1/y?code=4711"}}).respond(status, {{"Location", "/v1/z?c=%34711"}});
    EXPECT_EQ(visible_text(bench).find("711"), std::string::npos) << visible_text(bench);
  }
}

TEST(Redaction, a_secret_of_a_url_that_a_download_left_is_hidden) {
  CallBench bench;
  noun::Resumption resumption(Method::get, true, 1'000'000);
  bench.request.continuation = &resumption;
  bench.context.retry.max_attempts = 1;
  bench.begin().respond(302, {{"Location", "/v1/file?X-Amz-Signature=canary-signature"}});
  bench.respond(503, {}, "no canary-signature here");
  expect_no_canary_but("no *** here", bench);
}

TEST(Redaction, replaced_credentials_are_hidden) {
  CallBench bench;
  bench.context.credentials_may_change = true;
  bench.credentials = [](const noun::CredentialsRequest& request) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", request.attempt == 1 ? "Bearer canary-token" : "Bearer other-token"}};
  };
  bench.begin().respond(401, {{"Content-Type", "application/problem+json"}, {"X-Request-Id", "canary-token"}},
                        R"({"title": "no canary-token"})");
  bench.fail(noun::Error(Errc::tls, "failed", Sent::no));
  ASSERT_TRUE(bench.error().problem());
  EXPECT_EQ(bench.error().problem()->title, "no ***");
  EXPECT_EQ(bench.error().request_id(), "***");
}

TEST(Redaction, a_secret_in_a_host_is_hidden_whatever_its_case) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "Canary-Token");
  bench.begin().respond(302, {{"Location", "https://canary-token.evil.example/"}});
  expect_no_canary_but("another origin, https://***.evil.example", bench);

  CallBench download;
  noun::Resumption resumption(Method::get, true, 1'000'000);
  download.request.continuation = &resumption;
  download.request.redirect_scope = noun::RedirectScope::https;
  download.request.headers.add("X-Api-Key", "Canary-Token");
  download.begin().respond(302, {{"Location", "https://canary-token.evil.example/x"}}).respond(404);
  expect_no_canary_but("https://***.evil.example/x", download);
}

TEST(Redaction, a_secret_in_the_name_of_a_partition_is_hidden) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "canary-token");
  bench.context.dialect.partition_header = "X-Resource";
  bench.begin().respond(200, {{"X-Resource", "of-canary-token"}, {"X-RateLimit-Remaining", "7"}});
  ASSERT_FALSE(bench.events.empty());
  EXPECT_EQ(bench.events.back().partition, "of-***");
}

TEST(Redaction, a_secret_is_hidden_in_decoded_json) {
  for (const std::string_view type : {"application/problem+json", "application/json"}) {
    CallBench bench;
    bench.request.headers.add("X-Api-Key", "canary-\u00e9-token");
    bench.begin().respond(403, {{"Content-Type", type}},
                          R"({"title": "no access", "status": 403, "detail": "with canary-\u00E9-token, )"
                          R"(%2563anary-\u00e9-\u0074oken", "instance": "/canary-\u00e9-token"})");
    expect_no_canary_but("with ***, ***", bench);
    ASSERT_TRUE(bench.error().problem());
    EXPECT_EQ(bench.error().problem()->detail, "with ***, ***");
    EXPECT_EQ(bench.error().problem()->instance, "/***");
  }
}

TEST(Redaction, a_secret_is_hidden_in_html) {
  CallBench bench;
  bench.request.headers.add("X-Api-Key", "<canary>&'token\"/");
  bench.begin().respond(403, {{"Content-Type", "text/html"}},
                        "no &lt;canary&gt;&amp;&apos;token&quot;/ &#60;&#x63;anary&#62;&#38;&#39;token&#34;&#X2F; &;");
  expect_no_canary_but("no *** *** &;", bench);
}

TEST(Redaction, half_of_a_secret_at_the_end_of_what_is_searched_is_not_shown) {
  const std::string token = "canary-" + std::string(3000, 'x');
  for (const std::size_t spaces : {65'436U, 63'536U, 1'048'477U}) {
    CallBench bench;
    bench.request.headers.add("X-Api-Key", token);
    bench.begin().respond(403, {{"Content-Type", "text/plain"}}, std::string(spaces, ' ') + token);
    expect_no_canary(bench);
  }
}

TEST(Redaction, what_a_server_gave_is_shown_as_printable_text) {
  const std::string evil = "a\x9b" "b\xc2\x9b" "c\x1b" "d\x7f" "e\xe2\x80\xae" "f";
  CallBench bench;
  bench.request.headers.add("If-Match", '"' + evil + '"');
  bench.begin().respond(302, {{"Location", "/v1/" + std::string("a\x9b" "b\xc2\x9b" "c\xe2\x80\xae" "f")}});
  bench.respond(404, {{"X-Request-Id", evil}, {"Content-Type", "text/plain"}}, evil);
  const auto text = visible_text(bench);
  EXPECT_EQ(text.find_first_of("\x1b\x7f"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x9b"), std::string::npos) << text;
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << text;
  EXPECT_EQ(bench.error().request_id(), "a\uFFFD" "b.c.d.e.f");
  EXPECT_EQ(bench.error().request().url, "https://api.example.com/v1/a%9Bb%C2%9Bc%E2%80%AEf");

  CallBench refused;
  refused.begin().fail(noun::Error(Errc::tls, "failed:\n" + evil, "ask\r\n" + evil, Sent::no));
  EXPECT_NE(refused.message().find("failed: a\uFFFD" "b.c.d.e.f; ask a\uFFFD" "b.c.d.e.f"), std::string::npos)
      << refused.message();
}

TEST(Redaction, only_the_secrets_of_the_request_are_hidden_in_a_text) {
  struct Case {
    std::string_view text;
    std::string_view scrubbed;
    std::string_view header;
    std::string_view url = "https://h/";
  };
  constexpr Case cases[] = {
      // One secret is a prefix of another.
      {"TOPSECRETMORE, TOPSECRET", "***, ***", "TOPSECRET", "https://h/?api_key=TOPSECRETMORE"},
      {"a%2Fb%2Bc%3D%3D a%2fb+c%3d= a/b+c== a%2Fb", "*** *** *** a%2Fb", "a/b+c=="},
      // A prefix of a secret is not hidden.
      {"abc\\de", "abc\\de", "abc\\def"},
      {"abc", "abc", "abc\\def"},
      {"abc\\u005cde", "abc\\u005cde", "abc\\def"},
      {"abc\\u005", "abc\\u005", "abc\\def"},
      {"\\", "\\", "abc\\def"},
      {"abc/def", "abc/def", "abc\\def"},
      {"ababc\\def", "ab***", "abc\\def"},
      {"aabc\\def", "a***", "abc\\def"},
      // Values of secret parameters are hidden from six characters on, also with invalid percent-encoding.
      {"secret abc%zzdef", "*** ***", "", "https://h/?token=secret&sig=abc%zzdef"},
      {"other", "other", "", "https://h/?q=other"},
      // Short values are not hidden, because they are parts of ordinary words.
      {"the id is wrong", "the id is wrong", "wrong", "https://h/?sid=id"},
      {"canary canary", "*** ***", "canary"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(noun::Redaction(one.url, {noun::Headers{{"X-Key", one.header}}, none}).scrubbed(std::string(one.text)),
              one.scrubbed);
}

TEST(Redaction, all_of_a_url_is_shown_but_the_values_of_secret_parameters) {
  constexpr std::pair<std::string_view, std::string_view> addresses[] = {
      {"https://h/x?page=2&access_token=canary&q=a%20b&Page=3&empty=&flag&api_key=",
       "https://h/x?page=2&access_token=***&q=a%20b&Page=3&empty=&flag&api_key="},
      {"https://h/x?pageToken=abc&cursor=def", "https://h/x?pageToken=abc&cursor=def"},
      {"https://h/x?api%5Fkey=canary&X-Amz-Signature=canary", "https://h/x?api%5Fkey=***&X-Amz-Signature=***"},
      {"https://h/x?", "https://h/x"},
      {"https://h/x#canary", "https://h/x"},
      {"https://h/x?sig=canary#canary", "https://h/x?sig=***"},
      {"https://user:canary@h:8443/x?page=1", "https://***@h:8443/x?page=1"},
      {"https://h/x@y", "https://h/x@y"},
      {"https://h/canary-1/x?token=canary-1&return=canary%2D1", "https://h/***/x?token=***&return=***"},
      {"/x?token=canary", "/x?token=***"},
      {"https://h", "https://h"},
  };
  for (const auto& [url, shown] : addresses) EXPECT_EQ(noun::Redaction(url, {{}, none}).url(), shown);
}

TEST(Redaction, parameters_that_the_client_names_are_hidden_too) {
  const auto known = std::make_shared<noun::KnownSecrets>();
  known->add_parameter("q");
  known->add_parameter("api-version");
  EXPECT_EQ(noun::Redaction("https://h/canary?q=canary&Q=1&api%2Dversion=7", {{}, *known}).url(),
            "https://h/***?q=***&Q=1&api%2Dversion=***");
  EXPECT_EQ(noun::Redaction("https://h/x?q=canary", {{}, *known}).scrubbed("no canary"), "no ***");
  CallBench bench;
  bench.context.known_secrets = known;
  bench.request.url += "?q=canary%2Fsecret&page=2";
  bench.begin().respond(302, {{"Location", "/v1/y?q=canary%2Fsecret"}}).respond(403, {}, "not canary/secret");
  expect_no_canary_but("not ***", bench);
  EXPECT_EQ(bench.error().request().url, "https://api.example.com/v1/y?q=***");
}

TEST(Redaction, secrets_that_the_client_knows_are_hidden_and_those_of_others_that_it_includes) {
  const auto tokens = std::make_shared<noun::KnownSecrets>();
  noun::KnownSecrets known;
  known.include(tokens);
  known.add("canary-own");
  known.add("short");
  tokens->add("canary-secret");
  tokens->add_parameter("pin");
  for (int token = 1; token <= 17; ++token) tokens->add_passing("canary-token-" + std::to_string(token) + ".");
  const noun::Headers no_headers;
  const std::vector<std::string> earlier{"canary-y", "007"};
  const noun::RequestSecrets from{no_headers, known, earlier};
  EXPECT_EQ(noun::Redaction("/?pin=123456", from)
                .scrubbed("canary-own canary-secret canary-token-2. canary-token-17. canary-y 123456"),
            "*** *** *** *** *** ***");
  EXPECT_EQ(noun::Redaction("/", from).scrubbed("short canary-token-1. canary-x"), "short canary-token-1. canary-x");
  for (int again = 1; again <= 17; ++again) tokens->add_passing("canary-token-2.");
  tokens->add_passing("canary-token-18.");
  EXPECT_EQ(noun::Redaction("/", from).scrubbed("canary-token-2. canary-token-3. canary-token-4."),
            "*** canary-token-3. ***");
  EXPECT_EQ(noun::Redaction("/canary-own/canary-y?pin=1", from).url(), "/***/***?pin=***");
  EXPECT_EQ(noun::Redaction("/007?code=007&page=0071", from).url(), "/007?code=***&page=0071");
}

TEST(Redaction, the_host_is_always_shown) {
  EXPECT_EQ(noun::Redaction("https://tenant.example.com/tenant.example.com/x",
                            {noun::Headers{{"X-Host", "tenant.example.com"}}, none})
                .url(),
            "https://tenant.example.com/***/x");
  EXPECT_EQ(noun::Redaction("https://tenant-7", {noun::Headers{{"X-Tenant", "tenant-7"}}, none}).url(),
            "https://tenant-7");
}

TEST(Redaction, a_secret_that_begins_in_the_host_is_hidden) {
  noun::KnownSecrets known;
  known.add("example.com/abc");
  for (const bool foreign : {false, true}) {
    const noun::Redaction redaction("https://api.example.com/abc/d", {{}, known, {}, foreign});
    EXPECT_EQ(redaction.url(), "https://api.***/d");
  }
}

TEST(Redaction, of_the_secrets_that_a_server_chose_the_first_ones_are_searched) {
  const noun::KnownSecrets known;
  std::string url = "https://api.example.com/?x=1";
  for (int i = 100; i < 200; ++i) url += "&sig=secret" + std::to_string(i);
  const auto secrets = noun::secrets_in_query(url, known);
  EXPECT_EQ(secrets.size(), 32U);
  const noun::Redaction redaction(url, {{}, known, secrets});
  EXPECT_EQ(redaction.url().find("secret"), std::string::npos) << "all are hidden in the URL itself";
  EXPECT_EQ(redaction.scrubbed("secret131 secret132"), "*** secret132");
  const auto long_value = std::string(8000, 'a');
  EXPECT_EQ(noun::secrets_in_query("https://a.example?sig=" + long_value, known), std::vector{long_value.substr(0, 4096)});
}

TEST(Redaction, searches_are_made_once_for_the_same_secrets) {
  noun::KnownSecrets known;
  known.add("secret-1");
  const auto first = known.search_of({"secret-1", "secret-2"});
  EXPECT_EQ(known.search_of({"secret-1", "secret-2"}), first);
  EXPECT_NE(known.search_of({"secret-1"}), first);
  EXPECT_EQ(known.search_of({"secret-1", "secret-2"}), first) << "calls with other secrets change nothing";
  EXPECT_NE(known.search_of({std::string(5000, 'x')}), known.search_of({std::string(5000, 'x')})) << "too long to keep";
  const auto shown = [&] { return noun::Redaction("https://h/secret-1/secret-3", {{}, known}).url(); };
  EXPECT_EQ(shown(), "https://h/***/secret-3");
  known.add_passing("secret-3");
  EXPECT_EQ(shown(), "https://h/***/***");
}

TEST(Redaction, recognizes_common_names_of_secrets) {
  for (const auto* name :
       {"api_key",   "apikey",          "X-Api-Key", "key",       "access_token",    "private-token", "client_secret",
        "sig",       "X-Amz-Signature", "password",  "auth",      "oauth_nonce",     "sessionId",     "sid",
        "jwt",       "passphrase",      "passcode",  "otp",       "mfa_code",        "pin",           "X-Pin",
        "assertion", "device_code",     "creds",     "PHPSESSID", "connectionString", "primaryKey"})
    EXPECT_TRUE(noun::names_secret(name)) << name;
  for (const auto* name : {"state",        "author",     "q",           "design",     "page",     "compass", "side",
                           "passenger",    "keyword",    "pageToken",   "next_token", "startkey", "end_key", "sort-key",
                           "partitionKey", "foreign_key", "public_key", "pinned",     "spin",     ""})
    EXPECT_FALSE(noun::names_secret(name)) << name;
}

TEST(Redaction, values_of_secret_parameters_are_hidden_in_text) {
  noun::KnownSecrets known;
  known.add_parameter("pin");
  const noun::Headers no_headers;
  const auto shown = [&](const char* text) { return noun::Redaction("/", {no_headers, known}).scrubbed(text); };
  EXPECT_EQ(shown(R"({"next": "https://h/x?a=1&X-Amz-Signature=abc%2F&page=2", "n": 1})"),
            R"({"next": "https://h/x?a=1&X-Amz-Signature=***&page=2", "n": 1})");
  EXPECT_EQ(shown("go to /x?pin=1 or <a href='/x?a&amp;sig=2'>"), "go to /x?pin=*** or <a href='/x?a&amp;sig=***'>");
  EXPECT_EQ(shown(R"("/x?a=1\u0026api_key=2\u0026b=3")"), R"("/x?a=1\u0026api_key=***\u0026b=3")");
  for (const auto* text :
       {"token=abc", "key = value", "/x?token=", "/x?q=1&page_token=7", "=", "?=1", "/x?token", "a b=c"})
    EXPECT_EQ(shown(text), text);
}

TEST(Redaction, what_becomes_a_secret_by_being_printed_is_hidden_in_lines) {
  noun::KnownSecrets known;
  known.add("hunter.22 tail");
  const noun::Headers no_headers;
  const noun::Redaction redaction("/", {no_headers, known});
  for (const auto* text :
       {"no hunter.22 tail", "no hunter\01622 tail", "no\nhunter.22 \t tail", "no hunter\u200e22\ttail"})
    EXPECT_EQ(redaction.line(text), "no ***") << text;
  EXPECT_EQ(redaction.header({"If-None-Match", "\"hunter\01622  tail\""}), "\"***\"");
}

TEST(Redaction, header_values_are_shown_by_the_names_of_their_fields) {
  noun::KnownSecrets known;
  known.add("hunter22");
  const noun::Headers headers = {{"Authorization", "Bearer abcdefg"}};
  const noun::Redaction redaction("https://api.example.com/", {headers, known});
  EXPECT_EQ(redaction.header({"X-Tenant", "acme"}), "***");
  EXPECT_EQ(redaction.header({"If-None-Match", "\"hunter22\""}), "\"***\"");
}

TEST(Redaction, headers_of_responses_are_shown_if_they_are_known_to_be_harmless) {
  for (const auto* name :
       {"content-type", "Link", "Location", "ETag", "Date", "Retry-After", "Cache-Control", "Vary", "X-Request-Id",
        "x-ms-ratelimit-remaining-subscription-reads", "X-RateLimit-Remaining-Tokens", "X-ReadRateLimit-Usage",
        "X-Shopify-Shop-Api-Call-Limit", "X-Next-Page", "X-Total-Count", "Access-Control-Allow-Origin",
        "anthropic-ratelimit-input-tokens-limit", "X-Per-Page", "X-Amzn-RequestId", "x-ms-correlation-request-id",
        "X-Cloud-Trace-Context", "X-GitHub-Media-Type", "Docker-Distribution-Api-Version", "WWW-Authenticate"})
    EXPECT_FALSE(noun::is_hidden_in_response(name)) << name;
  for (const auto* name : {"X-Unknown-Thing", "X-Vault", "Authentication-Info", "set-cookie", "X-Session",
                           "X-Auth-Token", "X-Account", "X-Retry-Token", "X-RateLimit-Bypass-Key",
                           "X-RateLimit-Bypass-Token", "X-RateLimit-Auth", "X-Request-Auth", "X-Page-Auth",
                           "X-Trace-Email", ""})
    EXPECT_TRUE(noun::is_hidden_in_response(name)) << name;
}

TEST(Redaction, users_and_passwords_in_urls_are_hidden_in_text) {
  const noun::KnownSecrets known;
  const noun::Headers no_headers;
  const auto shown = [&](const char* text) { return noun::Redaction("/", {no_headers, known}).scrubbed(text); };
  EXPECT_EQ(shown("go to https://ada:p@ss@h/x?sig=1 or ssh://git@h"), "go to https://***@h/x?sig=*** or ssh://***@h");
  EXPECT_EQ(shown(R"({"dsn":"postgres:\/\/ada:hunter22@db\/x"})"), R"({"dsn":"postgres:\/\/***@db\/x"})");
  for (const auto* text : {"https://h/@ada", "https://h?q=a@b", "://@h", "mailto:ada@h", "a: b@c", "https://h", "x://"})
    EXPECT_EQ(shown(text), text);
  EXPECT_EQ(shown("https://a/?token=http://x&u:hunter2222@h/"), "https://a/?token=***@h/") << "they overlap";
  EXPECT_EQ(shown("Ada,https://ada.example,ada1@mail.example"), "Ada,https://ada.example,ada1@mail.example");
  EXPECT_EQ(shown("https://a;https://ada@h,ada:p,ss@h"), "https://a;https://***@h,ada:p,ss@h");
  EXPECT_EQ(shown("https://ada:p,s;s@h,b@c"), "https://***@c") << "a password may have separators";
  EXPECT_EQ(noun::secrets_in_urls("https://ada:hunter%3222@h/?sig=a+b", known),
            (std::vector<std::string>{"ada:hunter%3222", "ada:hunter222", "hunter222", "a+b", "a b"}));
}

TEST(Redaction, the_curl_command_is_quoted_for_a_shell_and_shows_harmless_headers) {
  const noun::Headers harmless = {
      {"Accept", "text/csv"}, {"if-none-match", "\"v1\""}, {"X-GitHub-Api-Version", "2022-11-28"}};
  const noun::Headers mixed = {{"Range", "items=0-9"}, {"X-Mode", "dry"}};
  const auto command = [](Method method, const char* url, const noun::Headers& headers, bool has_body = false) {
    return noun::Redaction(url, {headers, none}).curl_command(method, url, headers, has_body);
  };
  EXPECT_EQ(command(Method::get, "https://h/x?q=a%20b&page=2", mixed),
            "curl 'https://h/x?q=a%20b&page=2' -H 'Range: items=0-9' -H 'X-Mode: ***'");
  EXPECT_EQ(command(Method::get, "https://h/x", harmless),
            "curl 'https://h/x' -H 'Accept: text/csv' -H 'if-none-match: \"v1\"' "
            "-H 'X-GitHub-Api-Version: 2022-11-28'");
  EXPECT_EQ(command(Method::post, "https://h/it's", {{"Accept", "a'b"}}, true),
            "curl -X POST 'https://h/it'\\''s' -H 'Accept: a'\\''b' --data-binary @body");
  EXPECT_EQ(command(Method::head, "https://h/", {}), "curl --head 'https://h/'");
  EXPECT_EQ(command(Method::delete_, "https://h/", {}), "curl -X DELETE 'https://h/'");
  EXPECT_EQ(command(Method::query, "https://h/", {}, true), "curl -X QUERY 'https://h/' --data-binary @body");
}

}  // namespace redaction_test
}  // namespace call_test
