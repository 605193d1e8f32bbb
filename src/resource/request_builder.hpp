#pragma once
/// @file
/// Builds the request of a call from addresses, queries, headers and options, and checks them before anything is sent.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <noun/operation.hpp>
#include <noun/options.hpp>

#include "call/call.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 {

/// Returns the request of a verb, or `invalid_argument`.
/// @param reads_nothing  whether the response may be of any type.
Result<CallRequest> build_request(ClientCore& core, const Address& address, const detail::VerbRequest& verb,
                                  bool reads_nothing);
/// Returns the address and the verb of a request whose path the caller wrote. If it is invalid, the verb is refused.
std::pair<Address, detail::VerbRequest> at_path(const Address& base, Request request, CallOptions options);
/// Returns the request of a page, or `invalid_argument`. The pager sets its URL and origin, the
/// listing its deadline.
Result<CallRequest> build_page_request(ClientCore& core, const Address& address, const ListOptions& options);

/// Returns the request of a poll, or of the result of an operation, or `invalid_argument`.
Result<CallRequest> build_poll_request(ClientCore& core, std::string url, const FinishOptions& options,
                                       Instant deadline, bool reads_nothing);

/// The error of a request that is not sent.
Error invalid(const ClientCore& core, const CallRequest& request, std::string_view what, std::string_view advice);

/// @{
/// The route of a path whose ids are not known, and which segments are ids, as in an Address: one with a digit counts as
/// an id.
quota::RouteKey route_of(std::string_view path);
std::uint64_t ids_of(std::string_view path);
/// @}
/// CallRequest::shown_route of a path below the base URL.
std::shared_ptr<const std::string> shown_route(const ClientCore& core, std::string_view path, std::uint64_t ids);
/// The same, of a path below `base`.
std::shared_ptr<const std::string> shown_route(const ClientCore& core, std::string_view base, std::string_view path,
                                               std::uint64_t ids);

/// Appends the parameters to a URL that may have a query already.
void append_query(std::string& url, const Query& query);

}}  // namespace noun
