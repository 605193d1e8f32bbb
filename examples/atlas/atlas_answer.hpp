// An answer as a value, before it meets a socket; and the answers that say no (RFC 9457).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atlas {

/// Header fields in the order in which they were added.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  int status = 200;
  Fields fields = {};
  std::string body = {};
  std::string content_type = "application/json";
};

/// A request that is refused, thrown from wherever that is found out.
struct Refusal {
  int status;
  std::string detail;  ///< a sentence for a person; bytes that are not UTF-8 are replaced
  Fields fields = {};
};

/// The refusal as application/problem+json.
Answer problem(const Refusal& refusal);

}  // namespace atlas
