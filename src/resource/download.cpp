#include <noun/download.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <noun/client.hpp>
#include <noun/op.hpp>

#include "curl/proxy_choice.hpp"
#include "decision/progress_pace.hpp"
#include "decision/resumption.hpp"
#include "os/partial_file.hpp"
#include "os/process_exit.hpp"
#include "resource/background_call.hpp"
#include "resource/client_core.hpp"
#include "resource/download_request.hpp"
#include "resource/request_builder.hpp"
#include "wire/content_range.hpp"

namespace noun { inline namespace v0 {
namespace {

Result<CallRequest> build_download(ClientCore& core, const Address& address, const detail::VerbRequest& request) {
  auto built = build_request(core, address, request, false);
  if (!built) return built;
  if (built->method == Method::head) return invalid(core, *built, "a HEAD has no body to download", "use Method::get");
  auto& headers = built->headers;
  for (const auto* name : {"If-Range", "Accept-Encoding"})
    if (headers.contains(name))
      return invalid(core, *built, fmt::format("the header {} is reserved in a download", name), "leave it out");
  if (const auto range = headers.get("Range"); range && wire::has_byte_unit(*range))
    return invalid(core, *built, "a download continues with byte ranges of its own, and the header Range has another",
                   "leave it out, or read the part with Client::send()");
  if (!request.options.headers.contains("Accept") && headers.get("Accept") == "application/json") headers.set("Accept", "*/*");
  headers.set("Accept-Encoding", "identity");
  built->attempt_timeout = Duration::max();
  const bool stays_here = core.origin().scheme == "http" && !is_readable(core.origin(), core.options.proxy);
  // A Unix socket leads to one server, whatever the host.
  if (core.options.unix_socket.empty())
    built->redirect_scope = stays_here ? RedirectScope::this_machine : RedirectScope::https;
  built->trusted = core.origins;
  return built;
}

Error error_of(BodyFault fault) {
  return Error({.code = fault.code,
                .what = std::move(fault.what),
                .advice = std::move(fault.advice),
                .sent = Sent::answered,
                .retryable = fault.would_repeat ? Retryable::no : Retryable::by_code});
}

/// Takes the bodies of one download's attempts. Used by one thread at a time.
class DownloadSink final : public BodySink {
 public:
  /// Takes bytes; an error ends the download.
  using Function = std::function<Result<void>(std::string_view bytes)>;

  /// @param file  null if the bytes go to `function`.
  /// @param stop  with the deadline ends the download also while a transport has more bytes than the function takes.
  DownloadSink(Resumption& resumption, std::unique_ptr<PartialFile> file, Function function, const ClientCore& core,
               StopToken stop, Instant deadline)
      : resumption_(resumption),
        file_(std::move(file)),
        function_(std::move(function)),
        core_(core),
        stop_(std::move(stop)),
        deadline_(deadline) {}

  Result<bool> begin(const Response& head) override;
  Result<void> write(std::string_view bytes) override;
  /// The download is complete: the file gets its name.
  Result<void> commit() { return file_ ? file_->commit() : Result<void>(); }

  /// Called after bytes were taken, at most ten times a second; may be empty.
  std::function<void(Now now)> on_progress = {};

 private:
  Resumption& resumption_;
  std::unique_ptr<PartialFile> file_;
  Function function_;
  const ClientCore& core_;
  const StopToken stop_;
  const Instant deadline_;
  ProgressPace pace_;
};

Result<bool> DownloadSink::begin(const Response& head) {
  auto place = resumption_.on_head(head, core_.driver_context.clock->now().wall);
  if (auto* fault = std::get_if<BodyFault>(&place)) return error_of(std::move(*fault));
  if (std::get<BodyPlace>(place) == BodyPlace::response) return false;
  if (file_ && std::get<BodyPlace>(place) == BodyPlace::start)
    if (auto emptied = file_->restart(); !emptied) return std::move(emptied).error();
  return true;
}

Result<void> DownloadSink::write(std::string_view bytes) {
  if (auto may = core_.may_continue(stop_, deadline_); !may) return may;
  if (auto fault = resumption_.on_bytes(bytes.size())) return error_of(*std::move(fault));
  auto written = file_ ? file_->write(bytes) : function_(bytes);
  if (!written) return written;
  if (!on_progress) return {};
  if (const auto now = core_.driver_context.clock->now(); pace_.is_due(now.steady)) on_progress(now);
  return {};
}

/// The function with its errors and exceptions as `cancelled`, which is not retried.
DownloadSink::Function guarded(const DownloadTarget::Function& function) {
  const auto ended = [](std::string_view what, const std::string& advice = {}) {
    return Error(Errc::cancelled, what, advice, Sent::answered);
  };
  return [function, ended](std::string_view bytes) -> Result<void> {
    try {
      auto taken = function(bytes);
      if (!taken) return ended(taken.error().what(), taken.error().advice());
      return taken;
    } catch (const std::bad_alloc&) {
      return Error(Errc::resource, "out of memory in the function that takes the bytes", Sent::answered);
    } catch (const std::exception& exception) {
      return ended(fmt::format("the function that takes the bytes threw an exception: {}", exception.what()));
    } catch (...) {
      return ended("the function that takes the bytes threw an exception");
    }
  };
}

}  // namespace

namespace detail {

Result<void> DownloadRequest::perform(ClientCore& core, const Address& address, const Reader& reader) {
  return perform(core, address, stop(), core.driver_context.clock->now().steady,
                 *static_cast<std::optional<Download>*>(reader.target));
}

void DownloadRequest::start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) {
  call.start(std::static_pointer_cast<const DownloadRequest>(self), address);
}

Result<void> DownloadRequest::perform(ClientCore& core, const Address& address, const StopToken& stop,
                                      Instant started, std::optional<Download>& into) const {
  auto built = build_download(core, address, request_);
  if (!built) return std::move(built).error();
  // The end of the process ends all of the download, so that its file is removed.
  const AttemptAtExit at_exit;
  if (at_exit.stop().stop_requested()) return Error(Errc::cancelled, "the process ends: nothing was sent");
  StopSource ends;
  const auto end = [&] { ends.request_stop(); };
  const StopCallback<decltype(end)&> on_stop(stop, end);
  const StopCallback<decltype(end)&> on_exit(at_exit.stop(), end);
  built->deadline = request_.options.deadline.from(started);
  std::unique_ptr<PartialFile> file;
  DownloadSink::Function function;
  if (target_.function()) {
    function = noun::guarded(target_.function());
  } else {
    file = std::make_unique<PartialFile>(target_.path());
    if (const auto opened = file->open(); !opened)
      return invalid(core, *built, opened.error().what(), opened.error().advice());
  }
  Resumption resumption(built->method, file != nullptr, max_bytes_, built->headers.contains("Range"));
  DownloadSink sink(resumption, std::move(file), std::move(function), core, ends.get_token(), built->deadline);
  built->continuation = &resumption;
  built->sink = &sink;
  auto call = core.call(*built);
  auto& driver_context = core.driver_context;
  if (driver_context.observer) sink.on_progress = [&](Now now) { driver_context.notify({call.progress(now)}); };
  auto done = core.run(call, ends.get_token());
  if (auto error = call.error_of(done)) return *std::move(error);
  if (const auto committed = sink.commit(); !committed)
    return call.error_for({.code = committed.error().code(),
                           .what = committed.error().what(),
                           .advice = committed.error().advice(),
                           .response = std::move(done.response)});
  into = {.size = resumption.received(), .resumed = resumption.resumed(), .restarted = resumption.restarted()};
  return Result<void>(std::move(done.response));
}

}  // namespace detail

Operation<Download> op::download(const Client& api, Request request, DownloadTarget target, DownloadOptions options) {
  auto [address, written] = at_path(detail::ClientAccess::base(api), std::move(request),
                                    {.query = std::move(options.query),
                                     .headers = std::move(options.headers),
                                     .priority = options.priority,
                                     .stall_timeout = options.stall_timeout,
                                     .deadline = options.deadline,
                                     .stop = std::move(options.stop)});
  return Operation<Download>({std::move(address), std::make_shared<detail::DownloadRequest>(
                                                      std::move(written), std::move(target), options.max_bytes)});
}

Operation<Download> op::download(const Client& api, Request request, DownloadTarget target) {
  return download(api, std::move(request), std::move(target), DownloadOptions());
}

Result<Download> Client::download(const Request& request, const DownloadTarget& target,
                                  const DownloadOptions& options) const {
  return op::download(*this, request, target, options).run();
}

}}  // namespace noun
