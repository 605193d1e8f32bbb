// Bodies that are not JSON, with the verbs and send(): their bytes, their content type, and files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "os/temporary_folder.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace body_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

using namespace std::literals;
using noun_test::TemporaryFolder;

/// What a POST with this body sent.
kit::SentRequest posted(const noun::Body& body, const noun::Headers& headers = {}) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x").reply(200);
  const auto got = bench.client().send({.method = Method::post, .path = "x", .headers = headers, .body = body});
  EXPECT_TRUE(got) << message_of(got);
  return bench.last();
}

std::string content_type(const kit::SentRequest& request) {
  return std::string(request.headers.get("Content-Type").value_or("none"));
}

TEST(Body, a_form_has_its_fields_in_order_and_percent_encoded) {
  const auto sent = posted(noun::body::form({{"a", 1}, {"b c", "x&y=z+\xC3\xA4\r\n"}, {"a", true}, {"empty", ""}}));
  EXPECT_EQ(sent.body, "a=1&b%20c=x%26y%3Dz%2B%C3%A4%0D%0A&a=true&empty=");
  EXPECT_EQ(content_type(sent), "application/x-www-form-urlencoded");
}

TEST(Body, an_empty_form_is_a_body) {
  const auto sent = posted(noun::body::form({}));
  EXPECT_TRUE(sent.has_body);
  EXPECT_EQ(sent.body, "");
}

TEST(Body, bytes_are_sent_as_they_are_and_their_content_type_replaces_any_other) {
  const auto sent = posted(noun::body::bytes("a\0\xFF"s, "image/png"), {{"content-type", "text/plain"}});
  EXPECT_EQ(sent.body, "a\0\xFF"s);
  EXPECT_THAT(sent.headers.values("Content-Type"), ::testing::ElementsAre("image/png"));
  EXPECT_EQ(content_type(posted(noun::body::bytes("a"))), "application/octet-stream");
  EXPECT_EQ(content_type(posted(noun::body::bytes("a", ""), {{"Content-Type", "text/plain"}})), "text/plain");
}

TEST(Body, text_has_the_content_type_of_the_headers) {
  EXPECT_EQ(content_type(posted("plain", {{"Content-Type", "text/csv"}})), "text/csv");
  EXPECT_EQ(content_type(posted("plain"s)), "none");
  EXPECT_TRUE(noun::Body(static_cast<const char*>(nullptr)).empty());
}

TEST(Body, a_multipart_body_has_each_part_with_its_names_and_its_type) {
  const TemporaryFolder folder;
  folder.write("photo.jpg", "JPEG\r\n--noun");
  const auto sent = posted(noun::body::multipart({{"title", "Report\r\n"},
                                                  {"count", 3},
                                                  {"data", noun::body::bytes("1,2", "text/csv"), "\"a\r\n.csv"},
                                                  {"note", noun::body::bytes("n", "")},
                                                  {"photo", noun::body::file(folder.path("photo.jpg"), "image/jpeg")},
                                                  {"n\"m\xC3\xA4", noun::body::form({{"a", 1}})}}));
  const auto type = content_type(sent);
  ASSERT_THAT(type, MatchesRegex("multipart/form-data; boundary=noun-[0-9a-f]{32}"));
  const auto limit = "--" + type.substr(type.find('=') + 1);
  EXPECT_EQ(sent.body,
            limit + "\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nReport\r\n\r\n" +  //
                limit + "\r\nContent-Disposition: form-data; name=\"count\"\r\n\r\n3\r\n" +       //
                limit + "\r\nContent-Disposition: form-data; name=\"data\"; filename=\"%22a%0D%0A.csv\"\r\n" +
                "Content-Type: text/csv\r\n\r\n1,2\r\n" +                                  //
                limit + "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nn\r\n" +  //
                limit + "\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.jpg\"\r\n" +
                "Content-Type: image/jpeg\r\n\r\nJPEG\r\n--noun\r\n" +  //
                limit + "\r\nContent-Disposition: form-data; name=\"n%22m\xC3\xA4\"\r\n" +
                "Content-Type: application/x-www-form-urlencoded\r\n\r\na=1\r\n" +  //
                limit + "--\r\n");
}

TEST(Body, every_multipart_body_has_a_boundary_of_its_own_which_is_kept_in_retries) {
  const auto body = noun::body::multipart({{"a", "b"}});
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/x").reply(503);
  bench.script->expect(Method::put, "/v1/x").reply(200);
  EXPECT_TRUE(bench.client().send({.method = Method::put, .path = "x", .body = body}));
  EXPECT_EQ(bench.script->requests()[0].body, bench.script->requests()[1].body);
  EXPECT_NE(content_type(posted(noun::body::multipart({{"a", "b"}}))), content_type(bench.last()));
}

TEST(Body, all_kinds_work_with_the_verbs_and_are_not_put_into_the_envelope) {
  const TemporaryFolder folder;
  folder.write("f", "from a file");
  const std::pair<noun::Body, const char*> cases[] = {
      {noun::body::form({{"a", 1}}), "a=1"},
      {noun::body::bytes("raw", "text/plain"), "raw"},
      {noun::body::file(folder.path("f"), "text/plain"), "from a file"},
      {R"({"already": "JSON"})", R"({"already": "JSON"})"},
  };
  for (const auto& [body, text] : cases) {
    WholeScript bench;
    const auto items = bench.client({.dialect = {.member = {.request = "/data"}}}).collection<Language>("languages");
    bench.script->expect(Method::post, "/v1/languages").with_body(text).reply(201, german);
    bench.script->expect(Method::put, "/v1/languages/deu").with_body(text).reply(200, german);
    bench.script->expect(Method::patch, "/v1/languages/deu").with_body(text).reply(200, german);
    bench.script->expect(Method::patch, "/v1/languages/deu").with_body(text).reply(200, german);
    bench.script->expect(Method::post, "/v1/languages").with_body(R"({"data":{"a":1}})").reply(201, german);
    EXPECT_EQ(items.create(body).value().name, "German");
    EXPECT_EQ(items["deu"].replace(body).value().name, "German");
    EXPECT_EQ(items["deu"].update(body).value().name, "German");
    EXPECT_EQ(noun::op::update(items["deu"], body).run().value().name, "German");
    EXPECT_TRUE(items.create(Json{{"a", 1}}));
  }
}

TEST(Body, a_file_is_opened_again_for_each_attempt) {
  const TemporaryFolder folder;
  const auto path = folder.path("f");
  folder.write("f", "12345");
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/x").with_body("12345").reply(503);
  bench.script->expect(Method::put, "/v1/x").with_body("54321").reply(200);
  int attempts = 0;
  auto api = bench.client({.observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::retrying && ++attempts == 1) folder.write("f", "54321");
  }});
  EXPECT_TRUE(api.send({.method = Method::put, .path = "x", .body = noun::body::file(path)}));
}

TEST(Body, a_file_is_resent_by_the_retry_rules_alone) {
  const TemporaryFolder folder;
  folder.write("f", "12345");
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x").fail(Errc::send, Sent::maybe);
  const auto got =
      bench.client().send({.method = Method::post, .path = "x", .body = noun::body::file(folder.path("f"))});
  expect_error(got, Errc::send, "check whether the server acted");
  EXPECT_EQ(got.error().sent(), Sent::maybe);
  EXPECT_THAT(got.error().request().curl, HasSubstr(" --data-binary '@" + folder.path("f") + "'"));
}

TEST(Body, a_file_that_changes_its_size_between_attempts_is_an_error) {
  const TemporaryFolder folder;
  const auto path = folder.path("f");
  folder.write("f", "12345");
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/x").reply(503);
  auto api = bench.client({.observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::retrying) folder.write("f", "123456");
  }});
  const auto got = api.send({.method = Method::put, .path = "x", .body = noun::body::file(path)});
  expect_error(got, Errc::invalid_argument, "no longer has the 5 bytes");
  EXPECT_EQ(got.error().attempts(), 2);
}

TEST(Body, what_cannot_be_read_or_is_not_a_file_is_refused_and_nothing_is_sent) {
  const TemporaryFolder folder;
  Bench bench;
  const auto api = bench.client();
  const auto put = [&](const noun::Body& body) {
    return api.send({.method = Method::put, .path = "x", .body = body});
  };
  folder.write("f", "content");
  expect_refused(put(noun::body::file(folder.path("missing"))), "No such file or directory");
  expect_refused(put(noun::body::file(folder.path("."))), "is not a regular file");
  expect_refused(put(noun::body::file("/dev/null")), "is not a regular file");
  expect_refused(put(noun::body::file("")), "the path of the file to send is empty");
  expect_refused(put(noun::body::file(folder.path("f") + '\0' + ".png")), "cannot read the file");
  expect_refused(put(noun::body::multipart({{"a", noun::body::file(folder.path("missing"))}})), "No such file");
  expect_refused(put(noun::body::multipart({{"a", noun::body::file("")}})), "the path of the file to send is empty");
  expect_refused(put(noun::body::multipart({})), "has no part");
  expect_refused(put(noun::body::bytes("a", "text/plain\r\nX-Evil: 1")), "Content-Type has a control character");
  expect_refused(put(noun::body::multipart({{"a", noun::body::bytes("a", "text/plain\r\nX: 1")}})),
                 "the content type of a part has a control character");
  expect_refused(api.send({.path = "x", .body = noun::body::form({})}), "must not have a body");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Body, content_is_in_no_message) {
  for (const auto& body : {noun::body::form({{"password", "s3cret"}}), noun::body::bytes("s3cret"),
                           noun::body::multipart({{"password", "s3cret"}})}) {
    Bench bench;
    bench.script->expect(Method::post, "/v1/x").reply(400);
    const auto got = bench.client().send({.method = Method::post, .path = "x", .body = body});
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().request().curl, AllOf(HasSubstr("--data-binary @body"), Not(HasSubstr("s3cret"))));
    EXPECT_THAT(got.error().message(), Not(HasSubstr("s3cret")));
  }
}

TEST(Body, a_streamed_body_has_no_time_limit_but_that_of_its_call) {
  const TemporaryFolder folder;
  folder.write("f", "12345");
  const auto timeout = [&](const noun::Body& body, const noun::CallOptions& options) {
    Bench bench;
    bench.script->expect(Method::put, "/v1/x").reply(200);
    EXPECT_TRUE(bench.client().send({.method = Method::put, .path = "x", .body = body}, options));
    return bench.last().timeout;
  };
  const auto file = noun::body::file(folder.path("f"));
  EXPECT_EQ(timeout("text", {}), 60s);
  EXPECT_GT(timeout(file, {}), 24h * 365);
  EXPECT_EQ(timeout(file, {.attempt_timeout = 7s}), 7s);
  EXPECT_GT(timeout(noun::body::multipart({{"f", file}}), {}), 24h * 365);
}

}}  // namespace resource_test::body_test
