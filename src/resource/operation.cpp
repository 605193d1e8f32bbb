#include <noun/operation.hpp>

#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"
#include "resource/until_ready.hpp"

namespace noun { inline namespace v0 { namespace detail {

Work::~Work() = default;

Result<void> perform(const OperationRequest& request, Reader reader) {
  const auto& address = request.address;
  auto& core = *AddressAccess::core_of(address);
  if (const auto* work = std::get_if<std::shared_ptr<Work>>(&request.work))
    return (*work)->perform(core, address, reader);
  const auto& verb = std::get<VerbRequest>(request.work);
  const bool reads_nothing = reader.read == nullptr;
  if (verb.options.wait_until_ready) {
    UntilReady series(core);
    return run(core, series, series.begin(address, verb, reads_nothing), reader);
  }
  auto built = build_request(core, address, verb, reads_nothing);
  if (!built) return std::move(built).error();
  auto call = core.call(*built);
  return core.result_of(core.run(call, verb.options.stop), call, reader);
}

std::size_t json_depth_of(const Address& address) noexcept {
  return AddressAccess::core_of(address)->call_context.limits.json_depth;
}

}}}  // namespace noun::detail
