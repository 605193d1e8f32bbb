// The program of errors_guide.md.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Task {
  int id;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, title)

struct Refusal {
  std::string reason;
  int quota_mb;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Refusal, reason, quota_mb)

std::string advice(const noun::Error& error) {
  switch (error.code()) {
    case noun::Errc::not_found: return "check the path";
    case noun::Errc::rate_limited: return "try again later";
    case noun::Errc::unauthorized:
    case noun::Errc::forbidden: return "check the token";
    default: return error.sent() == noun::Sent::maybe ? "check whether it was done" : "report it";
  }
}

int main() {
  using noun::Method;
  const auto script = std::make_shared<noun::testing::ScriptedTransport>();
  script->expect(Method::get, "/tsaks/7")
      .reply(404, R"({"title": "no such path", "detail": "try /tasks"})",
             {{"Content-Type", "application/problem+json"}});
  script->expect(Method::post, "/tasks").reply(413, R"({"reason": "too many attachments", "quota_mb": 25})");
  script->expect(Method::get, "/tasks/7").reply(200, R"({"id": "seven", "title": "water the plants"})");
  script->expect(Method::get, "/tasks/9").reply(404);

  noun::Client api{"https://api.example.com",
                   {.credentials = noun::bearer("secret-token"),
                    .transport = script,
                    .clock = std::make_shared<noun::testing::ManualClock>()}};

  auto task = api.collection<Task>("tsaks")[7].get();
  if (!task) fmt::print("{}\n", task.error().message());

  fmt::print("{}\n", advice(task.error()));
  fmt::print("{}\n", task.error().problem()->detail);
  fmt::print("{}\n", task.error().request().curl);

  auto created = api.collection<Task>("tasks").create(Task{1, "a big one"});
  auto refusal = created.error().body_as<Refusal>();
  fmt::print("{}: {}, at {} MB\n", created.error().status(), refusal->reason, refusal->quota_mb);

  auto wrong = api.collection<Task>("tasks")[7].get();
  fmt::print("{}\n", wrong.error().message());

  try {
    auto title = api.collection<Task>("tasks")[9].get().value().title;
    fmt::print("{}\n", title);
  } catch (const noun::Exception& exception) {
    fmt::print("{}\n", exception.error().code());
  }
}
