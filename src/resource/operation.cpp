#include <noun/operation.hpp>

#include <noun/detail/page_operation.hpp>

#include "call/report.hpp"
#include "resource/background_call.hpp"
#include "resource/client_core.hpp"
#include "resource/download_request.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Fetches the next page on the caller's thread.
Result<void> perform_page(PageOperation& page, void* target) {
  if (!page.claim()) return PageSource::busy();
  struct Release {
    explicit Release(PageOperation& operation) : of(operation) {}
    Release(const Release&) = delete;
    Release& operator=(const Release&) = delete;
    ~Release() { of.release(); }
    PageOperation& of;
  } const release(page);
  page.begin();
  while (!page.is_ready()) page.accept(page.source().next());
  return page.take(target);
}

}  // namespace

Result<void> perform(const OperationRequest& request, Reader reader) {
  auto& core = *AddressAccess::core_of(request.address);
  if (request.page) return perform_page(*request.page, reader.target);
  if (request.download)
    return perform_download(core, *request.download, request.download->options.stop,
                            *static_cast<std::optional<Download>*>(reader.target));
  const auto call_request = build_request(core, request);
  if (!call_request) return call_request.error();
  return core.run(*call_request, reader, request.options.stop);
}

std::size_t json_depth_of(const Address& address) noexcept {
  return AddressAccess::core_of(address)->call_context.limits.json_depth;
}

}}}  // namespace noun::detail
