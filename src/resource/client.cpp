#include <noun/client.hpp>

#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

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

Result<Response> Client::send(const Request& request, const CallOptions& options) const {
  const auto built = build_request(*core_, request, options);
  if (!built) return built.error();
  auto done = core_->run(*built, {}, options.stop);
  if (!done) return std::move(done).error();
  auto response = std::move(done).response();
  return {Response(*response), response};
}

QuotaSnapshot Client::quota() const { return core_->call_context.gate->snapshot(core_->driver_context.clock->now()); }
Now Client::now() const noexcept { return core_->driver_context.clock->now(); }
const std::string& Client::base_url() const noexcept { return core_->base_url; }
std::uint64_t Client::observer_faults() const noexcept { return core_->driver_context.observer_faults.load(); }
Address Client::root() const { return Address(core_); }

}}  // namespace noun
