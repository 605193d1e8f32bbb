// What the parsers of src/wire cost on input that is made to be slow. Run by tests/benchmark/parser_cost, which counts
// the instructions of measured(): once for each line that this prints, `parser TAB input TAB size`, in that order.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <noun/detail/json_layout.hpp>
#include <noun/dialect.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "call/redaction.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/cache_control.hpp"
#include "wire/content_range.hpp"
#include "wire/deprecation.hpp"
#include "wire/duration_text.hpp"
#include "wire/event_stream.hpp"
#include "wire/http_date.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_lines.hpp"
#include "wire/json_scan.hpp"
#include "wire/keep_alive.hpp"
#include "wire/limit_spellings.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"
#include "wire/rate_limit.hpp"
#include "wire/rate_limit_policy.hpp"
#include "wire/reported_quota.hpp"
#include "wire/reset_text.hpp"
#include "wire/retry_after.hpp"
#include "wire/simdjson_parser.hpp"
#include "wire/spelling.hpp"
#include "wire/stream_event.hpp"
#include "wire/structured_field.hpp"
#include "wire/url.hpp"
#include "wire/utf8.hpp"

/// The function whose instructions are counted.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& parse) { parse(); }

namespace {

using namespace noun;
using namespace noun::wire;

constexpr WallTime now{std::chrono::seconds(1'700'000'000)};
const std::string base = "https://api.example.com/v1/things";

std::string repeated(std::string_view each, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += each;
  return text;
}

/// Repeats `each` with 0, 1, 2, … in place of `#`, which in blocks of `block` starts from 0 again.
std::string numbered(std::string_view each, std::size_t bytes, std::size_t block = std::string::npos) {
  std::string text;
  const auto at = each.find('#');
  for (std::size_t number = 0; text.size() < bytes; ++number)
    (text += each.substr(0, at)) += std::to_string(number % block) += each.substr(at + 1);
  return text;
}

/// 200 fields, as many as a head may have beside the usual ones, with names that differ in their last characters.
Headers many_fields(std::string_view name, std::size_t bytes) {
  Headers fields;
  const auto filler = std::string(bytes / 200, 'a');
  for (int i = 0; i < 200; ++i) fields.add(std::string(name) + filler + std::to_string(i), std::to_string(i));
  return fields;
}

/// A parser, its input, and how to run it on an input of so many bytes.
struct Case {
  const char* parser;
  const char* input;
  std::function<std::function<void()>(std::size_t bytes)> prepare;
};

using Make = std::string (*)(std::size_t bytes);

/// @param parse  called with the text.
template <class Parse>
Case on_text(const char* parser, const char* input, Make make, Parse parse) {
  return {parser, input, [make, parse](std::size_t bytes) {
            return [text = make(bytes), parse] { static_cast<void>(parse(text)); };
          }};
}

template <class Parse>
Case on_fields(const char* parser, const char* input, Headers (*make)(std::size_t bytes), Parse parse) {
  return {parser, input, [make, parse](std::size_t bytes) {
            return [fields = make(bytes), parse] { static_cast<void>(parse(fields)); };
          }};
}

std::vector<Case> header_cases() {
  constexpr auto list = [](const std::string& text) { return parse_structured_list({text}); };
  constexpr auto dictionary = [](const std::string& text) { return parse_structured_dictionary({text}); };
  constexpr auto policies = [](const std::string& text) { return parse_rate_limit_policy({text}); };
  constexpr auto limits = [](const std::string& text) { return parse_rate_limit_field({text}); };
  constexpr auto links = [](const std::string& text) { return parse_links({text}, base); };
  constexpr auto next = [](const Headers& fields) { return find_link(fields, "next", base); };
  constexpr auto deprecation = [](const Headers& fields) { return read_deprecation(fields, base, now); };
  constexpr auto next_fault = [](const Headers& fields) { return fault_of_link(fields, "next", base); };
  constexpr auto limits_of = [](const Headers& fields) { return read_rate_limit(fields, Dialect{}, now); };
  return {
      on_text("structured_field", "keys of one item", [](auto n) { return "a" + numbered(";k#", n); }, list),
      on_text("structured_field", "keys of many items",
              [](auto n) { return "a" + numbered(";k#", 600) + numbered(",a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q#", n); },
              list),
      on_text("structured_field", "200 keys, again and again",
              [](auto n) { return "a" + numbered(";k#", n, 200); }, list),
      on_text("structured_field", "members", [](auto n) { return "a" + repeated(",a", n); }, list),
      on_text("structured_field", "inner list", [](auto n) { return "(" + repeated(" a", n) + ")"; }, list),
      on_text("structured_field", "inner lists", [](auto n) { return "()" + repeated(",(a b)", n); }, list),
      on_text("structured_field", "open inner list", [](auto n) { return repeated("(", n); }, list),
      on_text("structured_field", "escapes", [](auto n) { return '"' + repeated("\\\"", n); }, list),
      on_text("structured_field", "display string", [](auto n) { return "%\"" + repeated("%c3%bc", n) + '"'; }, list),
      on_text("structured_field", "bytes", [](auto n) { return ":" + repeated("AAAA", n) + ":"; }, list),
      on_text("structured_field", "token", [](auto n) { return repeated("a:", n); }, list),
      on_text("structured_field", "dictionary keys", [](auto n) { return "k" + numbered(",k#", n); }, dictionary),
      on_text("structured_field", "one long key",
              [](auto n) { return repeated("a", n / 2) + ',' + repeated("a", n / 2); }, dictionary),
      on_text("rate_limit_policy", "policies", [](auto n) { return "\"p\";q=1" + numbered(",\"p#\";q=1;w=1", n); },
              policies),
      on_text("rate_limit_policy", "bare quotas", [](auto n) { return "1" + numbered(",1;w=#", n); }, policies),
      on_text("rate_limit_policy", "limits",
              [](auto n) { return "\"p\";r=1" + numbered(",\"p#\";r=1;t=1", n); }, limits),
      on_text("rate_limit_policy", "partitions",
              [](auto n) { return "\"p\";r=1" + repeated(",\"p\";r=1;pk=:AAAA:", n); }, limits),
      on_fields("rate_limit", "limits and policies",
                [](auto n) {
                  const auto long_key = repeated("a", 63) + ":";
                  return Headers{{"RateLimit-Policy", "\"p\";q=1" + repeated(",\"p\";q=1;pk=:A" + long_key, n / 2)},
                                 {"RateLimit", "\"p\";r=1" + repeated(",\"p\";r=1;pk=:B" + long_key, n / 2)}};
                },
                limits_of),
      on_fields("link", "lines that nobody can read",
                [](auto n) { return Headers{{"Link", repeated("<,", n)}, {"Link", repeated("<a>;", n)}}; },
                is_unreadable_link),
      on_fields("rate_limit", "suffixes", [](auto n) { return many_fields("X-RateLimit-Remaining-", n); }, limits_of),
      on_fields("rate_limit", "list of windows",
                [](auto n) {
                  return Headers{{"X-RateLimit-Limit", "10" + repeated(", 10;x=\"" + repeated("a", 64) + '"', n)}};
                },
                limits_of),
      on_fields("rate_limit", "lines",
                [](auto n) {
                  Headers fields;
                  for (int i = 0; i < 200; ++i) fields.add("X-RateLimit-Limit", "10;w=" + repeated("1", n / 200));
                  return fields;
                },
                limits_of),
      on_fields("limit_spellings", "suffixes of other units",
                [](auto n) { return many_fields("X-RateLimit-Limit-" + repeated("token-", n / 400), n / 2); },
                find_common_spellings),
      on_fields("limit_spellings", "waits", [](auto n) { return many_fields("X-RateLimit-Retry-After-", n); },
                find_common_spellings),
      on_text("limit_spellings", "window", [](auto n) { return repeated("1", n) + "-minute"; }, window_named),
      on_text("reported_quota", "refill", [](auto n) { return repeated("1", n) + ".5"; }, parse_refill),
      on_text("reported_quota", "count", [](auto n) { return repeated("1", n); },
              [](const std::string& text) { return parse_count(text); }),
      on_text("reported_quota", "count and tail", [](auto n) { return "1" + repeated(",1;", n); },
              [](const std::string& text) { return parse_count(text); }),
      on_text("reported_quota", "windows", [](auto n) { return "1" + numbered(", 1;w=#", n); },
              [](const std::string& text) { return parse_count_window(text); }),
      on_text("reported_quota", "used of limit", [](auto n) { return repeated("a=1/2(c=d);", n); },
              [](const std::string& text) { return parse_used_of_limit(text, 64); }),
      on_text("reported_quota", "used and limits", [](auto n) { return repeated("1,", n); },
              [](const std::string& text) { return pair_used_with_limits({text}, {text}, 64); }),
      on_text("reported_quota", "lines of counts", [](auto n) { return repeated("1, ", n) + "1"; },
              [](const std::string& text) { return split_quotas(text, 64); }),
      on_text("ascii", "combined lines", [](auto n) { return repeated(", ", n); },
              [](std::string_view text) {
                while (!text.empty()) take_element(text, ", ");
                return text;
              }),
      on_text("reported_quota", "members", [](auto n) { return repeated("a=1; total=2;", n); },
              [](const std::string& text) { return split_quotas(text, 64); }),
      on_text("reported_quota", "named counts", [](auto n) { return repeated("a;1,", n); },
              [](const std::string& text) { return split_quotas(text, 64); }),
      on_text("link", "links", [](auto n) { return repeated("<a>;rel=a,", n); }, links),
      on_text("link", "open brackets", [](auto n) { return repeated("<", n); }, links),
      on_text("link", "open bracket after each link", [](auto n) { return repeated("<a>,<", n); }, links),
      on_text("link", "relations", [](auto n) { return "<a>;rel=\"" + repeated("a ", n) + '"'; }, links),
      on_text("link", "parameters and relations",
              [](auto n) { return "<a>;rel=\"" + repeated("a ", 64) + '"' + repeated(";a", n); }, links),
      on_text("link", "escapes", [](auto n) { return "<a>;a=\"" + repeated("\\\\", n); }, links),
      on_text("link", "empty elements", [](auto n) { return repeated(" ,", n); }, links),
      on_fields("link", "anchors",
                [](auto n) { return Headers{{"Link", repeated("<a>;rel=next;anchor=a,", n)}}; }, next),
      on_fields("link", "anchors of long paths",
                [](auto n) { return Headers{{"Link", repeated("<a>;rel=next;anchor=\"a/../\",", n)}}; }, next),
      on_fields("link", "quoted relations", [](auto n) { return Headers{{"Link", repeated("<a>;rel='prev ',", n)}}; },
                next_fault),
      {"link", "anchors, and a long URL",
       [](std::size_t bytes) {
         return [fields = Headers{{"Link", repeated("<a>;rel=next;anchor=a,", bytes)}},
                 url = base + "?" + repeated("a", bytes)] { static_cast<void>(find_link(fields, "next", url)); };
       }},
      on_text("cache_control", "directives", [](auto n) { return repeated("max-age=5,", n); },
              [](const std::string& text) { return read_cache_control({text}); }),
      on_text("cache_control", "open quotes", [](auto n) { return repeated("a=\"\\\"", n); },
              [](const std::string& text) { return read_cache_control({text}); }),
      on_text("cache_control", "digits", [](auto n) { return repeated("9", n); }, read_delta_seconds),
      on_text("age", "digits", [](auto n) { return repeated("9", n); }, read_age),
      on_fields("deprecation", "dates", [](auto n) { return Headers{{"Deprecation", "@1" + repeated(";a", n)}}; },
                deprecation),
      on_fields("deprecation", "links",
                [](auto n) { return Headers{{"Deprecation", "@1"}, {"Link", repeated("<a>;rel=next,", n)}}; },
                deprecation),
      on_text("keep_alive", "parameters", [](auto n) { return repeated("timeout=5,", n); }, keep_alive_timeout),
      on_text("retry_after", "digits", [](auto n) { return repeated("1", n); },
              [](const std::string& text) { return parse_retry_after({text}, {}, now); }),
      on_text("retry_after", "fraction", [](auto n) { return "1." + repeated("1", n); },
              [](const std::string& text) { return parse_retry_after({text}, {}, now); }),
      {"retry_after", "lines",
       [](std::size_t bytes) {
         return [lines = std::vector<std::string_view>(bytes / 32, "Sun, 06 Nov 1994 08:49:37 XXX")] {
           static_cast<void>(parse_retry_after(lines, {}, now));
         };
       }},
      on_text("http_date", "exactly, spaces", [](auto n) { return "Sun," + repeated(" ", n) + "06 Nov 1994 08:49:37 GMT"; },
              [](const std::string& text) { return parse_http_date_exactly(text, now); }),
      on_text("http_date", "spaces", [](auto n) { return "Sun," + repeated(" ", n) + "06 Nov 1994 08:49:37 GMT"; },
              [](const std::string& text) { return parse_http_date(text, now); }),
      on_text("http_date", "digits", [](auto n) { return "Sun, 06 Nov " + repeated("1", n); },
              [](const std::string& text) { return parse_http_date(text, now); }),
      on_text("http_date", "letters", [](auto n) { return repeated("a", n); },
              [](const std::string& text) { return parse_http_date(text, now); }),
      on_text("http_date", "JavaScript, zone name",
              [](auto n) { return "Tue Feb 16 2021 09:02:42 GMT+0100 (" + repeated("a", n) + ")"; },
              [](const std::string& text) { return parse_javascript_date(text); }),
      on_text("http_date", "RFC 3339, fraction", [](auto n) { return "2024-01-01T00:00:00." + repeated("1", n) + "Z"; },
              [](const std::string& text) { return parse_rfc3339(text); }),
      on_text("http_date", "RFC 3339, zeros", [](auto n) { return "2024-01-01T00:00:00.1" + repeated("0", n) + "Z"; },
              [](const std::string& text) { return parse_rfc3339_exactly(text); }),
      on_text("duration_text", "parts", [](auto n) { return repeated("1h1m1s", n); },
              [](const std::string& text) { return parse_duration_text(text); }),
      on_text("duration_text", "dots", [](auto n) { return repeated("1.", n) + "s"; },
              [](const std::string& text) { return parse_duration_text(text); }),
      on_text("duration_text", "fraction", [](auto n) { return "0." + repeated("1", n); },
              [](const std::string& text) { return parse_decimal_duration(text, std::chrono::seconds(1)); }),
      on_text("reset_text", "digits", [](auto n) { return repeated("0", n); },
              [](const std::string& text) { return parse_reset(text, ResetForm::automatic, now); }),
      on_text("reset_text", "parts", [](auto n) { return repeated("1ms", n) + "x"; },
              [](const std::string& text) { return parse_reset(text, ResetForm::automatic, now); }),
      on_text("content_range", "unit", [](auto n) { return repeated(" ", n) + "bytes"; }, has_byte_unit),
      on_text("content_range", "digits", [](auto n) { return "items 0-1/" + repeated("1", n); }, read_content_range),
      on_text("content_range", "spaces", [](auto n) { return "bytes" + repeated(" ", n) + "0-1/2"; }, read_byte_range),
      on_text("content_range", "dashes", [](auto n) { return repeated("-", n); }, read_item_range),
      on_text("base64url", "bytes", [](auto n) { return repeated("_-", n); }, base64url_decode),
      on_text("base64url", "padding", [](auto n) { return repeated("=", n); }, base64_decode),
      on_text("base64url", "second alphabet", [](auto n) { return repeated("-_", n); }, base64_decode_exactly),
  };
}

std::vector<Case> url_cases() {
  constexpr auto resolve = [](const std::string& text) { return resolve_reference(base, text); };
  constexpr auto scrub = [](const std::string& text) {
    const KnownSecrets known;
    return Redaction(base, {Headers{}, known}).scrubbed(text);
  };
  return {
      on_text("dot_segments", "encoded dots", [](auto n) { return repeated("/%2e%2ea", n); }, has_dot_segment),
      on_text("url", "parts", [](auto n) { return "https://" + repeated("@", n) + "/?#"; }, split_url),
      on_text("url", "up and down", [](auto n) { return repeated("a/../", n); }, resolve),
      on_text("url", "up", [](auto n) { return repeated("a/", n / 2) + repeated("../", n / 2); }, resolve),
      on_text("url", "dots", [](auto n) { return repeated("./", n); }, resolve),
      on_text("url", "slashes", [](auto n) { return repeated("/", n); }, resolve),
      on_text("url", "colons", [](auto n) { return repeated(":", n); }, resolve),
      on_text("url", "written", [](auto n) { return repeated("% \xC3", n) + "?" + repeated("%2", n); },
              [](const std::string& text) { return resolve_written(base, text); }),
      on_text("url", "scheme", [](auto n) { return repeated("a", n); },
              [](const std::string& url) { return is_of_scheme(url, url); }),
      on_text("url", "host", [](auto n) { return "https://" + repeated("a.", n) + "/"; }, origin_of),
      on_text("url", "path", [](auto n) { return base + repeated("/..", n); }, origin_of),
      on_text("url", "digits of the port", [](auto n) { return "https://a:" + repeated("0", n) + "/"; }, origin_of),
      on_text("page_url", "parameters", [](auto n) { return base + "?" + repeated("a&", n); },
              [](const std::string& url) { return parameter_of(url, "page"); }),
      on_text("page_url", "parameters to change", [](auto n) { return base + "?" + repeated("a=b&", n); },
              [](const std::string& url) { return with_parameter(url, "page", "2"); }),
      on_text("page_url", "marks", [](auto n) { return base + repeated("?", n) + "#"; },
              [](const std::string& url) { return with_parameter(url, "page", "2"); }),
      on_text("page_url", "braces", [](auto n) { return repeated("{", n); }, without_expressions),
      on_text("page_url", "expressions", [](auto n) { return repeated("{&a}", n); }, without_expressions),
      on_text("page_url", "query", [](auto n) { return base + "?" + repeated("%61=%&", n); }, decoded_query),
      on_text("percent", "written", [](auto n) { return repeated("% \xC3%2", n); },
              [](const std::string& text) {
                std::string encoded;
                append_written(encoded, text);
                return encoded;
              }),
      on_text("percent", "escapes of percent signs", [](auto n) { return repeated("%25", n); }, has_escape_of_escape),
      on_text("percent", "escapes", [](auto n) { return repeated("%25", n); }, percent_decode),
      on_text("percent", "escapes and none", [](auto n) { return repeated("%25%", n); }, decoded_where_possible),
      on_text("spelling", "escapes", [](auto n) { return repeated("\\u0061", n); },
              [](const std::string& text) {
                return SpellingSearch(std::vector{std::string(text.size() / 6, 'a')}).find(text);
              }),
      on_text("spelling", "many words", [](auto n) { return repeated("%25", n); },
              [](const std::string& text) {
                std::vector<std::string> words;
                for (std::size_t i = 0; i < text.size(); i += 64)
                  words.push_back(std::string(58, '%') + std::to_string(100'000 + i));
                return SpellingSearch(words).find(text);
              }),
      on_text("redaction", "values that are not secret", [](auto n) { return repeated("?a=", n); }, scrub),
      on_text("redaction", "values that are", [](auto n) { return "?" + repeated("token=a?", n); }, scrub),
      on_text("redaction", "nearly a secret", [](auto n) { return repeated("a", n); },
              [](const std::string& text) {
                const auto url = base + "?token=" + std::string(text.size() / 4, 'a') + "b";
                const KnownSecrets known;
                return Redaction(url, {Headers{}, known}).scrubbed(text);
              }),
      on_text("redaction", "users in URLs", [](auto n) { return repeated("://a@@:", n); },
              [](const std::string& text) {
                const KnownSecrets known;
                const auto secrets = secrets_in_urls(text, known);
                return without_parts(text, secret_parts_in_urls(text, known)).size() + secrets.size();
              }),
      on_text("redaction", "a long name", [](auto n) { return repeated("-a", n); }, is_hidden_in_response),
      on_text("redaction", "many secrets", [](auto n) { return base + numbered("?sig=secret#&", n); },
              [](const std::string& url) {
                const KnownSecrets known;
                const auto secrets = secrets_in_query(url, known);
                return Redaction(url, {Headers{}, known, secrets}).url();
              }),
  };
}

std::vector<Case> body_cases() {
  constexpr auto shape = [](const std::string& text) { return json_shape(text); };
  constexpr auto elements = [](const std::string& text) { return json_elements(text, ""); };
  constexpr auto members = [](const std::string& text) {
    std::size_t size = 0;
    for (const auto half : json_elements(text, "", text.size(), '{').elements) size += half.size();
    return size;
  };
  constexpr auto simdjson = [](const std::string& text) {
    Json json;
    detail::JsonTree<Json> events(json);
    return read_by_simdjson(text, events);
  };
  constexpr auto any_elements = [](const std::string& text) { return json_elements(text, "/*"); };
  constexpr auto tree = [](const std::string& text) {
    Json json;
    detail::parse_json(text, json, detail::BeyondBits::rounded);
    return json;
  };
  constexpr auto value = [](const std::string& text) { return json_value(text, "/a/b"); };
  constexpr auto text_at = [](const std::string& text) { return json_text_at(text, "/a"); };
  constexpr auto scalar_at = [](const std::string& text) { return json_scalar_at(text, "/a"); };
  constexpr auto token_at = [](const std::string& text) { return json_at(text, "/a"); };
  constexpr auto message = [](const std::string& text) {
    return server_message("application/json", text, [](std::string_view line) { return std::string(line); });
  };
  constexpr auto problem = [](const std::string& text) { return parse_problem("application/problem+json", text); };
  constexpr auto set = [](const std::string& text) { return with_json_at(text, "/a/b/c", "1"); };
  constexpr auto excerpt = [](const std::string& text) { return printable_excerpt(text, 200); };
  return {
      on_text("json_parser", "syntax", [](auto n) { return "[0" + repeated(",[]", n) + "]"; }, is_json_text),
      on_text("simdjson_parser", "keys", [](auto n) { return "{\"x\":0" + numbered(",\"#\":0", n) + "}"; }, simdjson),
      // What simdjson refuses, nlohmann reads.
      on_text("json_parser", "refused", [](auto n) { return "[0" + repeated(",[]", n) + ",-0]"; }, tree),
      on_text("json_parser", "nearly a negative zero", [](auto n) { return '"' + repeated("-0", n) + '"'; }, tree),
      on_text("json_parser", "nesting", [](auto n) { return repeated("[", n / 2) + repeated("]", n / 2); }, tree),
      on_text("json_parser", "escapes", [](auto n) { return '"' + repeated("\\u0061", n) + '"'; }, tree),
      on_text("json_parser", "UTF-8", [](auto n) { return '"' + repeated("\xC3\xBC", n) + '"'; }, tree),
      on_text("json_parser", "digits", [](auto n) { return repeated("1", n); }, tree),
      on_text("json_parser", "digits of a fraction", [](auto n) { return "0." + repeated("1", n); }, tree),
      on_text("json_parser", "equal keys", [](auto n) { return "{\"a\":0" + repeated(",\"a\":[]", n) + "}"; }, tree),
      on_text("json_parser", "keys", [](auto n) { return "{\"x\":0" + numbered(",\"#\":0", n) + "}"; }, tree),
      on_text("json_scan", "depth", [](auto n) { return repeated("[", n); }, shape),
      on_text("json_scan", "depth, open string", [](auto n) { return '"' + repeated("\\\"", n); }, shape),
      on_text("json_scan", "values", [](auto n) { return "[0" + repeated(",[]", n) + "]"; }, shape),
      on_text("json_scan", "values, space", [](auto n) { return repeated("[   ", n); }, shape),
      on_text("json_scan", "values, strings", [](auto n) { return repeated("\"\",", n) + "\""; }, shape),
      on_text("json_scan", "elements", [](auto n) { return "[0" + repeated(",[]", n) + "]"; }, elements),
      on_text("json_scan", "deep elements",
              [](auto n) { return repeated("[", n / 2) + repeated("]", n / 2); }, elements),
      on_text("json_scan", "elements of a late array",
              [](auto n) { return "{\"a\":0" + repeated(",\"a\":{}", n) + ",\"b\":[]}"; }, any_elements),
      on_text("json_scan", "members of the items", [](auto n) { return "{\"a\":0" + repeated(",\"a\":{}", n) + "}"; }, members),
      on_text("json_scan", "members", [](auto n) { return "{\"x\":0" + numbered(",\"#\":0", n) + "}"; }, value),
      on_text("json_scan", "all members",
              [](auto n) { return "{\"x\":0" + numbered(",\"#\":[]", n) + "}"; }, json_members),
      on_text("json_scan", "escaped keys",
              [](auto n) { return "{\"x\":0" + repeated(",\"\\u0062\":0", n) + "}"; }, value),
      on_text("json_scan", "one escaped key", [](auto n) { return "{\"" + repeated("\\u0062", n) + "\":0}"; }, value),
      on_text("json_scan", "deep objects", [](auto n) { return repeated("{\"a\":", n) + "0" + repeated("}", n / 5); },
              value),
      on_text("json_scan", "text with escapes", [](auto n) { return "{\"a\":\"" + repeated("\\u0061", n) + "\"}"; },
              text_at),
      on_text("json_scan", "token", [](auto n) { return "{\"a\":[0" + repeated(",{}", n) + "]}"; }, token_at),
      on_text("json_scan", "open string", [](auto n) { return "{\"a\":\"" + repeated("\\\\", n); }, scalar_at),
      on_text("utf8", "UTF-8", [](auto n) { return repeated("\xC3\xBC", n); }, valid_utf8),
      on_text("utf8", "UTF-8 and ASCII", [](auto n) { return repeated("aaaaaaa\xC3\xBC", n); }, valid_utf8),
      on_text("json_edit", "wide object", [](auto n) { return "{\"x\":0" + numbered(",\"#\":0", n) + "}"; }, set),
      on_text("json_edit", "deep object",
              [](auto n) { return "{\"a\":{\"b\":" + repeated("[", n / 2) + repeated("]", n / 2) + "}}"; }, set),
      on_text("problem", "type", [](auto n) { return "application/" + repeated("a+", n) + "json"; }, names_json),
      on_text("problem", "members", [](auto n) { return "{\"x\":0" + numbered(",\"#\":[\"a\"]", n) + "}"; }, message),
      on_text("problem", "nested members",
              [](auto n) { return "{\"errors\":{\"x\":0" + numbered(",\"#\":{\"a\":{\"b\":{}}}", n) + "}}"; }, message),
      on_text("problem", "errors", [](auto n) { return "{\"errors\":[0" + repeated(",{\"source\":{}}", n) + "]}"; },
              message),
      on_text("problem", "nested lists",
              [](auto n) { return "{\"errors\":[0" + repeated(",[[[[[]]]]]", n) + "]}"; }, message),
      on_text("problem", "long words", [](auto n) { return "{\"message\":\"" + repeated("a ", n) + "\"}"; }, message),
      on_text("problem", "details", [](auto n) { return "{\"detail\":\"" + repeated("\\u0061", n) + "\"}"; }, problem),
      on_text("problem", "no JSON", [](auto n) { return repeated("{", n); }, message),
      on_text("error_words", "list of texts",
              [](auto n) { return "[\"\"" + repeated(",\"\"", n) + "]"; },
              [](const std::string& text) { return error_words(nlohmann::json::parse(text)); }),
      on_text("printable", "space", [](auto n) { return repeated(" \n", n); }, excerpt),
      on_text("printable", "no more than may be shown", [](auto n) { return repeated(" \n", n); },
              [](const std::string& text) { return printable_or_size(text, text.size()); }),
      on_text("printable", "controls", [](auto n) { return repeated("\x01\xFF", n); }, excerpt),
  };
}

/// The text arrives in pieces of so many bytes.
template <class Reader>
std::size_t read_stream(Reader reader, std::string_view text, std::size_t piece) {
  std::size_t events = 0;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    for (auto rest = text.substr(0, piece); reader.take(rest);) ++events;
  return events;
}

std::vector<Case> stream_cases() {
  constexpr auto events = [](const std::string& text) {
    return read_stream(EventStreamReader(text.size()), text, 1024);
  };
  constexpr auto single = [](const std::string& text) { return read_stream(EventStreamReader(text.size()), text, 1); };
  constexpr auto lines = [](const std::string& text) {
    return read_stream(JsonLinesReader(JsonFraming::lines, text.size()), text, 1024);
  };
  constexpr auto sequence = [](const std::string& text) {
    return read_stream(JsonLinesReader(JsonFraming::sequence, text.size()), text, text.size());
  };
  constexpr auto single_sequence = [](const std::string& text) {
    return read_stream(JsonLinesReader(JsonFraming::sequence, text.size()), text, 1);
  };
  return {
      on_text("stream_event", "type", [](auto n) { return "application/" + repeated("+json-se", n); }, stream_format),
      on_text("ascii", "lines that end with CR", [](auto n) { return repeated("a\r", n); },
              [](std::string_view text) {
                while (!text.empty()) text.remove_prefix(std::min(find_either(text, '\n', '\r') + 1, text.size()));
                return text;
              }),
      on_text("event_stream", "events", [](auto n) { return repeated("data:a\n\n", n); }, events),
      on_text("event_stream", "events that end with CR", [](auto n) { return repeated("data:a\r\r", n); }, events),
      on_text("event_stream", "lines of data", [](auto n) { return repeated("data\n", n); }, events),
      on_text("event_stream", "a line of data, byte by byte", [](auto n) { return "data:" + repeated("a", n); }, single),
      on_text("event_stream", "lines without a colon", [](auto n) { return repeated("a", n); }, single),
      on_text("event_stream", "a comment", [](auto n) { return repeated(":", n); }, events),
      on_text("event_stream", "empty lines", [](auto n) { return repeated("\r\n", n); }, single),
      on_text("event_stream", "ids", [](auto n) { return repeated("id:1\n\n", n); }, events),
      on_text("event_stream", "a long id",
              [](auto n) { return "id:" + repeated("1", n / 2) + '\n' + repeated("data\n\n", n / 2); }, events),
      on_text("event_stream", "digits of retry", [](auto n) { return "retry:" + repeated("1", n) + '\n'; }, events),
      on_text("json_lines", "lines", [](auto n) { return repeated("1\n", n); }, lines),
      on_text("json_lines", "space", [](auto n) { return repeated(" ", n) + '\n'; }, lines),
      on_text("json_lines", "texts of a sequence", [](auto n) { return repeated("\x1E[]\n", n); }, sequence),
      on_text("json_lines", "texts without LF", [](auto n) { return repeated("\x1E[]", n); }, sequence),
      on_text("json_lines", "texts without RS", [](auto n) { return repeated("[]\n", n); }, sequence),
      on_text("json_lines", "lines of a text", [](auto n) { return "\x1E[" + repeated("\n", n); }, sequence),
      on_text("json_lines", "lines of a text, byte by byte", [](auto n) { return "\x1E[" + repeated("\n", n); },
              single_sequence),
      on_text("json_lines", "brackets", [](auto n) { return '\x1E' + repeated("[", n); }, sequence),
  };
}

void measure(const std::vector<Case>& cases) {
  constexpr std::size_t smallest = std::size_t{16} * 1024;
  for (const auto& each : cases)
    for (const std::size_t size : {1U, 2U, 4U}) {
      const auto parse = each.prepare(size * smallest);
      std::printf("%s\t%s\t%zu\n", each.parser, each.input, size);
      measured(parse);
    }
}

}  // namespace

int main() {
  measure(header_cases());
  measure(url_cases());
  measure(body_cases());
  measure(stream_cases());
}
