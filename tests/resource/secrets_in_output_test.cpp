// Tests of what the client knows to be secret: it is hidden wherever a server puts it, also where the request of the
// message does not have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "resource/proxied_client.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test {

struct Numbered {
  noun::as_text<std::int64_t> id;
};
NOUN_DESCRIBE(Numbered, id)

namespace secrets_in_output_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* canary = "canary-99887";
const noun::Headers as_json = {{"Content-Type", "application/json"}};

/// Everything that a client with `options` shows, as one text. A stream notifies on a thread of its own, which may go on
/// after its last event.
class Witness {
 public:
  noun::ClientOptions watched(noun::ClientOptions options = {}) {
    options.observer = [shown = shown_](const noun::Event& event) { shown->add(noun::to_string(event)); };
    return options;
  }
  void see(const noun::Error& error) {
    shown_->add(error.message() + "\n" + error.request().url + "\n" + error.request().curl);
  }
  template <class T>
  void see(const noun::Result<T>& result) {
    ASSERT_FALSE(result);
    see(result.error());
  }
  void expect_no_canary() const { EXPECT_THAT(text(), Not(HasSubstr("canary"))); }
  std::string text() const {
    const std::lock_guard lock(shown_->mutex);
    return shown_->text;
  }

 private:
  struct Shown {
    std::mutex mutex;
    std::string text;

    void add(const std::string& line) {
      const std::lock_guard lock(mutex);
      text += line + "\n";
    }
  };
  const std::shared_ptr<Shown> shown_ = std::make_shared<Shown>();
};

const noun::Query query_with_canary = {{"code", canary}};

TEST(KnownSecrets, are_hidden_in_an_item_or_page_that_does_not_decode) {
  for (const auto* body : {R"([{"alpha_3": 1, "self": "/x?code=canary-99887"}])", R"({"self": "canary-99887"})"}) {
    Bench bench;
    Witness witness;
    bench.script->expect(Method::get, "/v1/x").reply(200, body);
    const auto api = bench.client(witness.watched({.query = query_with_canary}));
    for (const auto& item : api.collection<Language>("x").list()) witness.see(item);
    witness.expect_no_canary();
    EXPECT_THAT(witness.text(), HasSubstr("***"));
  }
}

TEST(KnownSecrets, are_hidden_in_an_event_that_does_not_decode) {
  const auto text_for = [](auto type, const std::string& data, noun::ClientOptions options) {
    Bench bench;
    Witness witness;
    bench.script->expect(Method::get, "/v1/x").reply(302, "", {{"Location", "/v1/y?token=canary-second"}});
    bench.script->expect(Method::get, "/v1/y")
        .reply(200, "data: " + data + "\n\n", {{"Content-Type", "text/event-stream"}});
    for (const auto& event : bench.client(witness.watched(std::move(options))).stream<decltype(type)>({.path = "x"}))
      witness.see(event);
    witness.expect_no_canary();
    EXPECT_THAT(witness.text(), HasSubstr("event 1 of the stream: the body cannot be decoded: at "));
    return witness.text();
  };
  const noun::ClientOptions options{.credentials = noun::bearer(canary)};
  const std::map<std::string, int> counts;
  EXPECT_THAT(text_for(Numbered(), R"({"id": "canary-99887"})", options), HasSubstr("not \"***\", in \"{"));
  EXPECT_THAT(text_for(counts, R"({"canary-99887": "x"})", options), HasSubstr("at ***: a number is expected"));
  EXPECT_THAT(text_for(Numbered(), R"({"id": "canary-second"})", {}), HasSubstr("not \"***\""));
}

TEST(KnownSecrets, are_not_cut_before_they_are_hidden) {
  const std::string long_canary = "canary-" + std::string(91, '9');
  Bench bench;
  Witness witness;
  bench.script->expect(Method::get, "/v1/x").reply(200, R"({"id": ")" + long_canary + "\"}");
  const auto api = bench.client(witness.watched({.credentials = noun::bearer(long_canary)}));
  witness.see(api.singleton<Numbered>("x").get());
  witness.expect_no_canary();
  EXPECT_THAT(witness.text(), HasSubstr("an integer as text is expected, not text of 98 bytes, in \"{"));
}

TEST(KnownSecrets, are_hidden_in_a_location) {
  const auto text_for = [](noun::ClientOptions options, noun::CallOptions call = {}, const std::string& text = canary) {
    Bench bench;
    Witness witness;
    bench.script->expect(Method::get, "/v1/x")
        .reply(302, "", {{"Location", "https://login.example.com/?return=/v1/x%3Fcode%3D" + text}});
    const auto watched = witness.watched(std::move(options));
    const auto api = proxied_client(bench.script, "https://api.example.com/v1", bench.filled(watched)).value();
    witness.see(api.singleton("x").get(call));
    EXPECT_THAT(witness.text(), HasSubstr("***"));
    return witness.text();
  };
  const auto no_canary = Not(HasSubstr("canary"));
  EXPECT_THAT(text_for({.query = query_with_canary}), no_canary);
  EXPECT_THAT(text_for({}, {.query = {{"access_token", canary}}}), no_canary);
  EXPECT_THAT(text_for({.secret_parameters = "pin"}, {.query = {{"pin", canary}}}), no_canary);
  EXPECT_THAT(text_for({.proxy = "http://user:canary%2D99887@proxy.example.com:8080"}), no_canary);
  const std::string key = "key-of-bookmarks-canary";
  EXPECT_THAT(text_for({.bookmark_key = key}, {}, key), no_canary);
}

TEST(KnownSecrets, include_what_the_token_endpoint_gave_and_took) {
  Bench bench;
  Witness witness;
  bench.script->expect(Method::post, "/token").reply(200, R"({"access_token": "canary-token"})");
  bench.script->expect(Method::get, "/v1/x").reply(
      302, "", {{"Location", "https://login.example.com/?a=canary-99887&b=canary-token"}});
  const auto api = bench.client(witness.watched({.credentials = noun::oauth2_client_credentials(
      {.token_url = "https://login.example.com/token", .client_id = "id", .client_secret = canary})}));
  witness.see(api.singleton("x").get());
  witness.expect_no_canary();
}

TEST(KnownSecrets, are_hidden_after_redirects) {
  const auto text_for = [](noun::ClientOptions options, noun::CallOptions call = {}) {
    Bench bench;
    Witness witness;
    bench.script->expect(Method::get, "/v1/x").reply(302, "", {{"Location", "/canary-99887?token=canary-second"}});
    bench.script->expect(Method::get, "/canary-99887").reply(302, "", {{"Location", "/z?return=/v1/canary-99887"}});
    bench.script->expect(Method::get, "/z").reply(404, R"({"message": "canary-99887, canary-second"})", as_json);
    witness.see(bench.client(witness.watched(std::move(options))).singleton("x").get(call));
    EXPECT_THAT(witness.text(), HasSubstr("saying \"***, ***\""));
    return witness.text();
  };
  EXPECT_THAT(text_for({.query = query_with_canary}), Not(HasSubstr("canary")));
  EXPECT_THAT(text_for({}, {.query = {{"access_token", canary}}}), Not(HasSubstr("canary")));
}

TEST(KnownSecrets, are_not_in_events_and_bookmarks_of_a_listing) {
  Bench bench;
  Witness witness;
  bench.script->expect(Method::get, "/v1/x").reply(200, "[1]", {{"Link", "</v1/x/canary-99887?p=2>; rel=\"next\""}});
  bench.script->expect(Method::get, "/v1/x/canary-99887").reply(200, "[2, 3]");
  bench.script->expect(Method::get, "/v1/x/another-code").reply(200, "[2, 4]");
  // A secret returns to a path only if the bookmark is authentic.
  const auto api = bench.client(witness.watched({.query = query_with_canary, .bookmark_key = "a key of the program"}));
  auto list = api.collection<int>("x").list({.max_items = 2});
  for (const auto& item : list) EXPECT_TRUE(item);
  witness.expect_no_canary();
  const auto bookmark = list.bookmark();
  const auto today = api.with({.query = noun::Query{{"code", "another-code"}}});
  for (const auto& item : today.collection<int>("x").list({.resume = bookmark})) EXPECT_EQ(*item, 4);
  EXPECT_THAT(bench.last().url, HasSubstr("/v1/x/another-code?p=2"));
}

TEST(KnownSecrets, are_those_of_the_listing_that_a_next_link_repeats) {
  Bench bench;
  Witness witness;
  bench.script->expect(Method::get, "/v1/x?api_key=canary-99887")
      .reply(200, R"([{"alpha_3": "deu", "name": "German"}])", {{"Link", R"(</v1/x?k=canary-99887>; rel="next")"}});
  bench.script->expect(Method::get, "/v1/x?k=canary-99887").reply(200, "[1]");
  const auto api = bench.client(witness.watched());
  for (const auto& item : api.collection<Language>("x").list({.query = {{"api_key", canary}}}))
    if (!item) witness.see(item);
  witness.expect_no_canary();
  EXPECT_THAT(witness.text(), HasSubstr("/v1/x?k=***: "));
}

TEST(KnownSecrets, are_hidden_in_a_request_that_is_refused_before_it_is_sent) {
  for (const auto& options : {noun::ClientOptions{.query = query_with_canary},
                              noun::ClientOptions{.credentials = noun::bearer(canary)},
                              noun::ClientOptions{.headers = {{"X-Api-Key", canary}}}}) {
    Bench bench;
    Witness witness;
    const auto api = bench.client(options);
    witness.see(api.send({.path = "x/canary-99887"}, {.attempt_timeout = 0s}));
    witness.see(api.collection(canary).create<void>(noun::body::form({{"a", "b"}}), {.headers = {{"X-\n", ""}}}));
    witness.expect_no_canary();
  }
}

TEST(KnownSecrets, are_those_of_the_options_that_a_copy_has) {
  Bench bench;
  Witness witness;
  bench.script->expect(Method::get, "/v1/x").reply(
      302, "", {{"Location", "https://login.example.com/canary-99887/canary-token"}});
  const auto api = bench.client(witness.watched({.credentials = noun::basic("user", "canary-token")}));
  const auto copy = api.with({.query = query_with_canary});
  witness.see(copy.singleton("x").get());
  witness.expect_no_canary();
}

}  // namespace secrets_in_output_test
}  // namespace resource_test
