#pragma once
/// @file
/// What one error says in the message of another.

#include <string>

#include <noun/error.hpp>

namespace noun { inline namespace v0 {

/// An error's message without its advice: `METHOD URL: what`, or what alone if it names no request.
std::string what_of(const Error& error);

}}  // namespace noun
