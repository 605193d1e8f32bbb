// A response as a value, before it is written to a socket, and error responses (RFC 9457).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atlas {

/// Header fields in the order in which they were added.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 200;
  Fields fields = {};
  std::string body = {};
  std::string content_type = "application/json";
};

/// Thrown to reject a request.
struct HttpError {
  int status;
  std::string detail;  ///< for a person; bytes that are not UTF-8 are replaced
  Fields fields = {};
};

/// The error as application/problem+json.
Response problem_response(const HttpError& error);

}  // namespace atlas
