#pragma once
/// @file
/// A fault that noun finds in a response while libcurl delivers it.

#include <string>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// A fault: its code, and the part of the message after "host responded with ".
struct Fault {
  Errc code;
  std::string what;
  Retryable retryable = Retryable::by_code;
};

}}}  // namespace noun::curl
