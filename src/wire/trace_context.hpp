#pragma once
/// @file
/// The header fields of a trace context.

#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Whether `text` is a value of the field traceparent, of version 00.
/// @source https://www.w3.org/TR/trace-context/, section 3.2.
bool is_traceparent(std::string_view text) noexcept;

/// Whether `text` may be sent in the field tracestate: some printable characters, at most 512. Its list is the program's.
/// @source https://www.w3.org/TR/trace-context/, section 3.3.
bool is_tracestate(std::string_view text) noexcept;

}}}  // namespace noun::wire
