// Follows the changes of a CouchDB database. The connection breaks several times, and each change is delivered once.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Change {
  std::string seq;
  std::string id;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Change, seq, id)

int main() {
  const noun::Client api{std::getenv("NOUN_EXAMPLE_URL"),
                         {.retry = {.initial_backoff = std::chrono::milliseconds(100)}}};

  // CouchDB sends an empty line from time to time, so that noun notices a dead connection.
  const noun::Request changes{
      .path = "orders/_changes",
      .query = {{"feed", "continuous"}, {"include_docs", "false"}, {"heartbeat", "10000"}, {"since", "0"}}};
  const auto after = [](std::string_view change) {
    return noun::Query{{"since", noun::Json::parse(change).at("seq").get<std::string>()}};
  };
  // Content-Type is application/json, although each line is a JSON text of its own.
  auto feed =
      api.stream<Change>(changes, {.format = noun::StreamFormat::json_lines, .reconnect = true, .resume_with = after});

  int next = 1;
  for (const auto& change : feed) {
    if (!change) return fmt::print(stderr, "{}\n", change.error().message()), 1;
    fmt::print("{}  {}\n", change->value.seq, change->value.id);
    if (change->value.id != fmt::format("order {}", next)) return fmt::print(stderr, "lost or repeated\n"), 1;
    // A program that follows forever needs no end. After a restart it continues at the last seq that it stored.
    if (++next > 12) break;
  }
}
