// noun's decisions of a cache against npm's http-cache-semantics on random header fields. tests/conformance/semantics
// runs both.
//
//   cache_semantics cases COUNT SEED                       prints cases as lines of JSON, for semantics.mjs
//   cache_semantics compare COUNT SEED FILE [--examples]   compares noun with what semantics.mjs said
//
// A case is a request, its response, some seconds and another request. Each side says whether the second request is met
// without the server, how old the response then is, and else what the server is asked. A difference is an error unless the
// rules of semantics.mjs, which judge those that are known, lead to exactly what noun does. So is a rule that is not needed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "cache/exchange.hpp"
#include "wire/digest.hpp"

namespace {

using noun::Headers;
using noun::Json;
using noun::Method;
using std::chrono::seconds;

struct Case {
  Method method = Method::get;
  Headers first = {};
  int status = 200;
  Headers response = {};
  std::int64_t now = 0;
  std::int64_t elapsed = 0;
  Headers second = {};
};

struct Verdict {
  bool stored = false;
  std::string use = "ask";  // fresh, stale (and validated in the background), ask
  std::int64_t age = -1;    // of what is used
  std::string if_none_match = {};
  std::string if_modified_since = {};

  friend bool operator==(const Verdict& left, const Verdict& right) {
    // What is stored and neither used nor validated might as well not be.
    return left.use == right.use && left.age == right.age && left.if_none_match == right.if_none_match &&
           left.if_modified_since == right.if_modified_since;
  }
};

// What noun does. The only function that knows its decisions.
Verdict noun_verdict(const Case& sample) {
  namespace cache = noun::cache;
  const cache::Exchange::Settings settings{.mode = noun::CacheMode::rfc9111, .by_date = true};
  const noun::wire::HashSeed seed = {};
  const Headers no_credentials;
  const noun::WallTime now(seconds(sample.now));
  Verdict verdict;
  cache::Exchange first(settings, seed, {});
  noun::Response response{.status = sample.status, .headers = sample.response, .body = "text"};
  first.on_response(response, {sample.first, no_credentials}, {.took = seconds(0)}, now);
  const auto& stored = first.change();
  verdict.stored = stored && !stored->empty();
  if (!cache::may_use_cache(sample.method, sample.second)) return verdict;

  const auto later = now + seconds(sample.elapsed);
  auto fields = sample.second;
  const auto used = cache::Exchange(settings, seed, stored).ready("http://localhost/", {fields, no_credentials}, later);
  if (used) {
    verdict.use = used->cache == noun::CacheStatus::fresh ? "fresh" : "stale";
    verdict.age = std::stoll(std::string(used->headers.get("Age").value_or("-1")));
  }
  if (verdict.use == "fresh") return verdict;
  // Of the call itself, or of the one that validates in the background.
  cache::Exchange second(settings, seed, stored);
  second.add_fields(fields, no_credentials);
  verdict.if_none_match = fields.get("If-None-Match").value_or("");
  verdict.if_modified_since = fields.get("If-Modified-Since").value_or("");
  return verdict;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Case next() {
    Case sample;
    sample.method = one_in(10) ? Method::head : Method::get;
    sample.now = 1'700'000'000 + below(100'000'000);
    sample.status = one_in(6) ? pick({201, 203, 204, 206, 299, 300, 301, 302, 307, 308, 400, 404, 410, 500, 503}) : 200;
    add_response(sample);
    if (one_in(30)) sample.first.add("Cache-Control", "no-store");
    add_selecting(sample);
    const auto longest = 2 * lifetime_ + 100;
    const auto near_the_end = lifetime_ + pick({-1, 0, 1});
    sample.elapsed = one_in(3) ? near_the_end : below(one_in(2) ? longest : lifetime_ + 1);
    if (one_in(2)) sample.elapsed = std::max<std::int64_t>(0, sample.elapsed - age_);
    add_directives(sample);
    return sample;
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return *(of.begin() + below(static_cast<std::int64_t>(of.size())));
  }
  std::string text(std::initializer_list<const char*> of) { return pick(of); }
  std::string seconds_text() {
    lifetime_ = pick<std::int64_t>({1, 2, 10, 60, 600, 3600, 86400, below(100) + 1});
    return std::to_string(lifetime_);
  }
  std::string date(std::int64_t at) {
    const auto time = static_cast<std::time_t>(at);
    std::tm parts = {};
    gmtime_r(&time, &parts);
    std::array<char, 64> buffer = {};
    const auto* format = one_in(20) ? "%A, %d-%b-%y %H:%M:%S GMT" : "%a, %d %b %Y %H:%M:%S GMT";
    return {buffer.data(), std::strftime(buffer.data(), buffer.size(), format, &parts)};
  }

  std::string response_directive() {
    switch (below(24)) {
      case 0: return "no-store";
      case 1: return "no-cache";
      case 2: return "must-revalidate";
      case 3: return "private";
      case 4: return "public";
      case 5: return "immutable";
      case 6: return "s-maxage=" + std::to_string(below(1000));
      case 7: return "stale-while-revalidate=" + std::to_string(below(100));
      case 8: return "stale-if-error=" + std::to_string(below(100));
      case 9: return text({"proxy-revalidate", "foo", "foo=bar", "foo=\"a b\"", "no-transform", "must-understand"});
      case 10: return text({"max-age=0", "max-age=\"60\"", "max-age=99999999999", "MAX-AGE=60", "Max-Age=10"});
      case 11:
        return one_in(2) ? text({"max-age", "max-age=", "max-age=abc", "max-age=-1", "max-age=1.5", "max-age = 5",
                                 "no-cache=\"Set-Cookie\"", "private=\"X-Foo\"", ""})
                         : "max-age=" + seconds_text();
      default: return "max-age=" + seconds_text();
    }
  }

  void add_response(Case& sample) {
    auto& headers = sample.response;
    lifetime_ = 60;
    age_ = 0;
    if (!one_in(10))
      headers.add("Date", one_in(20) ? text({"0", "foo"}) : date(sample.now - (one_in(4) ? below(100) : 0)));
    if (!one_in(4)) {
      std::string list = response_directive();
      for (auto more = pick({0, 0, 1, 2}); more > 0; --more) list += text({",", ", ", " , "}) + response_directive();
      headers.add("Cache-Control", list);
      if (one_in(20)) headers.add("Cache-Control", response_directive());
    }
    if (one_in(3)) {
      lifetime_ = below(1000);
      headers.add("Expires",
                  one_in(8) ? text({"0", "-1", "foo", ""}) : date(sample.now + lifetime_ - (one_in(4) ? 1000 : 0)));
      lifetime_ = std::max<std::int64_t>(1, lifetime_);
    }
    if (one_in(3)) {
      age_ = below(100);
      headers.add("Age", one_in(10) ? text({"foo", "-5", "7.5", "", "5, 6"}) : std::to_string(age_));
    }
    if (one_in(2)) headers.add("ETag", text({"\"a\"", "W/\"a\"", "\"a,b\"", "\"\""}));
    if (one_in(2)) headers.add("Last-Modified", date(sample.now - below(1'000'000)));
    if (one_in(4))
      headers.add("Vary", text({"Accept-Language", "accept-language, X-Foo", "X-Foo", "*", "X-Foo, *", ""}));
    if (one_in(15)) headers.add("Pragma", "no-cache");
    if (one_in(15)) headers.add("Set-Cookie", "a=b");
  }

  void add_selecting(Case& sample) {
    for (const auto* name : {"Accept-Language", "X-Foo"}) {
      if (one_in(3)) continue;
      const auto value = text({"de", "en", "de, en"});
      sample.first.add(name, value);
      if (!one_in(10)) sample.second.add(name, one_in(10) ? text({"de", "en", "DE", "de,en"}) : value);
    }
  }

  void add_directives(Case& sample) {
    auto& headers = sample.second;
    if (one_in(4))
      headers.add("Cache-Control",
                  pick<std::string>({"no-cache", "no-store", "max-age=0", "max-age=" + std::to_string(below(200)),
                                     "min-fresh=" + std::to_string(below(200)), "max-stale", "only-if-cached",
                                     "max-stale=" + std::to_string(below(200)), "no-cache, max-age=5", "foo"}));
    if (one_in(40)) headers.add("Pragma", "no-cache");
    if (one_in(40)) headers.add("If-None-Match", "\"b\"");
    if (one_in(40)) headers.add("If-Modified-Since", date(sample.now - 50));
    if (one_in(40)) headers.add("Range", "bytes=0-1");
  }

  std::mt19937_64 random_;
  std::int64_t lifetime_ = 60;  // that the response grants, as far as it is known here
  std::int64_t age_ = 0;
};

Json as_json(const Headers& headers) {
  auto fields = Json::array();
  for (const auto& field : headers) fields.push_back({field.name, field.value});
  return fields;
}

Json as_json(const Case& sample) {
  return {{"method", to_string(sample.method)},
          {"first", as_json(sample.first)},
          {"status", sample.status},
          {"response", as_json(sample.response)},
          {"now", sample.now},
          {"elapsed", sample.elapsed},
          {"second", as_json(sample.second)}};
}

Verdict read_verdict(const Json& json) {
  return {.stored = json["stored"],
          .use = json["use"],
          .age = json["age"].is_null() ? -1 : json["age"].get<std::int64_t>(),
          .if_none_match = json["if_none_match"],
          .if_modified_since = json["if_modified_since"]};
}

std::string shown(const Verdict& verdict) {
  return fmt::format("{}stored, {}, age {}, If-None-Match '{}', If-Modified-Since '{}'", verdict.stored ? "" : "not ",
                     verdict.use, verdict.age, verdict.if_none_match, verdict.if_modified_since);
}

std::uint64_t number(const std::string& text) { return std::stoull(text); }

struct Rule {
  std::string name;
  std::string why;
  std::uint64_t needed = 0;
};

bool compare(std::uint64_t count, std::uint64_t seed, const std::string& path, bool with_examples) {
  constexpr std::uint64_t most_shown = 10;
  std::ifstream file(path);
  std::string line;
  const auto next = [&] {
    if (!std::getline(file, line)) throw std::runtime_error(fmt::format("cannot read {}, or it ends too early", path));
    return Json::parse(line);
  };
  std::vector<Rule> rules;
  for (const auto& rule : next()) rules.push_back({rule[0], rule[1]});
  Generator generator(seed);
  std::uint64_t same = 0;
  std::uint64_t unjudged = 0;
  std::map<std::string, std::uint64_t> uses;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto sample = generator.next();
    const auto verdicts = next();
    const auto own = noun_verdict(sample);
    const auto plain = read_verdict(verdicts["plain"]);
    const auto judged = read_verdict(verdicts["judged"]);
    ++uses[own.use];
    if (own == plain) {
      ++same;
      continue;
    }
    std::string rule = "not judged";
    bool is_shown = false;
    if (own == judged) {
      for (const auto& applied : verdicts["applied"]) {
        auto& needed = rules.at(applied.get<std::size_t>());
        rule = needed.name;
        is_shown = is_shown || (++needed.needed == 1 && with_examples);
      }
    } else {
      is_shown = ++unjudged <= most_shown;
    }
    if (is_shown)
      fmt::print("{}: {}\n  noun:    {}\n  package: {}\n  judged:  {}\n", rule, as_json(sample).dump(), shown(own),
                 shown(plain), shown(judged));
  }
  fmt::print("{} cases: {} the same, {} not judged, {} the same by these rules of noun:\n", count, same, unjudged,
             count - same - unjudged);
  bool complete = unjudged == 0;
  for (const auto& rule : rules) {
    fmt::print("{:7} {} ({})\n", rule.needed, rule.name, rule.why);
    complete = complete && rule.needed > 0;
  }
  fmt::print("noun used {} as fresh and {} as stale, and asked {} times\n", uses["fresh"], uses["stale"], uses["ask"]);
  return complete;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "cases") {
    Generator generator(number(words[2]));
    for (auto left = number(words[1]); left > 0; --left) fmt::print("{}\n", as_json(generator.next()).dump());
    return 0;
  }
  if (words.size() < 4 || words[0] != "compare")
    throw std::runtime_error("usage: cache_semantics cases COUNT SEED | compare COUNT SEED FILE [--examples]");
  return compare(number(words[1]), number(words[2]), words[3], words.size() > 4) ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 2;
}
