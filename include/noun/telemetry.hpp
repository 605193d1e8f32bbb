#pragma once
/// @file
/// Traces and metrics of calls, by OpenTelemetry's semantic conventions for HTTP clients. noun decides what is a span; four
/// functions of the program pass it to a tracer and a meter, such as those of opentelemetry-cpp.
///
///     const auto telemetry = noun::telemetry({.end_span = [](const noun::Telemetry::Span&,
///                                                            const noun::Telemetry::SpanEnd& end) {
///       if (end.failed) fmt::print(stderr, "a request failed\n");
///     }});
///     noun::Client api{"https://api.example.com", {.observer = telemetry, .trace_context = telemetry.trace_context()}};
///
/// A call is a span of the kind `internal`, and each attempt is a span of the kind `client` in it: a retry, the target of
/// a redirect, the next part of a download. Waits, redirects, stored responses and notices are events of the call's span.
/// An attempt's span ends when its body was read. The call's span ends before the body is decoded: an error of decoding
/// is not in it.
///
/// | name | of | value |
/// |---|---|---|
/// | `http.request.method` | spans, metric | the method; `_OTHER` for QUERY |
/// | `http.request.method_original` | attempts | `QUERY`, if that is the method |
/// | `http.request.resend_count` | attempts after the first | 1 for the second attempt |
/// | `http.response.status_code` | attempts, metric | if there was a response |
/// | `error.type` | spans and metric, if they failed | the status, 400 or more, or the name of the Errc; of calls the Errc |
/// | `server.address`, `server.port` | spans, metric | of the URL |
/// | `url.full` | attempts, `noun.redirect` | Event::url, without secrets |
/// | `url.template` | spans | Event::route, if it is known |
/// | `noun.attempts` | calls | their number |
/// | `noun.wait` | events of calls | with `noun.wait.reason`, the name of the WaitReason, and `noun.wait.duration`, in seconds |
/// | `noun.redirect`, `noun.cache`, `noun.notice` | events of calls | with `url.full`, `noun.cache.status`, `noun.notice.text` |
/// | `http.client.request.duration` | the metric | the seconds of an attempt; a histogram |
///
/// @source https://opentelemetry.io/docs/specs/semconv/http/ and its registry. `url.template` is in development there;
///         the names with `noun.` are noun's own, and all others are stable.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include <noun/event.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// An observer that makes spans and measurements of a client's events. A copy shares the spans in progress.
/// @threadsafety  safe.
class NOUN_API Telemetry {
 public:
  /// A name and a value. The views are valid during the call of the function that receives them.
  struct Attribute {
    std::string_view name;                                       ///< as in the table above
    std::variant<std::string_view, std::int64_t, double> value;  ///< of one type for each name
  };
  /// What a span is about.
  enum class SpanKind {
    internal,  ///< a call of noun
    client,    ///< a request to a server
  };
  /// A span in progress, as the program knows it.
  struct Span {
    /// The program's own object; noun keeps it until the span has ended. May be null.
    std::shared_ptr<void> handle = {};
    /// Of the span, for ClientOptions::trace_context; empty to send none.
    TraceContext context = {};
  };
  /// How a span starts.
  struct SpanStart {
    /// `GET /v1/repos/{id}`, or the method alone; of a call with `noun ` before it.
    std::string_view name;
    SpanKind kind = SpanKind::client;  ///< call or attempt
    /// The call's span, of an attempt; the span of below(), of a call. Null for the one that is current for the tracer.
    const Span* parent = nullptr;
    WallTime at = {};                            ///< by the client's clock
    std::span<const Attribute> attributes = {};  ///< those known at the start, for samplers
  };
  /// Something that happened during a span.
  struct SpanEvent {
    std::string_view name;                       ///< as in the table above
    WallTime at = {};                            ///< by the client's clock
    std::span<const Attribute> attributes = {};  ///< may be empty
  };
  /// How a span ends.
  struct SpanEnd {
    WallTime at = {};                            ///< by the client's clock
    bool failed = false;                         ///< whether the status of the span is Error; otherwise it is unset
    std::span<const Attribute> attributes = {};  ///< in addition to those of its start
  };
  /// One value of a histogram.
  struct Measurement {
    std::string_view name;                       ///< `http.client.request.duration`
    double seconds = 0;                          ///< not negative
    std::span<const Attribute> attributes = {};  ///< by which to aggregate it
  };
  /// The program's tracer and meter. Each function may be empty. They are called as the observer is, by many threads at
  /// once, for each span in order; an exception is handled as one of the observer.
  struct Functions {
    std::function<Span(const SpanStart& start)> start_span = {};                   ///< starts a span
    std::function<void(const Span& span, const SpanEvent& event)> add_event = {};  ///< of a span in progress
    std::function<void(const Span& span, const SpanEnd& end)> end_span = {};       ///< once for each span
    std::function<void(const Measurement& measurement)> record_duration = {};      ///< once for each attempt
  };

  /// The upper bounds, in seconds, of the histogram's buckets that the conventions advise.
  static constexpr std::array<double, 14> duration_bounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                                             0.5,   0.75, 1,     2.5,  5,     7.5, 10};
  /// The calls whose spans are in progress at once, at most. If there are more, the span of the oldest ends, as failed.
  static constexpr std::size_t most_calls = 65'536;

  /// As telemetry().
  explicit Telemetry(Functions functions);

  /// Takes an event, as ClientOptions::observer. To observe in two ways, call it from a function of your own:
  /// `[=](const noun::Event& event) { telemetry(event); log(event); }`.
  void operator()(const Event& event) const;
  /// The same, with a parent for the spans of calls: for Client::with(), since calls in the background are observed on
  /// another thread than the one whose span is current.
  Telemetry below(Span parent) const;
  /// The function for ClientOptions::trace_context of the same client: Span::context of the attempt's span.
  std::function<TraceContext(const Event& sent)> trace_context() const;

 private:
  struct State;

  std::shared_ptr<State> state_;
  /// Null for none.
  std::shared_ptr<const Span> parent_;
};

/// Makes an observer of spans and measurements: `{.observer = noun::telemetry(functions)}`.
/// @param functions  must be usable as long as the clients that it observes.
/// @threadsafety     safe; the observer too. It locks for the time of a look-up, and calls no function of the program
///                   meanwhile.
NOUN_API Telemetry telemetry(Telemetry::Functions functions);

}}  // namespace noun
