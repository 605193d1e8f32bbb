// Uses noun without exceptions: every response of a server becomes a Result.
#include <cstdio>
#include <memory>
#include <string>

#include <noun/noun.hpp>
#include <noun/testing.hpp>

/// A type that is decoded without from_json.
struct Thing {
  std::string name;
};

template <>
struct noun::Codec<Thing> {
  static noun::Result<Thing> decode(std::string_view text) {
    const auto json = noun::Codec<noun::Json>::decode(text);
    if (!json) return json.error();
    if (json->is_object() && json->contains("name") && json->at("name").is_string())
      return Thing{json->at("name").get<std::string>()};
    return noun::Error(noun::Errc::decode, "it has no name");
  }
};

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("this does not hold: %s\n", what);
  ++failures;
}

}  // namespace

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto script = std::make_shared<noun::testing::ScriptedTransport>(clock);
  auto api = noun::Client::create("https://api.example.com", {.transport = script, .clock = clock});
  expect(!noun::Client::create("nonsense"), "a bad base URL is an error");
  if (!api) return 1;
  for (const char* body : {R"({"name": "n"})", "{", R"({"name": 7})", "7", "\"x\"", "300", "[1, \"x\"]"})
    script->expect(noun::Method::get, "/a/1").reply(200, body);
  const auto item = api->collection<Thing>("a")[1];
  expect(item.get().value_or(Thing{}).name == "n", "a type with a Codec of its own is read");
  expect(item.get().error().code() == noun::Errc::decode, "what is no JSON is an error");
  expect(item.get().error().message().find("it has no name") != std::string::npos, "what does not fit is an error");
  expect(item.get<int>().value_or(0) == 7, "a number is read");
  expect(item.get<int>().error().code() == noun::Errc::decode, "text is no number");
  expect(item.get<std::uint8_t>().error().code() == noun::Errc::decode, "300 is no std::uint8_t");
  expect(item.get<noun::Json>().value_or(noun::Json()).size() == 2, "a Json is read");
  expect(item.replace<void>(noun::Json("\xff")).error().code() == noun::Errc::invalid_argument, "bad UTF-8 is refused");
  expect(script->complaint().empty(), "nothing else was sent");
  return failures;
}
