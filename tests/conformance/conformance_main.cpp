// noun's cache against the tests of npm's http-cache-tests, whose server runs on loopback. tests/conformance/run starts
// both.
//
//   cache_conformance BASE_URL TESTS.json [--exceptions FILE] [--published] [--only TEXT]... [--quick] [--at-once N]
//                     [--no-cache]
//
// TESTS.json is what the suite's tests/index.mjs exports. Each test has a client and a cache of its own, and its
// responses are compared as the suite's own client does it (test.mjs). Prints a line for each test with what noun says
// of each response (Response::cache), then the failed ones by suite, and the totals. The status is 1 if others fail than
// the exceptions. --published: the suite is the one of npm, which is older than the one of its authors. --only takes a
// suite or a part of a test's name, --quick the tests without a pause.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "joining_thread.hpp"

namespace {

using noun::Json;
using namespace std::chrono_literals;

// What the suite calls an assertion: of the cache, or of what a test must have before it can say anything.
struct Unmet {
  bool is_setup;
  std::string reason;
};

// The test needs what noun does not have.
struct Inexpressible {
  std::string reason;
};

void check(bool is_setup, bool holds, const std::string& reason) {
  if (!holds) throw Unmet{is_setup, reason};
}

bool flag(const Json& object, const char* name) { return object.value(name, Json()) == Json(true); }

// Whether a failure of this member of the request means that the test was not set up.
bool is_setup(const Json& request, std::string_view member) {
  if (flag(request, "setup")) return true;
  const auto members = request.value("setup_tests", Json::array());
  return std::find(members.begin(), members.end(), member) != members.end();
}

// As JavaScript has it: the number in front of the text, or NaN, to which nothing compares.
double parse_int(const std::optional<std::string>& text) {
  std::int64_t value = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{})
    return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(value);
}

std::string joined(const std::vector<std::string_view>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

// What fetch() returns of a field: all its values.
std::optional<std::string> field(const noun::Headers& headers, std::string_view name) {
  if (!headers.contains(name)) return std::nullopt;
  return joined(headers.values(name));
}

std::string shown(const std::optional<std::string>& text) { return text.value_or("null"); }

// Field values are bytes, which the suite writes as the characters up to U+00FF.
std::string as_bytes(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const bool is_pair = (byte == 0xC2 || byte == 0xC3) && i + 1 < utf8.size();
    bytes += is_pair ? static_cast<char>((byte << 6) | (utf8[++i] & 0x3F)) : utf8[i];
  }
  return bytes;
}

std::string as_text(const Json& value) {
  if (value.is_string()) return as_bytes(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& part : value) parts.push_back(as_text(part));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string http_date(double seconds, bool rfc850) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  gmtime_r(&time, &parts);
  std::array<char, 64> text = {};
  const auto size = std::strftime(text.data(), text.size(),
                                  rfc850 ? "%A, %d-%b-%y %H:%M:%S GMT" : "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

// The value of a field of the test: a number is a date relative to the server's, and a Location is below the URL.
std::string fixed_up(const Json& header, const noun::Headers& response, const Json& request) {
  const auto name = header[0].get<std::string>();
  const auto is = [&](auto... names) { return (noun::same_name(name, names) || ...); };
  if (header[1].is_number_integer() &&
      is("Date", "Expires", "Last-Modified", "If-Modified-Since", "If-Unmodified-Since")) {
    const auto formats = request.value("rfc850date", Json::array());
    const auto rfc850 =
        std::any_of(formats.begin(), formats.end(), [&](const Json& each) { return is(each.get<std::string>()); });
    return http_date((parse_int(field(response, "Server-Now")) / 1000) + header[1].get<double>(), rfc850);
  }
  if (is("Location", "Content-Location") && flag(request, "magic_locations")) {
    const auto below = as_text(header[1]);
    return shown(field(response, "Server-Base-Url")) + (below.empty() ? "" : "/" + below);
  }
  return as_text(header[1]);
}

std::string random_uuid() {
  thread_local std::mt19937_64 random(std::random_device{}());
  const auto text = fmt::format("{:016x}{:016x}", random(), random());
  return text.substr(0, 8) + "-" + text.substr(8, 4) + "-" + text.substr(12, 4) + "-" + text.substr(16, 4) + "-" +
         text.substr(20);
}

noun::Method method_of(const std::string& name) {
  for (const auto method : {noun::Method::get, noun::Method::head, noun::Method::post, noun::Method::put,
                            noun::Method::patch, noun::Method::delete_, noun::Method::options,
                            noun::Method::query})
    if (to_string(method) == name) return method;
  throw Inexpressible{fmt::format("noun::Method has no {}", name)};
}

void check_response(const Json& request, std::size_t number, const noun::Response& response, const std::string& uuid) {
  const auto by_server = parse_int(field(response.headers, "Server-Request-Count"));
  if (const auto sent = field(response.headers, "Request-Numbers")) {
    std::set<std::string> seen;
    for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
      to = sent->find(' ', from);
      check(true, seen.insert(sent->substr(from, to - from)).second, "retry");
    }
  }
  const auto type = request.value("expected_type", "");
  const auto at = static_cast<double>(number);
  if (type == "cached" && !(response.status == 304 && by_server != by_server))
    check(is_setup(request, "expected_type"), by_server < at,
          fmt::format("Response {} does not come from cache", number));
  if (type == "not_cached")
    check(is_setup(request, "expected_type"), by_server == at, fmt::format("Response {} comes from cache", number));

  const auto wrong_status = [&](int expected) {
    return fmt::format("Response {} status is {}, not {}", number, response.status, expected);
  };
  if (request.contains("expected_status")) {
    if (!request["expected_status"].is_null())
      check(is_setup(request, "expected_status"), response.status == request["expected_status"],
            wrong_status(request["expected_status"]));
  } else {
    const int expected = request.contains("response_status") ? request["response_status"][0].get<int>() : 200;
    check(true, response.status == expected, wrong_status(expected));
  }

  for (const auto& header : request.value("expected_response_headers", Json::array())) {
    const auto setup = is_setup(request, "expected_response_headers");
    const auto name = header.is_string() ? header.get<std::string>() : header[0].get<std::string>();
    const auto value = field(response.headers, name);
    if (header.is_string() || header.size() > 2)
      check(setup, value.has_value(), fmt::format("Response {} {} header not present", number, name));
    if (header.is_string()) continue;
    const auto is_greater = header.size() > 2 && header[1] == ">";
    const auto expected = header.size() == 2 ? fixed_up(header, response.headers, request)
                          : is_greater       ? as_text(header[2])
                                             : shown(field(response.headers, as_text(header[2])));
    const auto holds = is_greater ? parse_int(value) > header[2].get<double>() : value == expected;
    check(setup, holds,
          fmt::format("Response {} header {} is \"{}\", not {}\"{}\"", number, name, shown(value),
                      is_greater ? "bigger than " : "", expected));
  }
  for (const auto& header : request.value("expected_response_headers_missing", Json::array())) {
    // The suite looks for the value of a pair where there never is one. So only names are compared.
    if (header.is_string())
      check(is_setup(request, "expected_response_headers_missing"),
            !response.headers.contains(header.get<std::string>()),
            fmt::format("Response {} includes unexpected header {}", number, header.get<std::string>()));
  }

  if (request.value("check_body", Json()) == Json(false)) return;
  const auto wrong_body = [&](const std::string& expected) {
    return fmt::format("Response {} body is \"{}\", not \"{}\"", number, response.body, expected);
  };
  if (request.contains("expected_response_text")) {
    const auto& expected = request["expected_response_text"];
    if (!expected.is_null())
      check(is_setup(request, "expected_response_text"), response.body == expected.get<std::string>(),
            wrong_body(expected));
  } else if (!request.value("response_body", Json()).is_null()) {
    const auto expected = request["response_body"].get<std::string>();
    check(true, response.body == expected, wrong_body(expected));
  } else if (response.status != 204 && response.status != 304 && request.value("request_method", "") != "HEAD") {
    check(true, response.body == uuid, wrong_body(uuid));
  }
}

void check_requests(const Json& requests, const std::vector<noun::Response>& responses, const Json& state) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& request = requests[i];
    const auto number = i + 1;
    const auto type = request.value("expected_type", "");
    const auto type_setup = is_setup(request, "expected_type");
    if (type == "cached") continue;  // the server did not receive it
    const auto sent = at < state.size() ? state[at] : Json();
    ++at;
    const auto unsent = fmt::format("Request {} was not sent to the server", number);
    if (type == "not_cached") {
      check(type_setup, !sent.is_null(), unsent);
      check(type_setup, sent["request_num"] == number,
            fmt::format("Response {} comes from cache ({} on server)", number, sent["request_num"].dump()));
    }
    const auto received = sent.is_null() ? Json::object() : sent["request_headers"];
    const auto lower = [](std::string name) {
      for (auto& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      return name;
    };
    if (type == "etag_validated" || type == "lm_validated") {
      const auto* condition = type == "etag_validated" ? "if-none-match" : "if-modified-since";
      check(type_setup, !sent.is_null(), unsent);
      check(type_setup, received.contains(condition),
            fmt::format("Request {} doesn't have {} header", number, condition));
    }
    for (const bool present : {true, false}) {
      const auto* member = present ? "expected_request_headers" : "expected_request_headers_missing";
      for (const auto& header : request.value(member, Json::array())) {
        check(is_setup(request, member), !sent.is_null(), unsent);
        const auto name = header.is_string() ? header.get<std::string>() : header[0].get<std::string>();
        const auto value = received.value(lower(name), Json());
        check(is_setup(request, member), (header.is_string() ? !value.is_null() : value == header[1]) == present,
              fmt::format("Request {} header {} is {}", number, name, value.dump()));
      }
    }
    if (sent.is_null()) continue;
    for (const auto& header : sent.value("response_headers", Json::array())) {
      const auto name = header[0].get<std::string>();
      if (noun::same_name(name, "Date")) continue;
      const auto value = field(responses[i].headers, name);
      check(true, value == as_text(header[1]),
            fmt::format("Response {} header {} is \"{}\", not \"{}\"", number, name, shown(value), as_text(header[1])));
    }
    if (request.contains("expected_method"))
      check(is_setup(request, "expected_method"), sent["request_method"] == request["expected_method"],
            fmt::format("Request {} had method {}", number, sent["request_method"].dump()));
  }
}

// The response of a call, or of its error. A call that failed because the server disconnected has none: a cache between
// client and server would report that with a 504.
std::optional<noun::Response> sent(const noun::Client& api, const noun::Request& message, const Json& request) {
  const auto result = api.send(message);
  if (result.response()) return *result.response();
  if (flag(request, "disconnect")) return std::nullopt;
  // The server wants a condition, and says so with the status 999, which is none of HTTP.
  if (request.value("expected_type", "").ends_with("_validated") && result.error().code() == noun::Errc::protocol)
    throw Unmet{is_setup(request, "expected_type"), "A request should have been conditional, but it was not"};
  throw Unmet{false, result.error().message()};
}

// What noun's cache says of each response, for the line of the test.
using Trace = std::vector<std::string>;

void run_test(const noun::Client& control, const Json& test, bool with_cache, Trace& trace) {
  auto requests = test["requests"];
  bool follows = true;
  for (auto& request : requests) {
    request["name"] = test["name"];
    request["id"] = test["id"];
    follows = follows && request.value("redirect", "") != "manual";
    method_of(request.value("request_method", "GET"));
    if (request.contains("expected_interim_responses")) throw Inexpressible{"noun does not show interim responses"};
    if (request.contains("cache")) throw Inexpressible{"the modes of fetch() are a browser's"};
  }
  const auto uuid = random_uuid();
  const auto put = control.send({.method = noun::Method::put,
                                 .path = "config/" + uuid,
                                 .headers = {{"Content-Type", "application/json"}},
                                 .body = requests.dump()});
  check(true, put && put->status == 201, put ? "PUT config failed" : put.error().message());

  noun::Limits limits;
  if (!follows) limits.redirects = 0;
  const noun::Client api(control.base_url(), {.dialect = {.validates_by_date = true},
                                              .retry = {.max_attempts = 1},
                                              .limits = limits,
                                              .cache = with_cache ? noun::memory_cache() : nullptr,
                                              .cache_mode = noun::CacheMode::rfc9111});
  std::vector<noun::Response> responses;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& request = requests[i];
    auto path = "test/" + uuid;
    if (request.contains("filename")) path += "/" + request["filename"].get<std::string>();
    if (request.contains("query_arg")) path += "?" + request["query_arg"].get<std::string>();
    noun::Request message{.method = method_of(request.value("request_method", "GET")),
                          .path = path,
                          .body = request.value("request_body", "")};
    for (const auto& header : request.value("request_headers", Json::array()))
      message.headers.add(header[0].get<std::string>(), flag(request, "magic_ims") && i > 0
                                                            ? fixed_up(header, responses.back().headers, request)
                                                            : as_text(header[1]));
    message.headers.add("Test-Name", test["name"].get<std::string>());
    message.headers.add("Test-ID", test["id"].get<std::string>());
    message.headers.add("Req-Num", i + 1);
    auto response = sent(api, message, request);
    if (response) {
      trace.emplace_back(to_string(response->cache));
      check_response(request, i + 1, *response, uuid);
    } else {
      trace.emplace_back("error");
      check(is_setup(request, "expected_type"), request.value("expected_type", "") != "cached",
            fmt::format("Response {} does not come from cache", i + 1));
    }
    responses.push_back(std::move(response).value_or(noun::Response{.status = 504}));
    if (flag(request, "pause_after")) std::this_thread::sleep_for(3s);
  }
  const auto state = control.send({.path = "state/" + uuid});
  check_requests(requests, responses, state ? Json::parse(state->body) : Json::array());
}

enum class Outcome { passed, failed, setup_failed, inexpressible };

struct Test {
  std::string suite;
  Json json;
  Outcome outcome = Outcome::passed;
  std::string reason = {};
  Trace trace = {};

  std::string id() const { return json["id"]; }
  std::string kind() const { return json.value("kind", "required"); }
  // The tests of the totals: a cache of whole, final responses is asked.
  bool counts() const { return kind() != "check" && suite != "interim" && suite != "partial"; }
};

void run(const noun::Client& control, Test& test, bool with_cache) {
  try {
    run_test(control, test.json, with_cache, test.trace);
  } catch (const Unmet& unmet) {
    test.outcome = unmet.is_setup ? Outcome::setup_failed : Outcome::failed;
    test.reason = unmet.reason;
  } catch (const Inexpressible& missing) {
    test.outcome = Outcome::inexpressible;
    test.reason = missing.reason;
  } catch (const std::exception& failure) {
    test.outcome = Outcome::failed;
    test.reason = fmt::format("the runner failed: {}", failure.what());
  }
}

std::string name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "pass";
    case Outcome::failed: return "FAIL";
    case Outcome::setup_failed: return "setup";
    case Outcome::inexpressible: return "n/a";
  }
  return "?";
}

struct Options {
  std::string base_url;
  std::string tests;
  std::optional<std::string> exceptions = {};
  std::vector<std::string> only = {};
  std::size_t at_once = 25;
  bool quick = false;
  bool is_published = false;
  bool with_cache = true;
};

// The exceptions of noun that may be required. The optional ones are those that its rules forbid.
constexpr int most_required = 5;

// Those that a cache of a client can meet.
std::vector<Test> read_tests(const Options& options) {
  std::ifstream file(options.tests);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", options.tests));
  std::vector<Test> tests;
  for (const auto& suite : Json::parse(file))
    for (const auto& test : suite["tests"]) {
      if (flag(test, "cdn_only") || flag(test, "browser_only")) continue;
      Test entry{suite["id"], test};
      const auto wanted = [&](const std::string& text) {
        return entry.id().find(text) != std::string::npos || entry.suite == text;
      };
      const auto pauses = std::count_if(test["requests"].begin(), test["requests"].end(),
                                        [](const Json& request) { return flag(request, "pause_after"); });
      if (options.quick && (pauses > 0 || !entry.counts())) continue;
      if (!options.only.empty() && std::none_of(options.only.begin(), options.only.end(), wanted)) continue;
      tests.push_back(std::move(entry));
    }
  return tests;
}

// Why a test may fail.
struct Exception {
  std::string kind;    // noun; shared: meant for shared caches; withdrawn: the suite has since changed the test
  std::string reason;  // not empty
};

// Lines of a test's name, the kind and the reason. What is listed must fail, and nothing else.
std::map<std::string, Exception> read_exceptions(const std::string& path, bool is_published) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
  std::map<std::string, Exception> exceptions;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string id;
    Exception exception;
    words >> id >> exception.kind >> std::ws;
    std::getline(words, exception.reason);
    if (exception.reason.empty() ||
        (exception.kind != "noun" && exception.kind != "shared" && exception.kind != "withdrawn"))
      throw std::runtime_error(fmt::format("{}: '{}' is not a name, a kind and a reason", path, line));
    if (exception.kind == "withdrawn" && !is_published) continue;
    if (!exceptions.emplace(id, exception).second)
      throw std::runtime_error(fmt::format("{}: {} is listed twice", path, id));
  }
  return exceptions;
}

// Prints all and returns whether it is as expected.
bool report(const std::vector<Test>& tests, const Options& options) {
  std::map<std::string, const Test*> by_id;
  for (const auto& test : tests) by_id[test.id()] = &test;
  std::map<std::string, std::vector<const Test*>> failed;
  std::map<std::string, std::array<int, 3>> totals;
  for (const auto& test : tests) {
    std::string depends;
    for (const auto& id : test.json.value("depends_on", Json::array()))
      if (const auto found = by_id.find(id); found != by_id.end() && found->second->outcome != Outcome::passed)
        depends = fmt::format(" [{} fails]", id.get<std::string>());
    const auto passed = test.outcome == Outcome::passed;
    fmt::print("{:5} {:8} {:16} {:48} {}{} {}\n", name_of(test.outcome), test.kind(), test.suite, test.id(),
               fmt::join(test.trace, ","), depends, test.reason);
    if (!passed && test.kind() != "check") failed[test.suite].push_back(&test);
    if (!test.counts()) continue;
    auto& total = totals[test.kind()];
    ++total[0];
    total[1] += passed ? 1 : 0;
    total[2] += passed && depends.empty() ? 1 : 0;
  }
  fmt::print("\nFailed, by suite\n");
  for (const auto& [suite, list] : failed) {
    fmt::print("{}\n", suite);
    for (const auto* test : list)
      fmt::print("  {:5} {:8} {:48} {}\n", name_of(test->outcome), test->kind(), test->id(), test->reason);
  }
  fmt::print("\n");
  for (const auto& [kind, total] : totals)
    fmt::print("{}: {} of {} pass; {} with what they depend on\n", kind, total[1], total[0], total[2]);

  if (!options.exceptions) return true;
  bool expected = true;
  std::map<std::string, std::map<std::string, int>> listed;
  const auto exceptions = read_exceptions(*options.exceptions, options.is_published);
  for (const auto& test : tests) {
    if (!test.counts()) continue;
    const auto exception = exceptions.find(test.id());
    const bool is_listed = exception != exceptions.end();
    if (is_listed) ++listed[test.kind()][exception->second.kind];
    if (is_listed == (test.outcome != Outcome::passed)) continue;
    expected = false;
    fmt::print("{} {}\n", test.id(), is_listed ? "passes, and is listed as an exception" : "fails, and is not listed");
  }
  for (auto& [kind, counts] : listed) {
    fmt::print("{} exceptions: {} of noun, {} meant for shared caches, {} withdrawn by the suite\n", kind,
               counts["noun"], counts["shared"], counts["withdrawn"]);
    if (kind != "required" || counts["noun"] <= most_required) continue;
    expected = false;
    fmt::print("no more than {} exceptions of noun may be required\n", most_required);
  }
  return expected;
}

Options read_options(std::vector<std::string> words) {
  Options options;
  std::vector<std::string> positional;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (++i == words.size()) throw std::runtime_error(words[i - 1] + " needs a value");
      return words[i];
    };
    if (words[i] == "--exceptions")
      options.exceptions = value();
    else if (words[i] == "--only")
      options.only.push_back(value());
    else if (words[i] == "--at-once")
      options.at_once = std::stoul(value());
    else if (words[i] == "--quick")
      options.quick = true;
    else if (words[i] == "--published")
      options.is_published = true;
    else if (words[i] == "--no-cache")
      options.with_cache = false;
    else
      positional.push_back(words[i]);
  }
  if (positional.size() != 2) throw std::runtime_error("usage: cache_conformance BASE_URL TESTS.json [OPTION]...");
  options.base_url = positional[0];
  options.tests = positional[1];
  return options;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto options = read_options({argv + 1, argv + argc});
  auto tests = read_tests(options);
  const noun::Client control(options.base_url);
  {
    std::atomic<std::size_t> next = 0;
    std::vector<noun_test::JoiningThread> threads;
    for (std::size_t i = 0; i < options.at_once; ++i)
      threads.emplace_back([&] {
        for (auto at = next++; at < tests.size(); at = next++) run(control, tests[at], options.with_cache);
      });
  }
  return report(tests, options) ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 2;
}
