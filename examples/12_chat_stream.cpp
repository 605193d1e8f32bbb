// Prints what a language model writes while it writes: OpenAI's chat completions, as a stream of server-sent events.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main() {
  const std::string server = std::getenv("NOUN_EXAMPLE_URL");
  const noun::Client api{server + "/v1",
                         {.credentials = noun::bearer("a key of this example"), .dialect = noun::dialects::openai()}};

  const noun::Json question = {
      {"model", "example"},
      {"stream", true},
      {"messages", noun::Json::array({{{"role", "user"}, {"content", "What is a resource?"}}})}};
  const noun::Request request{.method = noun::Method::post,
                              .path = "chat/completions",
                              .body = noun::body::bytes(question.dump(), "application/json")};

  // The dialect knows the end of the stream, [DONE]. A stream that ends without it is an error.
  for (const auto& part : api.stream(request)) {
    if (!part) return fmt::print(stderr, "\n{}\n", part.error().message()), 1;
    for (const auto& choice : part->value.at("choices")) fmt::print("{}", choice.at("delta").value("content", ""));
    std::fflush(stdout);
  }
  fmt::print("\n");
}
