#include <noun/client.hpp>
#include <noun/op.hpp>

#include "resource/client_core.hpp"

namespace noun { inline namespace v0 {

Client::Client(std::shared_ptr<detail::ClientCore> core) noexcept : core_(std::move(core)) {}

Client::Client(Text base_url, ClientOptions options)
    : core_(ClientCore::create(base_url.view(), std::move(options)).value()) {}

Result<Client> Client::create(Text base_url, ClientOptions options) {
  auto core = ClientCore::create(base_url.view(), std::move(options));
  if (!core) return std::move(core).error();
  return Client(*std::move(core));
}

Client Client::with(const std::function<void(ClientOptions&)>& edit) const { return Client(core_->with(edit)); }

Operation<Response> op::send(const Client& api, Request request, CallOptions options) {
  return Operation<Response>({.address = detail::ClientAccess::base(api),
                              .options = std::move(options),
                              .raw = std::make_shared<const Request>(std::move(request))});
}

Operation<Response> op::send(const Client& api, Request request) {
  return send(api, std::move(request), CallOptions());
}

Result<Response> Client::send(const Request& request, const CallOptions& options) const {
  return op::send(*this, request, options).run();
}

QuotaSnapshot Client::quota() const { return core_->call_context.gate->snapshot(core_->driver_context.clock->now()); }
Now Client::now() const noexcept { return core_->driver_context.clock->now(); }
const std::string& Client::base_url() const noexcept { return core_->base_url; }
std::uint64_t Client::observer_faults() const noexcept { return core_->driver_context.observer_faults.load(); }
Address Client::base() const { return Address(core_); }

}}  // namespace noun
