// Spans and measurements of calls, and the trace contexts that servers receive.
#include <noun/telemetry.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <noun/future.hpp>

#include "os/temporary_folder.hpp"
#include "resource/scripted_client.hpp"
#include "test_paths.hpp"

namespace resource_test { namespace telemetry_test {

using noun::EventKind;
using noun::Telemetry;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string text_of(const Telemetry::Attribute& attribute) {
  return std::visit([&](const auto& value) { return fmt::format("{}={}", attribute.name, value); }, attribute.value);
}

/// A tracer and a meter that keep what they receive as text. Spans are numbered from 1.
class Tracer {
 public:
  Telemetry::Functions functions() {
    return {.start_span =
                [this](const Telemetry::SpanStart& start) {
                  const std::lock_guard lock(mutex_);
                  const int number = ++spans;
                  ++open;
                  const auto parent = start.parent == nullptr ? "" : fmt::format(" in {}", number_of(*start.parent));
                  const auto* kind = start.kind == Telemetry::SpanKind::client ? "client" : "internal";
                  add(fmt::format("{} starts{}: {} {}", number, parent, kind, start.name), start.attributes);
                  starts.push_back(start.at);
                  return Telemetry::Span{std::make_shared<int>(number), {.traceparent = traceparent(number)}};
                },
            .add_event =
                [this](const Telemetry::Span& span, const Telemetry::SpanEvent& event) {
                  const std::lock_guard lock(mutex_);
                  add(fmt::format("{}: {}", number_of(span), event.name), event.attributes);
                  names.push_back(std::string(event.name));
                },
            .end_span =
                [this](const Telemetry::Span& span, const Telemetry::SpanEnd& end) {
                  const std::lock_guard lock(mutex_);
                  --open;
                  add(fmt::format("{} {}", number_of(span), end.failed ? "fails" : "ends"), end.attributes);
                },
            .record_duration =
                [this](const Telemetry::Measurement& measurement) {
                  const std::lock_guard lock(mutex_);
                  add(fmt::format("{} s", measurement.seconds), measurement.attributes);
                  names.push_back(std::string(measurement.name));
                }};
  }
  static std::string traceparent(int number) {
    return fmt::format("00-0af7651916cd43dd8448eb211c80319c-{:016x}-01", number);
  }

  std::vector<std::string> lines;
  std::vector<noun::WallTime> starts;
  /// Of attributes, events and metrics.
  std::vector<std::string> names;
  int spans = 0;
  int open = 0;

 private:
  static int number_of(const Telemetry::Span& span) { return *static_cast<const int*>(span.handle.get()); }
  void add(std::string line, std::span<const Telemetry::Attribute> attributes) {
    for (const auto& attribute : attributes) {
      names.emplace_back(attribute.name);
      if (attribute.name != "http.request.method" && attribute.name != "server.address" &&
          attribute.name != "server.port")
        line += ' ' + text_of(attribute);
    }
    lines.push_back(std::move(line));
  }

  std::mutex mutex_;
};

/// A bench whose clients are traced.
struct Traced : WholeScript {
  Tracer tracer;
  Telemetry telemetry = noun::telemetry(tracer.functions());

  noun::Client traced(noun::ClientOptions options = {}) {
    options.observer = telemetry;
    options.trace_context = telemetry.trace_context();
    return client(std::move(options));
  }
  /// The numbers of the spans in the traceparents that were sent; 0 for none.
  std::vector<int> sent_spans() const {
    std::vector<int> numbers;
    for (const auto& request : script->requests()) {
      const auto sent = request.headers.get("traceparent").value_or("");
      EXPECT_LE(request.headers.values("traceparent").size(), 1U);
      int number = 0;
      for (int span = 1; span <= tracer.spans; ++span)
        if (sent == Tracer::traceparent(span)) number = span;
      numbers.push_back(number);
    }
    return numbers;
  }
};

TEST(Telemetry, a_call_is_a_span_with_one_for_each_attempt) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(503, "", {{"Retry-After", "2"}}).after(80ms);
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german).after(20ms);
  EXPECT_TRUE(bench.traced().collection<Language>("languages")["deu"].get());
  const std::string name = "GET /v1/languages/{id}";
  const std::string path = "url.template=/v1/languages/{id}";
  const std::string url = "url.full=https://api.example.com/v1/languages/deu " + path;
  EXPECT_THAT(
      bench.tracer.lines,
      ElementsAre("1 starts: internal noun " + name + " " + path,  //
                  "2 starts in 1: client " + name + " " + url, "0.08 s http.response.status_code=503 error.type=503",
                  "2 fails http.response.status_code=503 error.type=503",
                  "1: noun.wait noun.wait.reason=retry_after noun.wait.duration=2",
                  "3 starts in 1: client " + name + " " + url + " http.request.resend_count=1",
                  "0.02 s http.response.status_code=200",  //
                  "3 ends http.response.status_code=200",  //
                  "1 ends noun.attempts=2"));
  EXPECT_THAT(bench.sent_spans(), ElementsAre(2, 3));
  EXPECT_EQ(bench.tracer.open, 0);
}

TEST(Telemetry, a_fault_has_the_name_of_its_error) {
  Traced bench;
  bench.script->expect(Method::post, "/v1/languages").fail(Errc::timeout, Sent::maybe);
  EXPECT_FALSE(bench.traced().collection<Language>("languages").create({}));
  EXPECT_THAT(bench.tracer.lines, AllOf(Contains("2 fails error.type=timeout"), Contains("0 s error.type=timeout"),
                                        Contains("1 fails noun.attempts=1 error.type=timeout")));
}

TEST(Telemetry, a_status_of_400_or_more_is_a_failure_and_a_redirect_is_none) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/x").reply(302, "", {{"Location", "/v1/y"}});
  bench.script->expect(Method::get, "/v1/y").reply(404);
  EXPECT_FALSE(bench.traced().singleton("x").get());
  EXPECT_THAT(bench.tracer.lines, AllOf(Contains("2 ends http.response.status_code=302"),
                                        Contains("3 fails http.response.status_code=404 error.type=404"),
                                        Contains("1 fails noun.attempts=2 error.type=not_found")));
}

TEST(Telemetry, a_call_that_sends_nothing_is_a_span_without_an_attempt) {
  Traced bench;
  const auto api = bench.traced();
  EXPECT_FALSE(api.singleton("x").get({.deadline = api.now().steady}));
  EXPECT_THAT(bench.tracer.lines, ElementsAre("1 starts: internal noun GET /v1/x url.template=/v1/x",
                                              "1 fails noun.attempts=0 error.type=deadline_exceeded"));
}

TEST(Telemetry, the_span_of_a_call_starts_before_its_credentials) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto began = bench.clock->now().wall;
  const auto api = bench.traced({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                                   bench.clock->advance(3s);
                                   return noun::Headers{{"Authorization", "Bearer s3cret"}};
                                 })});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_THAT(bench.tracer.starts, ElementsAre(began, began + 3s));
}

TEST(Telemetry, no_secret_is_in_it) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/things/s3cret-token/x")
      .reply(302, "", {{"Location", "/v1/y?token=s3cret-token"}});
  bench.script->expect(Method::get, "/v1/y").reply(200, "1");
  const auto api = bench.traced({.credentials = noun::bearer("s3cret-token"), .query = {{"key", "s3cret-query"}}});
  EXPECT_TRUE(api.collection("things").item("s3cret-token").singleton("x").get());
  EXPECT_THAT(bench.tracer.lines, Each(Not(HasSubstr("s3cret"))));
  EXPECT_THAT(bench.tracer.lines,
              AllOf(Contains("1: noun.redirect url.full=https://api.example.com/v1/y?token=***"),
                    Contains(HasSubstr("starts in 1: client GET url.full=https://api.example.com/v1/y?token=*** "
                                       "http.request.resend_count=1"))));
  // A name that the program gives at run time may be one, too.
  Traced named;
  named.script->expect(Method::get, "/v1/bots3cret-token").reply(200, "1");
  EXPECT_TRUE(
      named.traced({.credentials = noun::bearer("s3cret-token")}).singleton(noun::runtime("bots3cret-token")).get());
  EXPECT_THAT(named.tracer.lines, Each(Not(HasSubstr("s3cret"))));
  EXPECT_THAT(named.tracer.lines, Contains(HasSubstr("url.template=/v1/bot***")));
}

TEST(Telemetry, a_trace_context_goes_where_the_credentials_go) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "/v1/g"}});
  bench.script->expect(Method::get, "/v1/g").reply(302, "", {{"Location", "https://assets.example.net/f"}});
  bench.script->expect(Method::get, "/f").reply(200, "bytes");
  std::string got;
  EXPECT_TRUE(bench.traced().download({.path = "f"}, [&](std::string_view bytes) {
    got += bytes;
    return noun::Result<void>();
  }));
  EXPECT_EQ(got, "bytes");
  EXPECT_THAT(bench.sent_spans(), ElementsAre(2, 3, 0));
  EXPECT_THAT(bench.tracer.lines,
              Contains(HasSubstr("4 starts in 1: client GET url.full=https://assets.example.net/f")));
}

TEST(Telemetry, a_trace_context_that_is_not_valid_or_that_the_call_has_is_not_sent) {
  const std::string own = "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-00";
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(4);
  noun::TraceContext context{.traceparent = own, .tracestate = "a=1"};
  const auto api = bench.client({.trace_context = [&](const noun::Event& sent) {
    EXPECT_EQ(sent.kind, EventKind::sent);
    return context;
  }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(bench.last().headers.get("traceparent"), own);
  EXPECT_EQ(bench.last().headers.get("tracestate"), "a=1");
  context.tracestate = "a\r\nX: y";
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(bench.last().headers.get("traceparent"), own);
  EXPECT_FALSE(bench.last().headers.contains("tracestate"));
  EXPECT_TRUE(api.singleton("x").get({.headers = {{"Traceparent", "mine"}}}));
  EXPECT_THAT(bench.last().headers.values("traceparent"), ElementsAre("mine"));
  context.traceparent = "s3cret\r\nX: y";
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_FALSE(bench.last().headers.contains("traceparent"));
  EXPECT_FALSE(bench.last().headers.contains("tracestate"));
}

TEST(Telemetry, a_function_for_the_trace_context_that_throws_is_counted_and_the_attempt_is_made) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto api =
      bench.client({.trace_context = [](const noun::Event&) -> noun::TraceContext { throw std::runtime_error("no"); }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(api.observer_faults(), 1U);
}

TEST(Telemetry, calls_in_the_background_pages_streams_and_files_are_traced_too) {
  const noun_test::TemporaryFolder folder;
  folder.write("f", "12345");
  Traced bench;
  bench.script->expect(Method::get, "/v1/a").reply(200, "1");
  bench.script->expect(Method::get, "/v1/list").reply(200, "[1]", {{"Link", "</v1/list?page=2>; rel=\"next\""}});
  bench.script->expect(Method::get, "/v1/list").reply(200, "[2]");
  bench.script->expect(Method::get, "/v1/feed").reply(200, "data: 1\n\n", {{"Content-Type", "text/event-stream"}});
  bench.script->expect(Method::put, "/v1/f").with_body("12345").reply(200, "");
  bench.script->expect(Method::get, "/v1/download").reply(200, "x");
  const auto api = bench.traced();
  EXPECT_TRUE(noun::future(noun::op::get(api.singleton("a"))).get());
  int items = 0;
  for (const auto& item : api.collection<int>("list").list()) items += item.value();
  EXPECT_EQ(items, 3);
  for (const auto& event : api.stream<int>({.path = "feed"})) EXPECT_EQ(event->value, 1);
  EXPECT_TRUE(api.send({.method = Method::put, .path = "f", .body = noun::body::file(folder.path("f"))}));
  EXPECT_TRUE(api.download({.path = "download"}, folder.path("g")));
  EXPECT_THAT(bench.sent_spans(), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_EQ(bench.tracer.open, 0);
}

TEST(Telemetry, a_parent_is_given_with_a_copy_of_the_client) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto parent = bench.tracer.functions().start_span({.name = "job"});
  const auto api = bench.traced().with({.observer = bench.telemetry.below(parent)});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_THAT(bench.tracer.lines, Contains("2 starts in 1: internal noun GET /v1/x url.template=/v1/x"));
  EXPECT_THAT(bench.sent_spans(), ElementsAre(3));
}

TEST(Telemetry, another_observer_is_called_beside_it) {
  Traced bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  int seen = 0;
  const auto telemetry = bench.telemetry;
  const auto api = bench.client({.observer = [&, telemetry](const noun::Event& event) {
    telemetry(event);
    ++seen;
  }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(bench.tracer.spans, 2);
}

noun::Event event_of(std::uint64_t call, EventKind kind) {
  return {.kind = kind, .call = call, .attempt = 1, .url = "https://[::1]:8080/x"};
}

TEST(Telemetry, the_spans_of_calls_that_do_not_end_are_ended_when_there_are_too_many) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  for (std::uint64_t call = 1; call <= Telemetry::most_calls; ++call) telemetry(event_of(call, EventKind::sent));
  EXPECT_EQ(static_cast<std::size_t>(tracer.open), 2 * Telemetry::most_calls);
  tracer.lines.clear();
  telemetry(event_of(Telemetry::most_calls + 1, EventKind::sent));
  EXPECT_THAT(tracer.lines, AllOf(Contains("2 fails error.type=_OTHER"), Contains("1 fails error.type=_OTHER")));
  EXPECT_EQ(static_cast<std::size_t>(tracer.open), 2 * Telemetry::most_calls);
}

TEST(Telemetry, the_end_of_a_call_whose_span_was_ended_before_ends_no_other) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  const auto last = Telemetry::most_calls + 1;
  for (std::uint64_t call = 1; call <= last; ++call) telemetry(event_of(call, EventKind::sent));
  tracer.lines.clear();
  telemetry(event_of(1, EventKind::attempt_ended));
  telemetry(event_of(1, EventKind::ended));
  EXPECT_THAT(tracer.lines, Not(Contains(HasSubstr("fails"))));
  for (std::uint64_t call = 2; call <= last; ++call) telemetry(event_of(call, EventKind::ended));
  EXPECT_THAT(tracer.lines, Not(Contains(HasSubstr("fails"))));
  EXPECT_EQ(tracer.open, 0);
}

TEST(Telemetry, an_attempt_that_starts_when_there_are_too_many_calls_ends) {
  Tracer tracer;
  auto functions = tracer.functions();
  std::function<void()> at_attempt;
  functions.start_span = [&, start_span = functions.start_span](const Telemetry::SpanStart& start) {
    if (start.kind == Telemetry::SpanKind::client && at_attempt) std::exchange(at_attempt, nullptr)();
    return start_span(start);
  };
  const auto telemetry = noun::telemetry(std::move(functions));
  at_attempt = [&] {
    for (std::uint64_t call = 2; call <= Telemetry::most_calls + 1; ++call) telemetry(event_of(call, EventKind::sent));
  };
  telemetry(event_of(1, EventKind::sent));
  EXPECT_EQ(static_cast<std::size_t>(tracer.open), 2 * Telemetry::most_calls);
}

TEST(Telemetry, events_after_the_end_of_a_call_and_of_no_call_start_nothing) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  for (const auto kind : {EventKind::page_delivered, EventKind::polling, EventKind::notice, EventKind::progress,
                          EventKind::retrying, EventKind::redirected})
    telemetry(event_of(7, kind));
  telemetry(event_of(0, EventKind::notice));
  telemetry(event_of(0, EventKind::sent));
  EXPECT_THAT(tracer.lines, IsEmpty());
}

TEST(Telemetry, an_attempt_that_is_abandoned_ends_with_its_call) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  telemetry(event_of(1, EventKind::sent));
  auto ended = event_of(1, EventKind::ended);
  ended.error = Errc::resource;
  telemetry(ended);
  EXPECT_THAT(tracer.lines,
              AllOf(Contains("2 fails error.type=resource"), Contains("1 fails noun.attempts=1 error.type=resource")));
  EXPECT_EQ(tracer.open, 0);
}

TEST(Telemetry, a_method_that_the_conventions_do_not_know_is_other) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  auto sent = event_of(1, EventKind::sent);
  sent.method = Method::query;
  sent.route = "/x";
  telemetry(sent);
  EXPECT_THAT(tracer.lines, Contains("2 starts in 1: client HTTP /x url.full=https://[::1]:8080/x url.template=/x "
                                     "http.request.method_original=QUERY"));
}

TEST(Telemetry, functions_may_be_missing) {
  for (const auto kind : {EventKind::sent, EventKind::holding, EventKind::attempt_ended, EventKind::ended}) {
    noun::telemetry({})(event_of(1, kind));
    noun::telemetry({.start_span = [](const auto&) { return Telemetry::Span{}; }})(event_of(1, kind));
  }
  std::string server;
  const auto telemetry = noun::telemetry({.record_duration = [&](const Telemetry::Measurement& measurement) {
    for (const auto& attribute : measurement.attributes) server += text_of(attribute) + ' ';
  }});
  auto ended = event_of(1, EventKind::attempt_ended);
  ended.status = 200;
  telemetry(ended);
  EXPECT_EQ(server, "http.request.method=GET server.address=::1 server.port=8080 http.response.status_code=200 ");
}

/// The conventions' names with their stability.
std::map<std::string, std::string> conventions() {
  std::map<std::string, std::string> stability;
  std::ifstream file(std::string(noun_test::data_dir) + "/http_conventions.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, type, state;
    if (!line.starts_with('#') && words >> name >> type >> state) stability[name] = state;
  }
  return stability;
}

TEST(Telemetry, its_names_are_those_of_the_conventions_and_of_its_page) {
  const auto known = conventions();
  EXPECT_THAT(known, SizeIs(10));
  std::ifstream file(std::string(noun_test::source_dir) + "/include/noun/telemetry.hpp");
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [name, stability] : known) {
    EXPECT_THAT(header, HasSubstr("`" + name + "`"));
    EXPECT_EQ(stability, name == "url.template" ? "development" : "stable") << name;
  }

  Traced bench;
  bench.script->expect(Method::get, "/v1/x").reply(302, "", {{"Location", "/v1/y"}});
  bench.script->expect(Method::get, "/v1/y").reply(503);
  bench.script->expect(Method::get, "/v1/y").reply(404, "", {{"Deprecation", "@1"}});
  EXPECT_FALSE(bench.traced({.cache = noun::memory_cache()}).singleton("x").get());
  auto other = event_of(1, EventKind::sent);
  other.method = Method::query;
  bench.telemetry(other);
  bench.telemetry(event_of(1, EventKind::cached));
  std::set<std::string> used(bench.tracer.names.begin(), bench.tracer.names.end());
  for (const auto& name : used) {
    EXPECT_TRUE(known.contains(name) || name.starts_with("noun.")) << name;
    EXPECT_THAT(header, HasSubstr("`" + name + "`"));
  }
  EXPECT_THAT(used, SizeIs(known.size() + 9)) << "each of the page";
}

TEST(Telemetry, many_threads_may_share_it) {
  Tracer tracer;
  const auto telemetry = noun::telemetry(tracer.functions());
  constexpr std::uint64_t calls = 500;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (auto call = thread * calls + 1; call <= (thread + 1) * calls; ++call)
        for (const auto kind : {EventKind::sent, EventKind::attempt_ended, EventKind::ended})
          telemetry(event_of(call, kind));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tracer.open, 0);
  EXPECT_EQ(static_cast<std::uint64_t>(tracer.spans), 2 * 4 * calls);
}

}}  // namespace resource_test::telemetry_test
