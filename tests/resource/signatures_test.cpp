// Tests of credentials that sign each attempt, as clients use them.
#include <noun/body.hpp>
#include <noun/signatures.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "os/temporary_folder.hpp"
#include "resource/credentials_source.hpp"
#include "resource/scripted_client.hpp"
#include "wire/base64url.hpp"
#include "wire/digest.hpp"
#include "wire/vectors.hpp"

namespace resource_test { namespace signatures_test {

using noun::SignatureAlgorithm;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const noun::AwsSigv4 keys{.access_key = "AKIDEXAMPLE",
                          .secret_key = "s3cret-key",
                          .session_token = "s3cret-token",
                          .region = "eu-central-1",
                          .service = "execute-api"};

noun::AwsSigv4 of_s3() {
  return {.access_key = "AKIDEXAMPLE", .secret_key = "s3cret-key", .region = "us-east-1", .service = "s3"};
}

std::string field(const Bench& bench, const char* name) {
  return std::string(bench.last().headers.get(name).value_or("none"));
}

/// The expected signatures are those of botocore.
TEST(AwsSigv4, signs_the_request_that_is_sent) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/a%20b/things?q=a%20b").reply(201, "1");
  const auto api = bench.client({.credentials = noun::aws_sigv4(keys)});
  const auto sent = api.send({.method = Method::post,
                              .path = "a%20b/things",
                              .query = {{"q", "a b"}},
                              .headers = {{"Content-Type", "application/json"}, {"X-Tenant", "blue"}},
                              .body = R"({"a":"b"})"});
  ASSERT_TRUE(sent) << message_of(sent);
  EXPECT_EQ(field(bench, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260120/eu-central-1/execute-api/aws4_request, "
            "SignedHeaders=accept;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-tenant, "
            "Signature=c2e7ca2ee8f1328be014d3f45aa8340d4cb681621ecae9a4388c280b1eb95464");
  EXPECT_EQ(field(bench, "X-Amz-Date"), "20260120T120000Z");
  EXPECT_EQ(field(bench, "X-Amz-Security-Token"), "s3cret-token");
  EXPECT_EQ(field(bench, "X-Amz-Content-Sha256"), "db4a7ecb114bc66c623a06c4ff6fe8daa2f49cc270ebbf7a1f81e22ab061c837");
}

TEST(AwsSigv4, of_s3_signs_the_path_encoded_once) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/a%20b//c").reply(200, "1").times(2);
  const auto get = [&](noun::AwsSigv4 options) {
    EXPECT_TRUE(bench.client({.credentials = noun::aws_sigv4(std::move(options))}).send({.path = "a%20b//c"}));
    return field(bench, "Authorization");
  };
  const auto signature = "Signature=faeab45b00f9f947fe65571b5fac06f249cad723345f84c7059bf2aef3769ebc";
  EXPECT_THAT(get(of_s3()), HasSubstr(signature));
  auto normalized = of_s3();
  normalized.normalize_path = true;
  EXPECT_THAT(get(normalized), Not(HasSubstr(signature)));
}

TEST(AwsSigv4, does_not_sign_a_body_from_a_file_which_needs_https) {
  const noun_test::TemporaryFolder folder;
  folder.write("f", "text");
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/x").reply(200);
  const noun::Request request{
      .method = Method::put, .path = "x", .body = noun::body::file(folder.path("f"), "text/plain")};
  const noun::ClientOptions options{.credentials = noun::aws_sigv4(of_s3())};
  EXPECT_TRUE(bench.client(options).send(request));
  EXPECT_EQ(field(bench, "X-Amz-Content-Sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_THAT(field(bench, "Authorization"),
              HasSubstr("Signature=211ac81a253bce63ac66802e384452d382c9f0ffbc3844a0ddeba3575860fbe5"));
  const auto open = bench.client(options, "http://localhost:9000").send(request);
  expect_error(open, Errc::credentials, "does not sign a body from a file");
  EXPECT_EQ(open.error().sent(), Sent::no);
}

TEST(AwsSigv4, signs_each_attempt_with_its_date) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").with_header("X-Amz-Date", "20260120T120000Z").reply(503);
  bench.script->expect(Method::get, "/v1/x").with_header("X-Amz-Date", "20260120T120001Z").reply(200, "1");
  EXPECT_TRUE(bench.client({.credentials = noun::aws_sigv4(keys)}).singleton("x").get());
}

TEST(AwsSigv4, has_the_time_of_a_server_that_rejects_that_of_the_client) {
  WholeScript bench;
  const auto skewed = R"({"code": "RequestTimeTooSkewed"})";
  bench.script->expect(Method::post, "/v1/x").reply(403, skewed, {{"Date", "Tue, 20 Jan 2026 12:20:00 GMT"}});
  bench.script->expect(Method::post, "/v1/x").with_header("X-Amz-Date", "20260120T122000Z").reply(201, "1");
  bench.script->expect(Method::get, "/v1/x").with_header("X-Amz-Date", "20260120T122000Z").reply(200, "1");
  const auto api = bench.client({.credentials = noun::aws_sigv4(keys)});
  EXPECT_TRUE(api.collection("x").create(1));
  EXPECT_TRUE(api.with({}).singleton("x").get()) << "copies share it";
}

TEST(AwsSigv4, gets_its_keys_from_a_function_for_each_attempt) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").with_header("X-Amz-Security-Token", "token-1").reply(503);
  bench.script->expect(Method::get, "/v1/x").with_header("X-Amz-Security-Token", "token-2").reply(200, "1");
  const auto rotating = [](const noun::CredentialsRequest& request) -> noun::Result<noun::AwsSigv4> {
    auto options = keys;
    options.session_token = "token-" + std::to_string(request.attempt);
    return options;
  };
  EXPECT_TRUE(bench.client({.credentials = noun::aws_sigv4(rotating)}).singleton("x").get());
  const auto empty = [](const noun::CredentialsRequest&) { return noun::AwsSigv4{}; };
  expect_error(bench.client({.credentials = noun::aws_sigv4(empty)}).singleton("x").get(), Errc::credentials,
               "access_key of aws_sigv4() is empty");
}

TEST(AwsSigv4, with_an_empty_option_is_refused_when_the_client_is_made) {
  for (const auto member :
       {&noun::AwsSigv4::access_key, &noun::AwsSigv4::secret_key, &noun::AwsSigv4::region, &noun::AwsSigv4::service}) {
    auto options = keys;
    options.*member = "";
    expect_error(Bench().create("https://api.example.com", {.credentials = noun::aws_sigv4(options)}),
                 Errc::invalid_argument, "of aws_sigv4() is empty");
  }
  expect_error(Bench().create("http://api.example.com", {.credentials = noun::aws_sigv4(keys)}), Errc::invalid_argument,
               "credentials would be sent over plain http");
}

TEST(AwsSigv4, with_an_option_that_spoils_the_header_is_refused_when_the_client_is_made) {
  const std::pair<noun::FieldValue noun::AwsSigv4::*, std::vector<std::string>> cases[] = {
      {&noun::AwsSigv4::access_key, {"AKID\r\nX: 1", "AKID\n", "AK/ID", "AK ID", "AK,ID", "AK\u00e4"}},
      {&noun::AwsSigv4::region, {"eu/central", "eu central", "eu\n"}},
      {&noun::AwsSigv4::service, {"s3/", "s3,"}},
      {&noun::AwsSigv4::secret_key, {"s3cret-key\n", std::string("s3cret\0key", 10)}},
      {&noun::AwsSigv4::session_token, {"s3cret-token\r\n"}},
  };
  for (const auto& [member, texts] : cases)
    for (const auto& text : texts) {
      auto options = keys;
      options.*member = text;
      expect_error(Bench().create("https://api.example.com", {.credentials = noun::aws_sigv4(options)}),
                   Errc::invalid_argument, "of aws_sigv4() has a");
      const auto each = [&](const noun::CredentialsRequest&) { return options; };
      expect_error(Bench().client({.credentials = noun::aws_sigv4(each)}).singleton("x").get(), Errc::credentials,
                   "of aws_sigv4() has a");
    }
  auto options = keys;
  options.secret_key = "s3cret/key+";
  EXPECT_TRUE(Bench().create("https://api.example.com", {.credentials = noun::aws_sigv4(options)}));
}

/// What a client shows of a call that fails after a retry.
std::string shown_by(const noun::Credentials& credentials, const std::string& body) {
  Bench bench;
  std::string shown;
  bench.script->expect(Method::post, "/v1/x").reply(429, body, {{"Retry-After", "1"}});
  bench.script->expect(Method::post, "/v1/x").reply(403, body, {{"Content-Type", "text/plain"}});
  const auto api = bench.client({.credentials = credentials, .observer = [&](const noun::Event& event) {
                                   shown += noun::to_string(event) + "\n";
                                 }});
  const auto got = api.collection("x").create(1);
  const auto& error = got.error();
  return shown + error.message() + "\n" + error.request().url + "\n" + error.request().curl + "\n";
}

TEST(Signatures, show_no_secret_in_messages_events_and_curl_lines) {
  const auto aws = shown_by(noun::aws_sigv4(keys), "the key s3cret-key and the token s3cret-token are not accepted");
  EXPECT_THAT(aws, HasSubstr("the key *** and the token *** are not accepted"));
  EXPECT_THAT(aws, HasSubstr("X-Amz-Date: 20260120T12000"));
  EXPECT_THAT(aws, HasSubstr("Authorization: ***"));
  const auto http = shown_by(noun::http_signature({.key = "s3cret-key", .algorithm = SignatureAlgorithm::hmac_sha256}),
                             "the key s3cret-key is not accepted");
  EXPECT_THAT(http, HasSubstr("the key *** is not accepted"));
  EXPECT_THAT(http, HasSubstr("Signature: ***"));
  EXPECT_THAT(aws + http, Not(HasSubstr("s3cret")));
}

TEST(Signatures, are_not_sent_to_another_origin) {
  const noun::Credentials both[] = {
      noun::aws_sigv4(keys), noun::http_signature({.key = "s3cret", .algorithm = SignatureAlgorithm::hmac_sha256})};
  for (const auto& credentials : both) {
    WholeScript bench;
    bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "https://cdn.example.com/f"}});
    bench.script->expect(Method::get, "/f").reply(200, "text");
    std::string text;
    const auto take = [&](std::string_view bytes) {
      text += bytes;
      return true;
    };
    const auto got = bench.client({.credentials = credentials}).download({.path = "f"}, take);
    ASSERT_TRUE(got) << message_of(got);
    EXPECT_EQ(bench.last().url, "https://cdn.example.com/f");
    for (const auto* name : {"Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256", "Signature",
                             "Signature-Input"})
      EXPECT_EQ(field(bench, name), "none");
  }
}

noun::HttpSignature with_secret() {
  return {.key = "the secret", .algorithm = SignatureAlgorithm::hmac_sha256, .key_id = "key-1"};
}

/// The value of Signature for a signature base and the secret.
std::string signature_of(const std::string& base) {
  return "sig1=:" + noun::wire::base64_encode(noun::wire::hmac_sha256("the secret", base)) + ":";
}

TEST(HttpSignature, signs_the_request_that_is_sent_with_a_digest_of_its_body) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x?a=b").reply(201, "1");
  const auto api = bench.client({.credentials = noun::http_signature(with_secret())});
  EXPECT_TRUE(api.collection("x").create(Json{{"hello", "world"}}, {.query = {{"a", "b"}}}));
  constexpr auto* digest = "sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:";
  constexpr auto* input = R"(("@method" "@target-uri" "content-digest");created=1768910400;keyid="key-1")";
  EXPECT_EQ(field(bench, "Content-Digest"), digest);
  EXPECT_EQ(field(bench, "Signature-Input"), std::string("sig1=") + input);
  EXPECT_EQ(field(bench, "Signature"),
            signature_of(std::string("\"@method\": POST\n\"@target-uri\": https://api.example.com/v1/x?a=b\n"
                                     "\"content-digest\": ") +
                         digest + "\n\"@signature-params\": " + input));
}

TEST(HttpSignature, of_a_request_without_a_body_has_no_digest_and_no_length) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  auto options = with_secret();
  options.components = {"content-digest", "@path", "content-length"};
  EXPECT_TRUE(bench.client({.credentials = noun::http_signature(options)}).singleton("x").get());
  EXPECT_EQ(field(bench, "Content-Digest"), "none");
  constexpr auto* input = R"(("@path");created=1768910400;keyid="key-1")";
  EXPECT_EQ(field(bench, "Signature-Input"), std::string("sig1=") + input);
  EXPECT_EQ(field(bench, "Signature"), signature_of(std::string("\"@path\": /v1/x\n\"@signature-params\": ") + input));
}

TEST(HttpSignature, has_the_parameters_that_its_options_name) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x").reply(503).times(1);
  bench.script->expect(Method::post, "/v1/x").reply(201, "1");
  auto options = with_secret();
  options.components = {"date", "content-length", "x-tenant;bs"};
  options.label = "client";
  options.tag = "app";
  options.lifetime = 1500ms;
  options.with_nonce = true;
  options.with_algorithm = true;
  const auto api = bench.client({.credentials = noun::http_signature(options), .headers = {{"X-Tenant", "blue"}}});
  EXPECT_TRUE(api.collection("x").create(7, {.idempotency_key = "k"}));
  EXPECT_EQ(field(bench, "Date"), "Tue, 20 Jan 2026 12:00:01 GMT");
  EXPECT_THAT(field(bench, "Signature"), StartsWith("client=:"));
  const auto input = field(bench, "Signature-Input");
  EXPECT_THAT(input,
              StartsWith(R"(client=("date" "content-length" "x-tenant";bs);created=1768910401;expires=1768910403;)"
                         R"(keyid="key-1";alg="hmac-sha256";nonce=")"));
  EXPECT_THAT(input, ::testing::EndsWith(R"(==";tag="app")"));
  const auto nonce = [](const std::string& text) { return text.substr(text.find("nonce=") + 7, 24); };
  EXPECT_NE(nonce(input), nonce(std::string(*bench.script->requests().front().headers.get("Signature-Input"))));
}

TEST(HttpSignature, hides_a_secret_but_no_private_key_which_is_never_sent) {
  const auto hidden = [](noun::HttpSignature options) {
    return noun::detail::CredentialsAccess::source_of(noun::http_signature(std::move(options)))->secrets;
  };
  EXPECT_EQ(hidden(with_secret()), std::vector<std::string>{"the secret"});
  std::string pem;
  for (const auto& key : noun::wire_test::vectors("message_signature_keys.json"))
    if (key.id() == "test-key-ed25519") pem = key.data.value("private", "");
  ASSERT_FALSE(pem.empty());
  EXPECT_TRUE(hidden({.key = pem}).empty());
}

TEST(HttpSignature, of_what_the_request_does_not_have_is_an_error_and_nothing_is_sent) {
  const noun_test::TemporaryFolder folder;
  folder.write("f", "text");
  WholeScript bench;
  auto options = with_secret();
  options.components = {R"(@query-param;name="page")"};
  const auto got = bench.client({.credentials = noun::http_signature(options)}).singleton("x").get();
  expect_error(got, Errc::credentials, R"(covers "@query-param";name="page", which the request does not have)");
  EXPECT_EQ(got.error().sent(), Sent::no);
  const auto twice = bench.client({.credentials = noun::http_signature(options)}).send({.path = "x?page=1&page=2"});
  expect_error(twice, Errc::credentials,
               R"(covers "@query-param";name="page", which the request has more than once; send it once)");
  const noun::Request request{.method = Method::put, .path = "x", .body = noun::body::file(folder.path("f"))};
  const auto api = bench.client({.credentials = noun::http_signature(with_secret())});
  expect_error(api.send(request), Errc::credentials, "does not know the digest of a body from a file");
  bench.script->expect(Method::put, "/v1/x").reply(200);
  auto with_digest = request;
  with_digest.headers = {{"Content-Digest", "sha-256=:AAAA:"}};
  EXPECT_TRUE(api.send(with_digest));
  EXPECT_EQ(field(bench, "Content-Digest"), "sha-256=:AAAA:");
}

TEST(HttpSignature, with_a_bad_option_is_refused_when_the_client_is_made) {
  const auto with = [](auto change) {
    auto options = with_secret();
    change(options);
    return noun::http_signature(std::move(options));
  };
  using Options = noun::HttpSignature;
  const std::pair<noun::Credentials, const char*> cases[] = {
      {noun::http_signature({}), "key of http_signature() is empty"},
      {noun::http_signature({.key = "s3cret"}), "for ed25519 is refused: "},
      {with([](Options& o) { o.components = {"@status"}; }), R"(the component "@status")"},
      {with([](Options& o) {
         o.components = {"Date", "date"};
       }),
       R"(has the component "date" twice)"},
      {with([](Options& o) { o.label = "Sig"; }), "label of http_signature() is not"},
      {with([](Options& o) { o.label = "a=1"; }), "label of http_signature() is not"},
      {with([](Options& o) { o.label = ""; }), "label of http_signature() is not"},
      {with([](Options& o) { o.label = "sig1\t"; }), "label of http_signature() is not"},
      {with([](Options& o) { o.label = "\tsig1"; }), "label of http_signature() is not"},
      {with([](Options& o) { o.key_id = "\xC3\xA4"; }), "is not printable ASCII"},
      {with([](Options& o) { o.tag = "a\nb"; }), "is not printable ASCII"},
      {with([](Options& o) { o.lifetime = -1s; }), "lifetime of http_signature() is negative"},
      {with([](Options& o) { o.lifetime = 1s, o.with_created = false; }), "needs with_created"}};
  for (const auto& [credentials, because] : cases)
    expect_error(Bench().create("https://api.example.com", {.credentials = credentials}), Errc::invalid_argument,
                 because);
}

}  // namespace signatures_test
}  // namespace resource_test
