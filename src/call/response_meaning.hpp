#pragma once
/// @file
/// What a response means to its call and to its quota.

#include <utility>

#include "call/call.hpp"

namespace noun { inline namespace v0 {

/// The meaning of a complete response.
std::pair<Verdict, quota::Report> meaning_of(const Response& response, const CallRequest& request,
                                             const Dialect& dialect, WallTime now);
/// The meaning of a response of which only the head was received: whether it is a rejection, and the reported quota.
quota::Report meaning_of_head(const Response& head, const CallRequest& request, const Dialect& dialect, WallTime now);

}}  // namespace noun
