#pragma once
/// @file
/// What noun itself found wrong with an answer while libcurl was handing it over. How it is told is in curl_errors.

#include <string>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// A fault and what it was: the part of the message behind "host answered with ".
struct Fault {
  Errc code;
  std::string what;
};

}}}  // namespace noun::curl
