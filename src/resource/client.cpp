#include <noun/client.hpp>
#include <noun/op.hpp>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "decision/classify.hpp"
#include "decision/location.hpp"
#include "resource/client_core.hpp"
#include "resource/poll_driver.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 {
namespace {

Error not_followed(const ClientCore& core, const Response& response, const Refuse& refused) {
  const Headers none;
  const Redaction redaction(response.url, {none, *core.call_context.known_secrets});
  auto text = fmt::format("the response {}", status_text(response.status));
  if (!response.url.empty()) text += fmt::format(" from {}", redaction.url());
  text += fmt::format(" was not followed: {}", redaction.line(refused.what));
  return refusal(refused.code, std::move(text), refused.advice);
}

}  // namespace

Client::Client(std::shared_ptr<detail::ClientCore> core) noexcept : core_(std::move(core)) {}

Client::Client(Text base_url, ClientOptions options)
    : core_(ClientCore::create(base_url.view(), std::move(options)).value()) {}

Result<Client> Client::create(Text base_url, ClientOptions options) {
  auto core = ClientCore::create(base_url.view(), std::move(options));
  if (!core) return std::move(core).error();
  return Client(*std::move(core));
}

Client Client::with(ClientChanges changes) const { return Client(core_->with(std::move(changes))); }

Operation<Response> op::send(const Client& api, Request request, CallOptions options) {
  auto [address, written] = at_path(detail::ClientAccess::base(api), std::move(request), std::move(options));
  return Operation<Response>({std::move(address), std::move(written)});
}

Operation<Response> op::send(const Client& api, Request request) {
  return send(api, std::move(request), CallOptions());
}

Result<Response> Client::send(const Request& request, const CallOptions& options) const {
  return op::send(*this, request, options).run();
}

QuotaSnapshot Client::quota_snapshot() const {
  return core_->call_context.gate->snapshot(core_->driver_context.clock->now());
}
Now Client::now() const noexcept { return core_->driver_context.clock->now(); }
const std::string& Client::base_url() const noexcept { return core_->base_url; }
std::uint64_t Client::observer_faults() const noexcept { return core_->driver_context.observer_faults.load(); }
Address Client::base() const { return Address(core_); }

Result<std::string> Client::poll_token_of(const std::shared_ptr<const Response>& started, const Error* error) const {
  if (auto refused = detail::fault_of_start(started.get(), error)) return *std::move(refused);
  return detail::poll_token_of(*core_, *started);
}

Address Client::location_of(const Response& response) const {
  auto found = location_below(response, core_->base_url, core_->origin());
  if (auto* refused = std::get_if<Refuse>(&found))
    return detail::AddressAccess::refused(base(), not_followed(*core_, response, *refused));
  const std::string_view url = std::get<std::string>(found);
  auto path = url.substr(0, url.find('?'));
  while (path.ends_with('/')) path.remove_suffix(1);
  return detail::AddressAccess::with_url(base(), std::string(path), std::string(url.substr(path.size())),
                                         route_of(path), ids_of(path));
}

Address Client::location_of(const Response* response, const Error* error) const {
  const bool leads_on = response != nullptr && response->headers.contains("Location");
  if (error != nullptr && !leads_on) return detail::AddressAccess::refused(base(), *error);
  if (response == nullptr)
    return detail::AddressAccess::refused(
        base(), refusal(Errc::protocol, "there is no response to follow", "read the error of the call"));
  return location_of(*response);
}

}}  // namespace noun
