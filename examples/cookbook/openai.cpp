// Prints the answer to a question while it is written. @source https://platform.openai.com/docs/api-reference/chat-streaming
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Delta {
  std::optional<std::string> content;
};
NOUN_DESCRIBE(Delta, content)
struct Choice {
  Delta delta;
  std::optional<std::string> finish_reason;
};
NOUN_DESCRIBE(Choice, delta, finish_reason)

int main(int argc, char** argv) try {
  if (argc != 3) return fmt::print(stderr, "usage: openai MODEL QUESTION\n"), 2;
  const char* url = std::getenv("OPENAI_BASE_URL");
  const noun::Client api{
      url ? url : "https://api.openai.com/v1",
      {.credentials = noun::bearer(std::getenv("OPENAI_API_KEY")), .dialect = noun::dialects::openai()}};
  const noun::Json question = {
      {"model", argv[1]}, {"stream", true}, {"messages", {{{"role", "user"}, {"content", argv[2]}}}}};
  const auto body = noun::body::bytes(question.dump(), "application/json");
  for (const auto& chunk : api.stream({.method = noun::Method::post, .path = "chat/completions", .body = body}))
    for (const auto& [delta, finish_reason] : chunk.value().value.at("choices").get<std::vector<Choice>>()) {
      fmt::print("{}{}", delta.content.value_or(""), finish_reason == "length" ? " (cut off)" : "");
      std::fflush(stdout);
    }
  fmt::print("\n");
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
