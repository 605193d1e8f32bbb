// Sends a file as a body, and downloads one: both are streamed. A download continues where it broke off, and its file
// appears only when it is complete.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main() try {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL"), {.observer = [](const noun::Event& event) {
                     if (event.kind != noun::EventKind::progress) return;
                     if (event.body_size)
                       fmt::print("sent {} of {} bytes\n", event.sent_bytes, *event.body_size);
                     else
                       fmt::print("received {} bytes\n", event.bytes);
                   }}};
  const auto languages = api.collection("languages");

  std::ofstream("language.json") << R"({"alpha_3": "qty", "name": "From a file"})";
  const auto made = languages.create(noun::body::file("language.json", "application/json")).value();
  fmt::print("uploaded {}\n", made["name"].get<std::string>());

  const auto done = api.download({.path = "languages/qty"}, "copy.json", {.max_bytes = 1'000'000}).value();
  fmt::print("copy.json has {} bytes\n", done.size);

  // To a function: nothing is written to the disk.
  std::size_t lines = 0;
  api.download({.path = "languages", .query = {{"per_page", 100}}}, [&](std::string_view bytes) {
       for (const char letter : bytes) lines += letter == '{' ? 1 : 0;
     }).value();
  fmt::print("{} languages on the first page\n", lines);

  languages["qty"].remove().value();
} catch (const noun::Exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
