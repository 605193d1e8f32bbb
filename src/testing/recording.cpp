#include <noun/testing/recording.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "testing/har.hpp"
#include "testing/har_match.hpp"
#include "testing/local_bodies.hpp"
#include "testing/recording_transport.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

void check_origin(std::string_view text) {
  if (wire::origin_of(text) && wire::written_origin(text) == text) return;
  detail::throw_exception(Error(Errc::invalid_argument,
                                fmt::format("{} in ReplayOptions::moved is not an origin", wire::quoted_path(text)),
                                "write the scheme, the host and the port only: https://api.example.com"));
}

/// What replay() serves of the file.
std::vector<HarExchange> exchanges_of(const std::string& path, const std::vector<MovedOrigin>& origins) {
  for (const auto& [from, to] : origins) {
    check_origin(from);
    check_origin(to);
  }
  auto exchanges = read_har(path).value();
  for (const auto& [from, to] : origins) exchanges = moved(std::move(exchanges), from, to);
  return exchanges;
}

HarHeaders headers_to_match(const TextList& more) {
  auto headers = conditional_headers();
  for (const auto& name : more) headers->emplace_back(name);
  return headers;
}

Duration duration_of(const HarExchange& exchange) {
  auto duration = exchange.latency;
  for (const auto& piece : exchange.pieces) duration += piece.after;
  return duration;
}

Error body_is_missing(const HarExchange& exchange, std::string_view name) {
  return Error(Errc::refused,
               fmt::format("the recording {} has no body of the response in log.entries[{}]", wire::quoted_path(name),
                           exchange.entry),
               "record it again, or export it with contents", Sent::no);
}

/// The recorded head for a sink, which takes no coded body: the recorded one is decoded.
Headers headers_for(const Attempt& attempt, Headers headers) {
  if (attempt.sink != nullptr && headers.erase("Content-Encoding") > 0) headers.erase("Content-Length");
  return headers;
}

}  // namespace

std::shared_ptr<Transport> record(std::shared_ptr<Transport> transport, const std::string& path,
                                  RecordOptions options) {
  if (!transport) transport = libcurl_transport({}).value();
  auto recorder = std::make_shared<Recorder>(path, std::move(options));
  if (const auto fault = recorder->file.fault())
    detail::throw_exception(Error(Errc::invalid_argument, fault->what(), fault->advice()));
  return std::make_shared<RecordingTransport>(std::move(transport), std::move(recorder));
}

/// The exchanges, and how far the clock is from their times.
struct Replay::Tape {
  Tape(std::vector<HarExchange> exchanges, HarHeaders headers, std::string path)
      : name(std::move(path)),
        start(exchanges.empty() ? WallTime() : exchanges.front().started),
        matcher(std::move(exchanges), std::move(headers), name) {}

  /// The time until the head of an exchange that is requested at `elapsed`.
  Duration latency(const HarExchange& exchange, Duration elapsed) {
    const auto begins = exchange.started - start;
    // It did not overlap with those before.
    if (begins >= ends) shift = elapsed - begins;
    ends = std::max(ends, begins + duration_of(exchange));
    return std::max(begins + exchange.latency + shift - elapsed, Duration::zero());
  }

  const std::string name;
  const WallTime start;
  std::mutex mutex;
  HarMatcher matcher;
  std::vector<SentRequest> requests;
  Instant clock_start;
  Duration ends = Duration::zero();   // of what was served, in the time of the recording
  Duration shift = Duration::zero();  // how much later the clock is
};

Replay::Replay(const std::string& path, ReplayOptions options)
    : tape_(std::make_unique<Tape>(exchanges_of(path, options.moved), headers_to_match(options.headers), path)) {
  clock_ = std::make_shared<ManualClock>(tape_->start);
  tape_->clock_start = clock_->now().steady;
}

Replay::~Replay() = default;

Result<Response> Replay::send(const Attempt& attempt, const StopToken& stop) {
  if (stop.stop_requested()) return stopped_attempt(Sent::no);
  // Before the lock: a source may call the observer, which may look at the requests.
  auto body = sent_body(attempt);
  if (!body) return std::move(body).error();
  std::unique_lock lock(tape_->mutex);
  tape_->requests.push_back(sent_request(attempt, *std::move(body)));
  const auto found = tape_->matcher.take(tape_->requests.back());
  if (!found) return found.error();
  const auto& exchange = **found;
  const auto latency = tape_->latency(exchange, clock_->now().steady - tape_->clock_start);
  // A sink may wait for a program that looks at the requests.
  lock.unlock();
  if (exchange.lacks_body) return body_is_missing(exchange, tape_->name);
  auto reply = Expectation(attempt.method, {});
  reply.response_ = exchange.response;
  reply.response_.headers = headers_for(attempt, exchange.response.headers);
  reply.after(latency);
  for (const auto& [bytes, after] : exchange.pieces) reply.chunk(bytes, after);
  if (exchange.failure) reply.fail(*exchange.failure);
  // So that the failure comes after the head.
  if (exchange.failure && exchange.response.status != 0) reply.chunk("");
  return reply.play(attempt, clock_.get(), stop);
}

std::vector<SentRequest> Replay::requests() const {
  const std::lock_guard lock(tape_->mutex);
  return tape_->requests;
}

std::string Replay::complaint() const {
  const std::lock_guard lock(tape_->mutex);
  return tape_->matcher.complaint();
}

std::shared_ptr<Replay> replay(const std::string& path, ReplayOptions options) {
  return std::make_shared<Replay>(path, std::move(options));
}

}}}  // namespace noun::testing
