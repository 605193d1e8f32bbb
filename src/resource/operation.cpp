#include <noun/operation.hpp>

#include <utility>

#include "call/redaction.hpp"
#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// What is wrong with the body, with the request that it was for.
Error refused_body(const ClientCore& core, const Intent& intent) {
  auto details = intent.refused->details();
  details.request = {.method = intent.method, .url = shown_url(core.base_url + intent.address.path()), .curl = {}};
  return Error(std::move(details));
}

}  // namespace

Result<void> perform(const Intent& intent, Reader reader) {
  auto& core = *AddressAccess::core_of(intent.address);
  if (intent.refused) return refused_body(core, intent);
  const auto request = build_request(core, intent);
  if (!request) return request.error();
  return core.run(*request, reader, intent.options.stop);
}

std::size_t json_depth_of(const Address& address) noexcept {
  return AddressAccess::core_of(address)->environment.limits.json_depth;
}

}}}  // namespace noun::detail
