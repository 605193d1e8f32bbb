#include <noun/operation.hpp>

#include <utility>

#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// The error of the body, with the request that it belongs to.
Error refused_body(const ClientCore& core, const OperationRequest& request) {
  auto details = request.refused->details();
  details.request = {.method = request.method, .url = core.shown(core.url_of(request.address)), .curl = {}};
  return Error(std::move(details));
}

}  // namespace

Result<void> perform(const OperationRequest& request, Reader reader) {
  auto& core = *AddressAccess::core_of(request.address);
  if (request.refused) return refused_body(core, request);
  const auto call_request = build_request(core, request);
  if (!call_request) return call_request.error();
  return core.run(*call_request, reader, request.options.stop);
}

std::size_t json_depth_of(const Address& address) noexcept {
  return AddressAccess::core_of(address)->call_context.limits.json_depth;
}

}}}  // namespace noun::detail
