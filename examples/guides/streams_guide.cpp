// The program of streams_guide.md.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Delta {
  std::string text;
};
NOUN_DESCRIBE(Delta, text)

const noun::Headers event_stream = {{"Content-Type", "text/event-stream"}};
const noun::Headers json_lines = {{"Content-Type", "application/x-ndjson"}};

int main() {
  const auto server = std::make_shared<noun::testing::ScriptedTransport>(std::make_shared<noun::testing::ManualClock>());
  server->expect(noun::Method::post, "/chat")
      .reply(200, "data: {\"text\":\"Hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: [DONE]\n\n", event_stream);
  server->expect(noun::Method::post, "/chat").reply(200, "data: {\"text\":\"Hel\"}\n\n", event_stream);
  server->expect(noun::Method::get, "/events").reply(200, "id: 41\ndata: one\n\nid: 42\nda", event_stream);
  server->expect(noun::Method::get, "/events").with_header("Last-Event-ID", "41").reply(503);
  server->expect(noun::Method::get, "/events")
      .with_header("Last-Event-ID", "41")
      .reply(200, "id: 42\ndata: two\n\n", event_stream);
  server->expect(noun::Method::get, "/events").with_header("Last-Event-ID", "42").reply(204);
  server->expect(noun::Method::get, "/changes?since=0").reply(200, "{\"seq\":1}\n{\"seq\":2}\n", json_lines);
  server->expect(noun::Method::get, "/changes?since=2").reply(204);

  const auto clock = std::make_shared<noun::testing::ManualClock>();
  noun::Client api{"https://api.example.com",
                   {.dialect = noun::dialects::openai(), .transport = server, .clock = clock}};
  const noun::Request question{.method = noun::Method::post, .path = "chat", .body = R"({"stream": true})"};
  for (const auto* which : {"whole", "broken off"}) {
    fmt::print("{}:\n", which);
    for (auto& each : api.stream<Delta>(question))
      if (each)
        fmt::print("  {}\n", each->value.text);
      else
        fmt::print("  {}\n", each.error().message());
  }

  fmt::print("a feed:\n");
  auto feed = api.stream<noun::EventText>({.path = "events"}, {.ends = noun::StreamEnd::never, .reconnect = true});
  for (auto& each : feed) fmt::print("  {}: {}\n", each.value().id, each.value().value.text);
  fmt::print("  the next one begins after {}\n", feed.last_event_id());

  fmt::print("changes:\n");
  const auto after = [](std::string_view change) {
    return noun::Query{{"since", noun::Json::parse(change).at("seq").dump()}};
  };
  for (auto& each : api.stream({.path = "changes", .query = {{"since", "0"}}},
                               {.ends = noun::StreamEnd::never, .reconnect = true, .resume_with = after}))
    fmt::print("  {}\n", each.value().value.dump());
  return server->complaint().empty() ? 0 : 1;
}
