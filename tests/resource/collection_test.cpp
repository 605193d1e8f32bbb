// Tests of the verbs of a collection except list(): create, its responses, and what is never repeated.
#include <noun/collection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace collection_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Collection, create_posts_the_body_and_returns_the_created_item) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/languages")
      .with_body(R"({"alpha_3":"deu","name":"German"})")
      .reply(201, german);
  const auto made = bench.client().collection<Language>("languages").create({"deu", "German"});
  ASSERT_TRUE(made) << message_of(made);
  EXPECT_EQ(made->alpha_3, "deu");
  EXPECT_EQ(made.response()->status, 201);
  EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre("application/json"));
  EXPECT_TRUE(bench.last().has_body);
}

TEST(Collection, success_without_a_body_is_returned_and_never_retried) {
  for (const int status : {200, 201, 202, 204, 205}) {
    SCOPED_TRACE(status);
    WholeScript bench;
    bench.script->expect(Method::post, "/v1/languages").reply(status, "", {{"Location", "/v1/languages/deu"}}).times(3);
    const auto languages = bench.client().collection<Language>("languages");
    const auto made = languages.create({"deu", "German"}, {.idempotency_key = "k"});
    expect_error(made, Errc::no_content, status == 202 ? "the server responded 202 Accepted (not finished) without a body"
                                                      : "the server responded " + std::to_string(status) + ": done");
    EXPECT_EQ(made.error().status(), status);
    EXPECT_EQ(made.error().sent(), Sent::answered);
    EXPECT_EQ(made.error().attempts(), 1);
    EXPECT_EQ(made.error().stopped_because(), noun::StopReason::permanent);
    EXPECT_THAT(made.error().message(), HasSubstr("<void>"));
    EXPECT_EQ(made.response()->headers.get("Location"), "/v1/languages/deu");
    EXPECT_EQ(bench.sent(), 1U);
    EXPECT_EQ(languages.create<Json>(Language{}).value(), nullptr);
    const auto nothing = languages.create<void>(Language{});
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing.response()->status, status);
  }
}

TEST(Collection, create_that_may_have_been_processed_is_not_repeated) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/a").fail(Errc::send, Sent::maybe, "the connection died");
  const auto made = bench.client().collection("a").create(Json(1));
  expect_error(made, Errc::send, "the connection died");
  EXPECT_EQ(made.error().sent(), Sent::maybe);
  EXPECT_EQ(made.error().stopped_because(), noun::StopReason::not_repeatable);
  EXPECT_EQ(made.error().attempts(), 1);
}

TEST(IdempotencyKey, is_the_same_for_all_attempts_of_a_call_and_new_for_the_next_call) {
  Bench bench;
  bench.script->expect(Method::post, "/v1/a").fail(Errc::timeout, Sent::maybe);
  bench.script->expect(Method::post, "/v1/a").reply(503);
  bench.script->expect(Method::post, "/v1/a").reply(201, "1").times(2);
  const auto things = bench.client().collection("a");
  EXPECT_TRUE(things.create(Json(1), {.idempotency_key = noun::auto_key}));
  EXPECT_TRUE(things.create(Json(1), {.idempotency_key = noun::auto_key}));
  const auto requests = bench.script->requests();
  ASSERT_EQ(requests.size(), 4U);
  const auto key = [&](std::size_t at) {
    return std::string(requests[at].headers.get("Idempotency-Key").value_or(""));
  };
  EXPECT_EQ(key(0), key(1));
  EXPECT_EQ(key(0), key(2));
  EXPECT_NE(key(0), key(3));
  EXPECT_THAT(key(0), ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_THAT(bench.clock->waits(), ElementsAre(1s, 2s));
}

TEST(IdempotencyKey, of_the_caller_is_sent_and_is_in_the_error) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/a").with_header("X-Key", "order-17").reply(409);
  const auto made = bench.client({.dialect = {.idempotency_header = "X-Key"}})
                        .collection("a")
                        .create(Json(1), {.idempotency_key = "order-17"});
  EXPECT_EQ(code_of(made), Errc::conflict);
  EXPECT_EQ(made.error().idempotency_key(), "order-17");
}

TEST(IdempotencyKey, is_not_sent_by_default) {
  const char* null = nullptr;
  const noun::CallOptions without[] = {{}, {.idempotency_key = ""}, {.idempotency_key = null}};
  for (const auto& options : without) {
    WholeScript bench;
    bench.script->expect(Method::post, "/v1/a").reply(201, "1");
    EXPECT_TRUE(bench.client().collection("a").create(Json(1), options));
    EXPECT_FALSE(bench.last().headers.contains("Idempotency-Key"));
  }
}

TEST(IdempotencyKey, is_refused_if_the_dialect_has_no_header_for_it) {
  WholeScript bench;
  expect_refused(bench.client({.dialect = {.idempotency_header = ""}})
                     .collection("a")
                     .create(Json(1), {.idempotency_key = noun::auto_key}),
                 "no header for an idempotency key");
}

TEST(StrictStatuses, turn_an_unexpected_success_into_an_error) {
  Bench bench;
  bench.script->expect(Method::post, "/v1/a").reply(200, "1").times(4);
  std::vector<std::string> notes;
  const auto observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::notice) notes.push_back(event.note);
  };
  const auto api = bench.client({.observer = observer});
  const auto copy = api;
  EXPECT_TRUE(api.collection("a").create(Json(1)));
  EXPECT_TRUE(api.collection("a").create(Json(1)));
  EXPECT_TRUE(copy.collection("a").create(Json(1)));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("responded 200 OK, which dialect plain does not expect here")));
  const auto made = bench.client({.strict_statuses = true}).collection("a").create(Json(1));
  EXPECT_EQ(code_of(made), Errc::protocol);
  EXPECT_EQ(made.error().sent(), Sent::answered);
}

TEST(StrictStatuses, accept_the_usual_statuses_of_every_verb) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/a/1").reply(200, "1");
  bench.script->expect(Method::post, "/v1/a").reply(201, "1");
  bench.script->expect(Method::put, "/v1/a/1").reply(204);
  bench.script->expect(Method::patch, "/v1/a/1").reply(200, "1");
  bench.script->expect(Method::delete_, "/v1/a/1").reply(204);
  bench.script->expect(Method::get, "/v1/a").reply(200, "[]");
  bench.script->expect(Method::get, "/v1/odd").reply(226, "odd");
  const auto api = bench.client({.strict_statuses = true});
  const auto things = api.collection("a");
  EXPECT_TRUE(things[1].get());
  EXPECT_TRUE(things.create(Json(1)));
  EXPECT_TRUE(things[1].replace(Json(1)));
  EXPECT_TRUE(things[1].update(Json(1)));
  EXPECT_TRUE(things[1].remove());
  auto listing = things.list();
  EXPECT_TRUE(listing.begin() == listing.end());
  EXPECT_TRUE(api.send({.path = "odd"}));
  bench.script->expect(Method::delete_, "/v1/a/1").reply(200, "1");
  EXPECT_EQ(code_of(things[1].remove()), Errc::protocol);
}

}  // namespace collection_test
}  // namespace resource_test
