#pragma once
/// @file
/// From what a caller asks for to the request of a call: addresses, queries, headers and options, all checked here,
/// before anything is sent.

#include <string>
#include <string_view>

#include <noun/operation.hpp>
#include <noun/options.hpp>

#include "call/call.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 {

/// The request of an operation, or `invalid_argument`.
Result<CallRequest> build_request(ClientCore& core, const detail::OperationRequest& request);
/// The request of Client::send(), or `invalid_argument`.
Result<CallRequest> build_request(ClientCore& core, const Request& request, const CallOptions& options);
/// The request of a page, or `invalid_argument`. Its URL and origin are the pager's to set.
Result<CallRequest> build_page_request(ClientCore& core, const ListOptions& options);

/// Appends the parameters to a URL that may have a query already.
void append_query(std::string& url, const Query& query);

}}  // namespace noun
