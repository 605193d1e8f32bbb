// Runs every parser of this floor on mutated vectors and checks invariants that hold for any text. The seed is fixed,
// so that failures are reproducible.
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <noun/detail/json_layout.hpp>

#include "vectors.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/http_date.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"
#include "wire/rate_limit.hpp"
#include "wire/rate_limit_policy.hpp"
#include "wire/retry_after.hpp"
#include "wire/url.hpp"
#include "wire/utf8.hpp"

namespace noun::wire { namespace wire_fuzz_test {

using namespace std::literals;

using wire_test::json;
using wire_test::noon;

constexpr int rounds = 20'000;

/// Collects all texts in a value, as seeds.
void collect(const json& value, std::vector<std::string>& texts) {
  if (value.is_string()) texts.push_back(value.get<std::string>());
  if (value.is_structured()) {
    texts.push_back(value.dump());
    for (const auto& entry : value) collect(entry, texts);
  }
}

std::vector<std::string> seeds_of(const std::string& file) {
  std::vector<std::string> texts;
  for (const auto& [data] : wire_test::vectors(file)) collect(data, texts);
  return texts;
}

class Mutator {
 public:
  explicit Mutator(const std::string& file) : seeds_(seeds_of(file)) {}

  std::string next() {
    std::string text = pick(seeds_);
    for (auto edits = below(6); edits > 0; --edits) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  const std::string& pick(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  void edit(std::string& text) {
    static const std::string special = "<>\"\\;,=%/?#:@[]{}-+. \t\r\n0129eTZ\0\x7F\x80\xC3\xE2\xFF"s;
    const auto at = below(text.size() + 1);
    switch (below(5)) {
      case 0: text.insert(at, 1, special[below(special.size())]); break;
      case 1: text.erase(at, below(8) + 1); break;
      case 2: text.insert(at, pick(seeds_)); break;
      case 3: text.insert(at, below(40), text.empty() ? '9' : text[below(text.size())]); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random_());
    }
  }

  std::mt19937_64 random_{20260120};
  std::vector<std::string> seeds_;
};

/// Calls `check` with `times` mutated texts of the file.
template <class Check>
void fuzz(const std::string& file, int times, Check check) {
  Mutator mutate(file);
  for (int i = 0; i < times; ++i) check(mutate.next());
}

TEST(WireFuzz, resolving_twice_changes_nothing_and_a_scheme_survives) {
  fuzz("rfc3986_references.json", rounds, [](const std::string& reference) {
    const auto once = resolve_reference("https://a/b/c?d", reference);
    const auto parts = split_url(once);
    EXPECT_TRUE(parts.has_scheme);
    EXPECT_EQ(once.size(), parts.scheme.size() + 1 + (parts.has_authority ? parts.authority.size() + 2 : 0) +
                               parts.path.size() + (parts.has_query ? parts.query.size() + 1 : 0) +
                               (parts.has_fragment ? parts.fragment.size() + 1 : 0));
    if (parts.has_authority) {
      EXPECT_EQ(resolve_reference("https://x/", once), once) << reference;
      const auto written = resolve_written("https://a/b/c?d", reference);
      EXPECT_EQ(resolve_written("https://x/", written), written) << reference;
    }
  });
}

TEST(WireFuzz, an_origin_is_its_own_origin) {
  Mutator mutate("link.json");
  for (int i = 0; i < rounds; ++i) {
    const auto origin = origin_of("https://api.example.com" + mutate.next());
    if (!origin) continue;
    EXPECT_EQ(origin_of(to_string(*origin)), origin);
    EXPECT_EQ(origin->host.find_first_of("@/\\ %?#"), std::string::npos) << origin->host;
  }
}

TEST(WireFuzz, links_are_absolute_and_are_found) {
  fuzz("link.json", rounds, [](const std::string& line) {
    const Headers headers = {{"Link", line}};
    for (const auto& link : parse_links({line}, "https://a/b")) {
      EXPECT_TRUE(split_url(link.target()).has_scheme);
      EXPECT_FALSE(link.relation.empty());
      EXPECT_TRUE(find_link(headers, link.relation, "https://a/b") ||
                  lowered(line).find("results") != std::string::npos ||
                  lowered(line).find("anchor") != std::string::npos);
    }
  });
}

TEST(WireFuzz, waits_are_never_negative) {
  Mutator mutate("retry_after.json");
  for (int i = 0; i < rounds; ++i) {
    const auto first = mutate.next();
    const auto second = mutate.next();
    for (const auto& values : {std::vector<std::string_view>{first}, std::vector<std::string_view>{first, second}})
      if (const auto wait = parse_retry_after(values, parse_http_date(second, noon), noon)) {
        EXPECT_GE(*wait, Duration::zero()) << first;
      }
  }
}

TEST(WireFuzz, a_parsed_date_round_trips) {
  fuzz("retry_after.json", rounds, [](const std::string& text) {
    if (const auto when = parse_http_date(text, noon)) {
      const auto days_off = std::chrono::floor<std::chrono::days>(*when);
      const auto year = static_cast<int>(std::chrono::year_month_day(days_off).year());
      if (year >= 0 && year <= 9999) {
        EXPECT_EQ(parse_http_date(format_http_date(*when), noon), when) << text;
      }
    }
    parse_rfc3339(text);
    parse_javascript_date(text);
  });
}

void expect_ranges(const ReportedQuota& quota) {
  EXPECT_GE(quota.limit.value_or(0), 0);
  EXPECT_GE(quota.remaining.value_or(0), 0);
  EXPECT_GT(quota.window.value_or(Duration(1)), Duration::zero());
  EXPECT_GE(quota.refill_per_second.value_or(1), 1e-6);
  EXPECT_LE(quota.refill_per_second.value_or(1), 1e9);
  if (!quota.reset) return;
  EXPECT_NE(quota.reset->in.has_value(), quota.reset->at.has_value());
  EXPECT_LE(quota.reset->in.value_or(Duration::zero()), std::chrono::hours(24));
  EXPECT_GE(time_until(*quota.reset, noon), Duration::zero());
}

TEST(WireFuzz, rate_limits_keep_their_ranges_and_further_quotas_have_distinct_names) {
  Mutator mutate("rate_limit.json");
  Dialect dialect;
  dialect.partition_header = "Bucket";
  dialect.quotas.insert(
      dialect.quotas.end(),
      {{.limit = "L", .used_of_limit = "Used", .refill_per_second = "Refill", .retry_after = "Wait"},
       {.name = "day", .limit = "L", .remaining = "R", .reset = "T", .used = "Spent"},
       {.prefix = "left-"}});
  for (int i = 0; i < rounds; ++i) {
    dialect.quotas[1].retry_after_form = static_cast<ResetForm>(i % 8);
    dialect.quotas[0].reset_form = static_cast<ResetForm>(i / 8 % 8);
    Headers headers;
    for (const auto* name :
         {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Date", "L", "R", "T",
          "Spent", "Used", "Refill", "Wait", "Bucket", "Left-a", "Left-a", "RateLimit", "RateLimit-Policy"})
      headers.push_back({name, mutate.next()});
    for (const auto* name :
         {"RateLimit-Limit", "Rate-Limit-Reset", "X-RateLimit-Limit-day", "X-RateLimit-Remaining-Day",
          "X-RateLimit-Reset-a", "Retry-After-a", "X-Rate-Limit-Retry-After-Ms"})
      headers.push_back({name, mutate.next()});
    headers.push_back({"left-" + mutate.next(), mutate.next()});
    headers.push_back({"X-RateLimit-Remaining-" + mutate.next(), mutate.next()});
    const auto reading = read_rate_limit(headers, dialect, noon);
    expect_ranges(reading);
    EXPECT_GE(reading.retry_after.value_or(Duration::zero()), Duration::zero());
    EXPECT_LE(reading.partition.size(), 64U);
    std::set<std::string> names;
    for (const auto& quota : reading.more) {
      expect_ranges(quota);
      EXPECT_TRUE(names.insert(quota.name).second) << quota.name;
      EXPECT_TRUE(!quota.name.empty() && quota.name.size() <= 64);
      EXPECT_TRUE(quota.limit || quota.remaining || quota.reset || quota.window || quota.refill_per_second);
    }
    EXPECT_LE(names.size(), 16U);
  }
}

TEST(WireFuzz, used_never_exceeds_the_limit) {
  fuzz("rate_limit.json", rounds, [](const std::string& text) {
    for (const auto& quota : parse_used_of_limit(text, 9)) {
      EXPECT_EQ(quota.limit.has_value(), quota.remaining.has_value()) << text;
      EXPECT_LE(quota.remaining.value_or(0), quota.limit.value_or(0)) << text;
    }
    for (const auto& quota : pair_used_with_limits({text}, {text}, 9))
      EXPECT_EQ(quota.remaining.value_or(0), 0) << text;
    if (const auto window = parse_count_window(text)) {
      EXPECT_TRUE(parse_count(text)) << text;
    }
    EXPECT_LE(split_quotas(text, 9).size(), 9U);
  });
}

TEST(WireFuzz, structured_rate_limits_keep_their_ranges) {
  fuzz("structured_rate_limit.json", rounds, [](const std::string& text) {
    if (const auto limits = parse_rate_limit_field({text}))
      for (const auto& limit : *limits) {
        EXPECT_GE(limit.limit.value_or(0), 0) << text;
        EXPECT_GE(limit.remaining.value_or(0), 0) << text;
        EXPECT_GE(limit.resets_in.value_or(Duration::zero()), Duration::zero()) << text;
      }
    if (const auto policies = parse_rate_limit_policy({text, text}))
      for (const auto& policy : *policies) {
        EXPECT_GE(policy.quota, 0) << text;
        EXPECT_GT(policy.window.value_or(Duration(1)), Duration::zero()) << text;
      }
  });
}

TEST(WireFuzz, text_that_nlohmann_accepts_is_split_in_the_same_way) {
  fuzz("error_body.json", rounds, [](const std::string& text) {
    const auto depth = json_shape(text).depth;
    const auto document = depth < 100 ? json::parse(text, nullptr, false) : json(json::value_t::discarded);
    const auto split = json_elements(text, "");
    EXPECT_TRUE(split.elements.empty() || !split.error);
    if (document.is_discarded()) return;
    EXPECT_TRUE(valid_utf8(text));
    EXPECT_EQ(split.error.has_value(), !document.is_array()) << text;
    ASSERT_EQ(split.elements.size(), document.is_array() ? document.size() : 0) << text;
    for (std::size_t k = 0; k < split.elements.size(); ++k)
      EXPECT_EQ(json::parse(split.elements[k], nullptr, false), document[k]);
  });
}

TEST(WireFuzz, text_is_read_as_by_nlohmann) {
  fuzz("error_body.json", rounds, [](const std::string& text) {
    json read;
    const bool is_json = !detail::parse_json(text, read, detail::BeyondBits::rounded);
    const auto document = json::parse(text, nullptr, false);
    // nlohmann takes a NUL byte for the end of its input.
    ASSERT_EQ(is_json, text.find('\0') == std::string::npos && !document.is_discarded()) << text;
    if (is_json) {
      EXPECT_EQ(read.dump(), document.dump());
    }
  });
}

/// Whether no object repeats a key, so that parsers that keep the first or the last one agree.
bool has_unique_keys(const std::string& text) {
  std::vector<std::set<std::string>> open;
  bool unique = true;
  const auto watch = [&](int, json::parse_event_t event, const json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key) unique = open.back().insert(value.get<std::string>()).second && unique;
    return true;
  };
  return !json::parse(text, watch, false).is_discarded() && unique;
}

TEST(WireFuzz, every_pointer_finds_the_same_value_as_nlohmann) {
  fuzz("error_body.json", rounds / 2, [](const std::string& text) {
    const bool comparable = json_shape(text).depth < 100 && has_unique_keys(text);
    for (const auto* pointer : {"/body", "/error/code", "/errors/0", "/expect/fields/0"}) {
      const auto found = json_at(text, pointer);
      if (!comparable) continue;
      const auto document = json::parse(text);
      const json::json_pointer path(pointer);
      ASSERT_EQ(found.has_value(), document.contains(path)) << text;
      if (found) {
        EXPECT_EQ(json::parse(*found), document.at(path));
      }
    }
  });
}

TEST(WireFuzz, messages_are_short_printable_lines) {
  fuzz("error_body.json", rounds / 4, [](const std::string& body) {
    for (const auto* type : {"application/json", "application/problem+json", "text/html", ""}) {
      const auto line = server_message(type, body, [](std::string_view text) { return std::string(text); });
      EXPECT_LE(line.size(), 300U);
      EXPECT_TRUE(valid_utf8(line));
      EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
      parse_problem(type, body);
    }
  });
}

TEST(WireFuzz, encoding_round_trips) {
  Mutator mutate("error_body.json");
  for (int i = 0; i < rounds; ++i) {
    const auto bytes = mutate.next();
    std::string encoded;
    append_segment(encoded, bytes);
    EXPECT_EQ(percent_decode(encoded), bytes);
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
    if (const auto decoded = base64url_decode(bytes)) {
      EXPECT_EQ(base64url_encode(*decoded), bytes);
    }
    percent_decode(bytes);
    const auto shown = printable_excerpt(bytes, static_cast<std::size_t>(i % 64));
    EXPECT_LE(shown.size(), static_cast<std::size_t>(i % 64));
    EXPECT_TRUE(valid_utf8(shown));
  }
}

}}  // namespace noun::wire::wire_fuzz_test
