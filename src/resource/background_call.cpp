#include "resource/background_call.hpp"

#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <noun/detail/event_operation.hpp>
#include <noun/detail/page_operation.hpp>
#include <noun/download.hpp>

#include "loop/call_loop.hpp"
#include "resource/download_request.hpp"
#include "resource/request_builder.hpp"
#include "resource/until_ready.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Why something cannot be started in the background: the exception that is being handled.
/// @param subject  what cannot.
Failure failure_of_exception(std::string_view subject) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    // The failure without a text.
  } catch (const std::exception& exception) {
    try {
      const auto* system = dynamic_cast<const std::system_error*>(&exception);
      if (system != nullptr && system->code() == std::errc::operation_canceled)
        return {.code = Errc::cancelled, .stopped_because = StopReason::cancelled, .what = "the process ends"};
      return {.code = Errc::resource,
              .what = fmt::format("{} could not be started in the background: {}", subject, exception.what()),
              .advice = "raise the limits of the process's threads and open files, or run fewer calls at once"};
    } catch (...) {
    }
  } catch (...) {
  }
  return {.code = Errc::resource};
}

Failure failure_of_next() noexcept { return failure_of_exception("the next request"); }

}  // namespace

BackgroundCall::BackgroundCall(const ErasedOperation& operation)
    : target_(operation.target),
      reader_(operation.reader),
      core_(*AddressAccess::core_of(operation.request.address)) {}

void BackgroundCall::begin(const OperationRequest& request) noexcept try {
  if (const auto* work = std::get_if<std::shared_ptr<Work>>(&request.work))
    (*work)->start(*work, *this, request.address);
  else
    start(request.address, std::get<VerbRequest>(request.work));
} catch (...) {
  end_with_exception();
}

/// Ends what has sent nothing because of the exception that is being handled.
void BackgroundCall::end_with_exception() noexcept {
  Result<void> result = out_of_memory(Sent::maybe);
  try {
    const auto failure = failure_of_exception("the call");
    if (failure.code == Errc::cancelled)
      result = refusal(failure.code, failure.what, failure.advice);
    else if (!failure.what.empty())
      result = Error(failure.code, failure.what, failure.advice);
  } catch (...) {
    // Without memory for its text it stays that.
  }
  end(std::move(result));
}

void BackgroundCall::pass_on(const StopToken& caller) {
  if (caller.stop_possible()) on_stop_.emplace(caller, [this] { stop(); });
}

void BackgroundCall::start(const Address& address, const VerbRequest& verb) {
  if (verb.options.wait_until_ready) {
    auto series = std::make_unique<UntilReady>(core_);
    auto first = series->begin(address, verb, reads_nothing());
    return start(std::move(series), std::move(first));
  }
  auto request = build_request(core_, address, verb, reads_nothing());
  if (!request) return end(std::move(request).error());
  pass_on(verb.options.stop);
  core_.start(*std::move(request), {.stop = stop_.get_token(),
                                    .caller = verb.options.stop,
                                    .stop_unless_sent = stop_unless_sent_.get_token(),
                                    .finished =
                                        [self = shared_from_this()](Done done, std::shared_ptr<CallJob> job) {
                                          self->result_.emplace<Ended>(Ended{std::move(done), std::move(job)});
                                          self->ended();
                                        },
                                    .run_credentials = executor(),
                                    .waiter_runs_loop = waiter_runs_loop(),
                                    .is_awaited = is_awaited()});
}

void BackgroundCall::start(std::shared_ptr<const DownloadRequest> download, const Address& address) {
  pass_on(download->stop());
  // It may wait for a thread: until then a stop request ends it here, but not within emplace().
  on_own_stop_.emplace(stop_.get_token(), [this] { cancel_download(); });
  download_taken_ = false;
  if (stop_.stop_requested()) return cancel_download();
  const auto task = [self = shared_from_this(), address, download = std::move(download),
                     started = core_.driver_context.clock->now().steady] {
    if (self->download_taken_.exchange(true)) return;
    Result<void> result = out_of_memory(Sent::maybe);
    try {
      result = download->perform(self->core_, address, self->stop_.get_token(), started,
                                 *static_cast<std::optional<Download>*>(self->target_.get()));
    } catch (...) {
    }
    self->end(std::move(result));
  };
  try {
    core_.driver().post_long(task);
  } catch (...) {
    if (!download_taken_.exchange(true)) throw;
  }
}

/// Ends a download that has not started.
void BackgroundCall::cancel_download() noexcept {
  if (download_taken_.exchange(true)) return;
  Result<void> result = out_of_memory(Sent::maybe);
  try {
    result = refusal(Errc::cancelled, "cancelled by the caller", "");
  } catch (...) {
  }
  end(std::move(result));
}

void BackgroundCall::start(std::shared_ptr<PageOperation> page) {
  if (!page->claim()) return end(PageSource::busy());
  page_ = std::move(page);
  on_own_stop_.emplace(stop_.get_token(), [this] { page_->source().cancel_next(); });
  on_own_stop_unless_sent_.emplace(stop_unless_sent_.get_token(), [this] { stop(); });
  page_->begin();
  if (!page_->source().asks_for_credentials()) return fetch_page();
  std::function<void()> fetch = [self = shared_from_this()] {
    if (!self->page_asked_.exchange(true)) self->fetch_page();
  };
  if (const auto run = core_.asks_program() ? executor() : Executor()) try {
      return run(fetch);
    } catch (...) {
    }
  try {
    core_.driver().post_asking(std::move(fetch));
  } catch (...) {
    if (!page_asked_.exchange(true)) throw;
  }
}

void BackgroundCall::start(std::shared_ptr<EventOperation> event) {
  if (!event->source().claim()) return end(StreamSource::busy());
  event_ = std::move(event);
  on_own_stop_.emplace(stop_.get_token(), [this] { event_->source().cancel_next(); });
  on_own_stop_unless_sent_.emplace(stop_unless_sent_.get_token(), [this] { stop(); });
  // The operation may end on another thread, and forget its event and its client, before start_next() returns.
  const auto kept = event_;
  if (kept->source().start_next(stop_.get_token(), [self = shared_from_this()] { self->ended(); })) ended();
}

void BackgroundCall::start(std::unique_ptr<RequestSeries> series, std::optional<CallRequest> first) {
  series_ = std::move(series);
  pass_on(series_->stop());
  if (!first) return ended();
  start_next(*std::move(first));
}

void BackgroundCall::start_next(CallRequest request) {
  const bool is_first = std::holds_alternative<std::monostate>(result_);
  core_.start(std::move(request), {.stop = stop_.get_token(),
                                   .caller = series_->stop(),
                                   .stop_unless_sent = is_first ? stop_unless_sent_.get_token() : StopToken(),
                                   .finished =
                                       [self = shared_from_this()](Done done, std::shared_ptr<CallJob> job) {
                                         self->ended_one(std::move(done), std::move(job));
                                       },
                                   .run_credentials = executor(),
                                   .waiter_runs_loop = waiter_runs_loop(),
                                   .is_awaited = is_awaited()});
}

/// A response may be large: a worker looks at it. Without one, who reads the result does.
void BackgroundCall::ended_one(Done done, std::shared_ptr<CallJob> job) noexcept {
  result_.emplace<Ended>(Ended{std::move(done), std::move(job)});
  if (std::get<Ended>(result_).done.error) return ended();
  try {
    return core_.driver().post([self = shared_from_this()] {
      // The client of an operation that nobody waits for may be gone.
      const auto core = self->core_.weak_from_this().lock();
      if (!core) return;
      const auto& last = std::get<Ended>(self->result_);
      try {
        if (auto next = self->series_->next(last.done, last.job->call())) return self->start_next(*std::move(next));
      } catch (...) {
        self->fail_series(failure_of_next(), last.done);
      }
      self->ended();
    });
  } catch (...) {
    unseen_because_ = failure_of_next();
  }
  ended();
}

/// After a call that has ended with a response.
void BackgroundCall::fail_series(Failure failure, const Done& last) noexcept {
  failure.response = last.response;
  series_->fail(std::move(failure));
}

/// Continues until the page can be taken.
void BackgroundCall::fetch_page() noexcept try {
  // The operation may end on another thread, and forget its page and its client, before start_next() returns.
  const auto kept = page_;
  while (!page_->is_ready()) {
    auto page = page_->source().start_next(stop_.get_token(), executor(), [self = shared_from_this()](auto fetched) {
      self->page_->accept(std::move(fetched));
      self->fetch_page();
    });
    if (!page) return;
    page_->accept(*std::move(page));
  }
  ended();
} catch (...) {
  end(out_of_memory(Sent::maybe));
}

void BackgroundCall::end(Result<void> result) noexcept {
  result_.emplace<Result<void>>(std::move(result));
  ended();
}

ErasedResult BackgroundCall::read() noexcept {
  const auto* const ended = std::get_if<Ended>(&result_);
  Result<void> result = out_of_memory(ended != nullptr && ended->done.failure ? Sent::maybe : Sent::answered);
  try {
    result = read_result();
  } catch (...) {
    // The error stays `resource`.
  }
  forget();
  return {std::move(result), std::move(target_)};
}

void BackgroundCall::forget() noexcept {
  on_stop_.reset();
  on_own_stop_.reset();
  on_own_stop_unless_sent_.reset();
  if (auto* ended = std::get_if<Ended>(&result_); ended != nullptr && ended->job) keep_unread(std::move(*ended));
  result_.emplace<std::monostate>();
  if (page_) page_->release();
  page_.reset();
  if (event_) event_->source().release();
  event_.reset();
}

/// A write that nobody wants the result of may have been processed all the same.
void BackgroundCall::keep_unread(Ended ended) noexcept {
  if (!core_.cache || is_safe(ended.job->request().method)) return;
  if (!on_a_loop_thread()) return core_.keep(ended.job->call(), ended.done);
  // The end of the client drops tasks that have not started: it keeps what they have.
  struct Unread {
    Unread(ClientCore& client, Ended&& call) noexcept : core(client), ended(std::move(call)) {}
    Unread(const Unread&) = delete;
    Unread& operator=(const Unread&) = delete;
    ~Unread() { core.keep(ended.job->call(), ended.done); }
    ClientCore& core;
    const Ended ended;
  };
  try {
    core_.driver().post([unread = std::make_shared<Unread>(core_, std::move(ended))]() mutable { unread.reset(); });
  } catch (...) {
    // Without a thread it is kept here; without memory, what is stored stays until it is stale.
  }
}

Result<void> BackgroundCall::read_result() try {
  if (auto* result = std::get_if<Result<void>>(&result_)) return std::move(*result);
  if (page_) return page_->take(target_.get());
  if (event_) return event_->take(target_.get(), event_->source().take());
  if (series_ && std::holds_alternative<std::monostate>(result_)) return series_->result(reader_);
  auto& [done, unread] = std::get<Ended>(result_);
  const auto job = std::move(unread);
  if (unseen_because_ && series_->next(done, job->call())) fail_series(*std::move(unseen_because_), done);
  if (series_) return series_->result(std::move(done), job->call(), reader_);
  return core_.result_of(std::move(done), job->call(), reader_);
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {
  return Error(Errc::resource, "the decoder of the response threw an exception", "fix the decoder", Sent::answered);
}

}}}  // namespace noun::detail
