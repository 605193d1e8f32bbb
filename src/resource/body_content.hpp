#pragma once
/// @file
/// What the functions of noun::body make.

#include <string>
#include <vector>

#include <noun/http.hpp>

#include "os/file_stream.hpp"

namespace noun { inline namespace v0 { namespace detail {

struct BodyContent {
  /// Sent as Content-Type; empty for none.
  std::string content_type = {};
  /// In order, if it is streamed; otherwise empty.
  std::vector<StreamPiece> pieces = {};
  /// The path, if the body is one file.
  std::string file = {};
  /// What is wrong with the body, as a clause; empty if it is valid.
  std::string fault = {};
};

}}}  // namespace noun::detail
