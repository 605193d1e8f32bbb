#include <noun/operation.hpp>

#include <noun/detail/event_operation.hpp>
#include <noun/detail/page_operation.hpp>

#include "call/report.hpp"
#include "resource/background_call.hpp"
#include "resource/client_core.hpp"
#include "resource/download_request.hpp"
#include "resource/poll_driver.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Does each kind of work on the caller's thread.
struct Performance {
  Result<void> operator()(const VerbRequest& verb) const {
    if (verb.options.wait_until_ready) return poll([&](PollDriver& driver) { return driver.begin(address, verb); });
    auto request = build_request(core, address, verb, reader.read == nullptr);
    if (!request) return std::move(request).error();
    auto call = core.call(*request);
    return core.result_of(core.run(call, verb.options.stop), call, reader);
  }
  Result<void> operator()(const std::shared_ptr<const DownloadRequest>& download) const {
    return perform_download(core, address, *download, download->request.options.stop,
                            core.driver_context.clock->now().steady,
                            *static_cast<std::optional<Download>*>(reader.target));
  }
  Result<void> operator()(const std::shared_ptr<PageOperation>& page) const {
    if (!page->claim()) return PageSource::busy();
    const std::unique_ptr<PageOperation, decltype([](PageOperation* claimed) { claimed->release(); })> claim(page.get());
    page->begin();
    while (!page->is_ready()) page->accept(page->source().next());
    return page->take(reader.target);
  }
  Result<void> operator()(const std::shared_ptr<EventOperation>& event) const {
    auto& source = event->source();
    if (!source.claim()) return StreamSource::busy();
    const std::unique_ptr<StreamSource, decltype([](StreamSource* claimed) { claimed->release(); })> claim(&source);
    return event->take(reader.target, source.next());
  }
  Result<void> operator()(const std::shared_ptr<const FinishRequest>& finish) const {
    return poll([&](PollDriver& driver) { return driver.begin(*finish); });
  }
  template <class Begin>
  Result<void> poll(Begin begin) const {
    PollDriver driver(core, reader.read == nullptr);
    auto request = begin(driver);
    while (request) {
      std::optional<CallRequest> next;
      {
        auto call = core.call(*request);
        auto done = core.run(call, driver.stop());
        next = driver.next(done, call);
        if (!next) return driver.result(std::move(done), call, reader);
      }
      request = std::move(next);
    }
    return driver.result(reader);
  }

  ClientCore& core;
  const Address& address;
  Reader reader;
};

}  // namespace

Result<void> perform(const OperationRequest& request, Reader reader) {
  return std::visit(Performance{*AddressAccess::core_of(request.address), request.address, reader}, request.work);
}

std::size_t json_depth_of(const Address& address) noexcept {
  return AddressAccess::core_of(address)->call_context.limits.json_depth;
}

}}}  // namespace noun::detail
