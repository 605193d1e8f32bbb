#include <noun/detail/stream_source.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/stop.hpp>
#include <noun/stream.hpp>

#include "call/report.hpp"
#include "decision/event_feed.hpp"
#include "loop/call_loop.hpp"
#include "os/process_exit.hpp"
#include "resource/client_core.hpp"
#include "resource/event_queue.hpp"
#include "resource/option_rules.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

StreamEnd end_of(const StreamOptions& options, const StreamRules& rules) noexcept {
  if (options.ends) return *options.ends;
  if (!rules.end_marker.empty() || !rules.end_events.empty()) return StreamEnd::at_marker;
  return options.reconnect ? StreamEnd::never : StreamEnd::at_close;
}

CallOptions call_options(const StreamOptions& options) {
  return {.query = options.query,
          .headers = options.headers,
          .priority = options.priority,
          .stall_timeout = options.stall_timeout,
          .deadline = options.deadline,
          .stop = options.stop,
          .retry = options.retry};
}

/// The attempt ends, because nothing more of its body is needed.
Error enough() { return Error(Errc::cancelled, "the stream has ended", Sent::answered); }

}  // namespace

/// The call of a stream, on a worker of its client. Owned by the source and by the worker's task, which does not keep the
/// client alive: the client's end waits for it.
/// @threadsafety  safe; the events are taken by one thread at a time.
class [[gnu::visibility("hidden")]] StreamSource::Driver final : public std::enable_shared_from_this<Driver>,
                                                                 private BodySink {
 public:
  Driver(const Address& base, Request request, StreamOptions options);

  Next next();
  bool start_next(const StopToken& stop, std::function<void()> then);
  void cancel_next() noexcept { queue_.cancel_take(); }
  Next take() { return taken(queue_.take_now()); }
  void finish() noexcept;
  void close() noexcept;
  /// After close(); releases the client.
  void release_client() noexcept { address_.reset(); }

  const Address& address() const noexcept { return *address_; }
  const StreamOptions& options() const noexcept { return options_; }
  ClientCore& core() const noexcept { return core_; }
  const std::string& last_event_id() const noexcept { return last_event_id_; }
  std::shared_ptr<const Response> response() const {
    const std::lock_guard lock(mutex_);
    return response_;
  }
  Error error_for(const Failure& failure) const;

  std::atomic<bool> claimed = false;

 private:
  const StreamRules& rules() const noexcept { return options_.rules ? *options_.rules : core().call_context.dialect.stream; }
  Result<CallRequest> build();
  void start();
  void post();
  void run() noexcept;
  Result<void> receive();
  void stop() noexcept;
  Next taken(Next next);
  Error failure() const;

  Result<bool> begin(const Response& head) override;
  /// Waits while enough events wait for the program: then nothing is read from the connection.
  Result<void> write(std::string_view bytes) override;

  ClientCore& core_;
  StreamOptions options_;
  StopSource stop_;
  /// Whether the worker's task has not started.
  std::atomic<bool> is_posted_ = false;
  /// Used by the worker.
  std::optional<CallRequest> request_;
  std::optional<EventFeed> feed_;
  Call* call_ = nullptr;
  std::vector<RawEvent> received_;
  /// Used by who takes the events. The address keeps the client alive.
  std::optional<Address> address_;
  VerbRequest verb_;
  bool started_ = false;
  std::string last_event_id_;
  std::optional<StopCallback<std::function<void()>>> on_stop_;

  EventQueue queue_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Response> response_;
  /// Those that events may repeat.
  std::vector<std::string> secrets_;
};

StreamSource::Driver::Driver(const Address& base, Request request, StreamOptions options)
    : core_(*AddressAccess::core_of(base)),
      options_(std::move(options)),
      address_(base),
      last_event_id_(options_.last_event_id) {
  std::tie(*address_, verb_) = at_path(base, std::move(request), call_options(options_));
}

/// What the call sends, or what is wrong with the options.
Result<CallRequest> StreamSource::Driver::build() {
  auto built = build_request(core(), *address_, verb_, true);
  if (!built) return built;
  const auto fault = [&](std::string_view what, std::string_view advice) { return invalid(core(), *built, what, advice); };
  if (built->method == Method::head) return fault("a HEAD has no body to read", "use Method::get");
  if (built->headers.contains("Accept-Encoding"))
    return fault("the header Accept-Encoding is reserved in a stream", "leave it out");
  if (options_.reconnect && built->method != Method::get && built->method != Method::query)
    return fault(fmt::format("a {} is not sent again", to_string(built->method)),
                 "leave out StreamOptions::reconnect, or use a GET or QUERY");
  if (const auto wrong = fault_of_options(options_, rules())) return fault(wrong->what, wrong->advice);
  if (!verb_.options.headers.contains("Accept") && !core().options.headers.contains("Accept"))
    built->headers.erase("Accept");
  built->attempt_timeout = Duration::max();
  built->sink = this;
  return built;
}

StreamSource::Next StreamSource::Driver::next() {
  if (on_a_loop_thread()) return refusal_to_wait();
  start();
  return taken(queue_.take());
}

bool StreamSource::Driver::start_next(const StopToken& stop, std::function<void()> then) {
  start();
  return queue_.start_take(stop, std::move(then));
}

StreamSource::Next StreamSource::Driver::taken(Next next) try {
  if (next && *next) last_event_id_ = (*next)->id;
  return next;
} catch (const std::bad_alloc&) {
  // The id stays that of the last event that the program has, so that another stream can continue after it.
  finish();
  return out_of_memory(Sent::answered);
}

void StreamSource::Driver::finish() noexcept {
  close();
  queue_.finish();
}

void StreamSource::Driver::close() noexcept {
  on_stop_.reset();
  stop();
}

/// Ends the call. If it still waits for a worker, here.
void StreamSource::Driver::stop() noexcept {
  stop_.request_stop();
  queue_.stop();
  if (!is_posted_.exchange(false)) return;
  try {
    queue_.end(refusal(Errc::cancelled, "cancelled by the caller", ""));
  } catch (const std::bad_alloc&) {
    queue_.end(out_of_memory(Sent::no));
  }
}

/// Starts the call, once.
void StreamSource::Driver::start() {
  if (std::exchange(started_, true)) return;
  try {
    // The time in which it waits for a worker counts.
    verb_.options.deadline = verb_.options.deadline.from(core().driver_context.clock->now().steady);
    auto request = build();
    if (!request) return queue_.end(std::move(request).error());
    request_ = *std::move(request);
    post();
  } catch (const std::bad_alloc&) {
    queue_.end(out_of_memory(Sent::no));
  } catch (const std::exception& exception) {
    queue_.end(Error(Errc::resource, fmt::format("the stream could not be started: {}", exception.what()),
                     "raise the limits of the process's threads and open files"));
  }
}

void StreamSource::Driver::post() {
  is_posted_ = true;
  if (options_.stop.stop_possible()) on_stop_.emplace(options_.stop, [this] { stop(); });
  core().driver().post_long([self = shared_from_this()] { self->run(); });
}

void StreamSource::Driver::run() noexcept {
  if (!is_posted_.exchange(false)) return;
  std::optional<Error> error;
  try {
    // Also while enough events wait for the program.
    const AttemptAtExit at_exit;
    const auto end = [this] { stop(); };
    const StopCallback<decltype(end)&> on_exit(at_exit.stop(), end);
    try {
      if (auto received = receive(); !received) error = std::move(received).error();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& exception) {
      error = Error(Errc::cancelled, fmt::format("StreamOptions::resume_with threw an exception: {}", exception.what()),
                    "fix StreamOptions::resume_with", Sent::answered);
    }
  } catch (...) {
    error = out_of_memory(Sent::maybe);
  }
  queue_.end(std::move(error));
}

/// Makes the call, over all its connections.
Result<void> StreamSource::Driver::receive() {
  feed_.emplace(EventFeed::Settings{.rules = rules(),
                                    .ends = end_of(options_, rules()),
                                    .format = options_.format,
                                    .reconnects = options_.reconnect,
                                    .last_event_id = options_.last_event_id,
                                    .resume_with = options_.resume_with,
                                    .on_last =
                                        [this](std::string_view item, std::uint64_t number) {
                                          // Within a decision of the call, which must not wait.
                                          received_.push_back({.data = std::string(item), .number = number});
                                          queue_.put(received_, false);
                                        },
                                    .max_event = core().call_context.limits.body});
  request_->continuation = &*feed_;
  auto call = core().call(*request_);
  call_ = &call;
  auto done = core().run(call, stop_.get_token());
  if (auto error = call.error_of(done)) return *std::move(error);
  return {};
}

Result<bool> StreamSource::Driver::begin(const Response& head) {
  const bool is_stream = feed_->on_head(head);
  if (is_stream) {
    call_->on_stream(core().driver_context.clock->now(), head);
    core().driver_context.wake(*call_->gate());
  }
  auto kept = std::make_shared<const Response>(head);
  auto secrets = call_->sent_secrets();
  {
    const std::lock_guard lock(mutex_);
    response_ = std::move(kept);
    secrets_ = std::move(secrets);
  }
  if (feed_->failure()) return failure();
  return is_stream;
}

Error StreamSource::Driver::failure() const {
  const auto& fault = *feed_->failure();
  return Error(fault.code, fault.what, fault.advice, Sent::answered);
}

/// An error of an event, which was received.
Error StreamSource::Driver::error_for(const Failure& failure) const {
  const auto secrets = [&] {
    const std::lock_guard lock(mutex_);
    return secrets_;
  }();
  CallHistory history;
  history.sent = Sent::answered;
  history.attempts = 1;
  const auto& context = core().call_context;
  return report({.method = request_->method,
                 .url = request_->url,
                 .secrets = {request_->headers, *context.known_secrets, secrets},
                 .fields = request_->headers,
                 .has_body = request_->has_body,
                 .body_file = request_->body_file,
                 .idempotency_key = request_->idempotency_key},
                history, context.dialect, failure);
}

Result<void> StreamSource::Driver::write(std::string_view bytes) {
  if (auto may = core().may_continue(stop_.get_token(), request_->deadline); !may) return may;
  feed_->on_bytes(bytes.size());
  std::size_t size = 0;
  while (auto next = feed_->take(bytes)) {
    const auto& [data, event, id, is_truncated] = next->event;
    received_.push_back({std::string(data), std::string(event), std::string(id), next->number});
    size += EventQueue::size_of(received_.back());
    if (size < EventQueue::most_at_once) continue;
    queue_.put(received_);
    size = 0;
    if (auto may = core().may_continue(stop_.get_token(), request_->deadline); !may) return may;
  }
  queue_.put(received_);
  if (feed_->failure()) return failure();
  if (feed_->has_ended()) return enough();
  return {};
}

StreamSource::StreamSource(const Address& base, Request request, StreamOptions options)
    : driver_(std::make_shared<Driver>(base, std::move(request), std::move(options))) {}

StreamSource::~StreamSource() {
  driver_->close();
  driver_->release_client();
}

Error StreamSource::busy() {
  return refusal(Errc::invalid_argument, "another thread or operation uses this stream",
                 "use it on one thread at a time, and not while an op::next_event() runs");
}

bool StreamSource::claim() noexcept { return !driver_->claimed.exchange(true); }
void StreamSource::release() noexcept { driver_->claimed = false; }
StreamSource::Next StreamSource::next() { return driver_->next(); }
bool StreamSource::start_next(const StopToken& stop, std::function<void()> then) {
  return driver_->start_next(stop, std::move(then));
}
void StreamSource::cancel_next() noexcept { driver_->cancel_next(); }
StreamSource::Next StreamSource::take() { return driver_->take(); }
void StreamSource::end() noexcept { driver_->finish(); }
const Address& StreamSource::address() const noexcept { return driver_->address(); }
const std::string& StreamSource::last_event_id() const noexcept { return driver_->last_event_id(); }
std::shared_ptr<const Response> StreamSource::response() const { return driver_->response(); }
BadItems StreamSource::bad_items() const noexcept { return driver_->options().bad_items; }
const Limits& StreamSource::limits() const noexcept { return driver_->core().call_context.limits; }

Error StreamSource::item_error(const RawEvent& event, DecodeFault fault) const try {
  return driver_->error_for({.code = fault.code,
                             .what = fmt::format("event {} of the stream: {}", event.number, fault.what),
                             .text = fault.text,
                             .advice = std::move(fault.advice)});
} catch (const std::bad_alloc&) {
  return out_of_memory(Sent::answered);
}

}}}  // namespace noun::detail
