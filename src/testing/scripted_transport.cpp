#include <noun/testing/scripted_transport.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "os/stoppable_condition.hpp"
#include "testing/har_redaction.hpp"
#include "testing/local_bodies.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

/// The path and query of a URL as sent: an empty path becomes a slash.
std::string target_of(std::string_view url) {
  const auto parts = wire::split_url(url);
  const auto target = url.substr(static_cast<std::size_t>(parts.path.data() - url.data()));
  return parts.path.empty() ? fmt::format("/{}", target) : std::string(target);
}

}  // namespace

Expectation::Expectation(Method method, std::string target) : method_(method), target_(std::move(target)) {
  response_.status = 200;
}

Expectation& Expectation::with_header(Text name, Text value) {
  headers_.add(name, value.view());
  return *this;
}

Expectation& Expectation::with_body(Text body) {
  body_ = body.str();
  return *this;
}

Expectation& Expectation::reply(int status, Text body, Headers headers) {
  response_ = {.status = status, .headers = std::move(headers), .body = body.str()};
  error_.reset();
  return *this;
}

Expectation& Expectation::chunk(Text bytes, Duration after) {
  chunks_.push_back({bytes.str(), after});
  return *this;
}

Expectation& Expectation::stay_open() noexcept {
  stays_open_ = true;
  return *this;
}

Expectation& Expectation::fail(Errc code, Sent sent, Text message) { return fail(Error(code, message, sent)); }

Expectation& Expectation::fail(Error error) {
  error_ = std::move(error);
  return *this;
}

Expectation& Expectation::cut(std::size_t bytes) noexcept {
  cut_ = bytes;
  return *this;
}

Expectation& Expectation::after(Duration latency) noexcept {
  latency_ = latency;
  return *this;
}

Expectation& Expectation::times(std::size_t count) noexcept {
  times_ = std::max<std::size_t>(count, 1);
  return *this;
}

std::string Expectation::mismatch(const SentRequest& request) const {
  auto target = target_of(request.url);
  if (target_.find('?') == std::string::npos) target.resize(std::min(target.find('?'), target.size()));
  if (request.method != method_ || target != target_)
    return fmt::format("{} {} was sent, but {} {} was expected", to_string(request.method), target_of(request.url),
                       to_string(method_), target_);
  for (const auto& [name, value] : headers_)
    if (request.headers.get(name) != std::optional<std::string_view>(value))
      return fmt::format("{} {} was sent without the expected header {}", to_string(method_), target_, name);
  if (body_ && *body_ != request.body)
    return fmt::format("{} {} was sent with the body {}, but {} was expected", to_string(method_), target_,
                       request.body, *body_);
  return {};
}

/// The response, or how the attempt fails.
Result<Response> Expectation::play(const Attempt& attempt, ManualClock* clock, const StopToken& stop) const {
  auto left = attempt.timeout;
  const auto passes = [&](Duration span, Duration limit) {
    const auto passed = std::min({span, limit, left});
    if (clock != nullptr) clock->advance(passed);
    left -= passed;
    return passed == span;
  };
  if (!passes(latency_, Duration::max()))
    return Error(Errc::timeout, "no response within the attempt's time limit", Sent::maybe);
  if (error_ && chunks_.empty()) return *error_;
  auto head = response_;
  const Chunk first{std::exchange(head.body, {}), Duration::zero()};
  Delivery delivery(attempt, std::move(head));
  if (auto started = delivery.begin(); !started) return std::move(started).error();
  auto uncut = cut_.value_or(std::string::npos);
  const auto write = [&](const Chunk& chunk) -> Result<void> {
    if (!passes(chunk.after, attempt.timeouts.stall))
      return Error(Errc::timeout, "no further chunk within the time limits", Sent::answered);
    if (stop.stop_requested()) return stopped_attempt(Sent::answered);
    const auto bytes = std::string_view(chunk.bytes).substr(0, uncut);
    if (auto written = delivery.write(bytes); !written) return written;
    uncut -= bytes.size();
    if (uncut == 0) return Error(Errc::truncated, "the response is incomplete", Sent::answered);
    return {};
  };
  auto written = write(first);
  for (auto chunk = chunks_.begin(); written && chunk != chunks_.end(); ++chunk) written = write(*chunk);
  if (written && error_) written = *error_;
  if (written && stays_open_) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    StoppableCondition().wait_until(lock, stop, Instant::max(), [] { return false; });
    written = stopped_attempt(Sent::answered);
  }
  if (!written) return std::move(delivery).broken(written.error());
  return std::move(delivery).whole();
}

ScriptedTransport::ScriptedTransport(std::shared_ptr<ManualClock> clock) : clock_(std::move(clock)) {}
ScriptedTransport::~ScriptedTransport() = default;

Expectation& ScriptedTransport::expect(Method method, Text target) {
  const std::lock_guard lock(mutex_);
  return script_.emplace_back(method, target.str());
}

Result<Response> ScriptedTransport::send(const Attempt& attempt, const StopToken& stop) {
  if (stop.stop_requested()) return stopped_attempt(Sent::no);
  // Before the lock: a source may call the observer, which may look at the script.
  auto body = sent_body(attempt);
  if (!body) return std::move(body).error();
  std::unique_lock lock(mutex_);
  const auto& request = requests_.emplace_back(sent_request(attempt, *std::move(body)));
  auto complaint = next_ == script_.size() ? fmt::format("{} {} was sent after the end of the script",
                                                         to_string(request.method), target_of(request.url))
                                           : script_[next_].mismatch(request);
  if (!complaint.empty()) {
    if (complaint_.empty())
      complaint_ = attempt.secrets == nullptr ? complaint : without_known(complaint, *attempt.secrets);
    return Error(Errc::refused, "not in the script: " + complaint, Sent::no);
  }
  const auto& line = script_[next_];
  if (++played_ == line.times_) {
    ++next_;
    played_ = 0;
  }
  // A sink may wait for a program that looks at the script.
  lock.unlock();
  return line.play(attempt, clock_.get(), stop);
}

std::vector<SentRequest> ScriptedTransport::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string ScriptedTransport::complaint() const {
  const std::lock_guard lock(mutex_);
  if (!complaint_.empty() || next_ == script_.size()) return complaint_;
  return fmt::format("{} {} was not sent", to_string(script_[next_].method_), script_[next_].target_);
}

}}}  // namespace noun::testing
