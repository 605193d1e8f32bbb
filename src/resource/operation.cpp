#include <noun/operation.hpp>

#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

namespace noun::inline v0 {

Result<void> perform(const Intent& intent, Reader reader) {
  if (intent.refused) return *intent.refused;
  auto& core = *intent.address.core();
  const auto request = build_request(core, intent);
  if (!request) return request.error();
  return core.run(*request, reader, intent.options.stop);
}

std::size_t json_depth_of(const Address& address) noexcept { return address.core()->environment.limits.json_depth; }

}  // namespace noun::inline v0
