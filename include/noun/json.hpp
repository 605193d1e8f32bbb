#pragma once
/// @file
/// The JSON value that noun uses if no type is given.

#include <nlohmann/json.hpp>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A JSON value. Never brace-initialize one from an argument: `Json{x}` wraps `x` in an array with some compilers.
using Json = nlohmann::json;

}}  // namespace noun
