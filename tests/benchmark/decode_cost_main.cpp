// What it costs to decode a page of 100 items (60 KB) and one item (1 KB) into structs: by nlohmann, by noun, and as a
// listing. Run by tests/benchmark/decode_cost, which counts the instructions of measured():
// once for each line that this prints, `text TAB way TAB allocations`, in that order.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "benchmark/allocations.hpp"

/// The function whose instructions are counted.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& decode) { decode(); }

namespace by_nlohmann {

struct User {
  std::int64_t id = 0;
  std::string login;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(User, id, login)

struct Issue {
  std::int64_t number = 0;
  std::string title;
  std::string state;
  std::string body;
  User user;
  std::vector<std::string> labels;
  std::int64_t comments = 0;
  double score = 0;
  bool locked = false;
  std::string created_at;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Issue, number, title, state, body, user, labels, comments, score, locked, created_at)

}  // namespace by_nlohmann

namespace described {

struct User {
  std::int64_t id = 0;
  std::string login;
};
NOUN_DESCRIBE(User, id, login)

struct Issue {
  std::int64_t number = 0;
  std::string title;
  std::string state;
  std::string body;
  User user;
  std::vector<std::string> labels;
  std::int64_t comments = 0;
  double score = 0;
  bool locked = false;
  std::string created_at;
};
NOUN_DESCRIBE(Issue, number, title, state, body, user, labels, comments, score, locked, created_at)

}  // namespace described

namespace {

/// An item as servers write it: some of its members are in no struct.
std::string item(int number, std::size_t body) {
  return fmt::format(
      R"({{"number":{},"id":{},"url":"https://api.example.com/repos/a/b/issues/{}",)"
      R"("title":"It does not work \u2013 {}",)"
      R"("state":"open","body":"{}","user":{{"id":{},"login":"somebody","site_admin":false,"type":"User"}},)"
      R"("labels":["bug","needs triage"],"assignee":null,"comments":{},"score":{}.25,"locked":false,)"
      R"("created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:05Z"}})",
      number, 1'700'000'000 + number, number, number, std::string(body, 'x'), 4'000'000 + number, number % 7,
      number % 90);
}

std::string page() {
  std::string text = "[";
  for (int number = 1; number <= 100; ++number) (text += number == 1 ? "" : ",") += item(number, 220);
  return text + "]";
}

/// Prints what `decode` costs once it has run before.
void measure(std::string_view text, std::string_view way, const std::function<void()>& decode) {
  decode();
  const auto before = noun_benchmark::allocations();
  measured(decode);
  std::printf("%.*s\t%.*s\t%zu\n", static_cast<int>(text.size()), text.data(), static_cast<int>(way.size()), way.data(),
              noun_benchmark::allocations() - before);
}

template <class T>
void decode_by_nlohmann(const std::string& text) {
  const auto value = nlohmann::json::parse(text).get<T>();
  if (sizeof(value) == 0) std::abort();
}

template <class T>
void decode(const std::string& text) {
  if (!noun::Codec<T>::decode(text)) std::abort();
}

/// Lists one page, without a network.
template <class T>
void list(const std::string& text) {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto script = std::make_shared<noun::testing::ScriptedTransport>(clock);
  script->expect(noun::Method::get, "/issues").reply(200, text);
  const noun::Client api("https://api.example.com", {.transport = script, .clock = clock});
  std::size_t count = 0;
  for (const auto& issue : api.collection<T>("issues").list())
    if (issue) ++count;
  if (count != 100) std::abort();
}

using Plain = by_nlohmann::Issue;
using Described = described::Issue;

}  // namespace

int main() {
  const auto issues = page();
  const auto issue = item(1, 625);
  measure("page", "nlohmann", [&] { decode_by_nlohmann<std::vector<Plain>>(issues); });
  measure("item", "nlohmann", [&] { decode_by_nlohmann<Plain>(issue); });
  measure("page, listed", "nlohmann", [&] { decode_by_nlohmann<std::vector<Plain>>(issues); });
  measure("page", "Codec", [&] { decode<std::vector<Plain>>(issues); });
  measure("page", "Codec, described", [&] { decode<std::vector<Described>>(issues); });
  measure("item", "Codec", [&] { decode<Plain>(issue); });
  measure("item", "Codec, described", [&] { decode<Described>(issue); });
  measure("page, listed", "Codec", [&] { list<Plain>(issues); });
  measure("page, listed", "Codec, described", [&] { list<Described>(issues); });
}
