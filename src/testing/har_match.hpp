#pragma once
/// @file
/// Which exchange of a recording is the response to a request. Decides only: it serves nothing.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <noun/result.hpp>

#include "testing/har.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// Which headers of a request must be as recorded: those of these names; or with nothing all that were recorded, but for
/// those that the connection decides.
using HarHeaders = std::optional<std::vector<std::string>>;
/// Those that change what a response means: preconditions and ranges.
/// @source RFC 9110, sections 13.1 and 14.2.
HarHeaders conditional_headers();

/// How a request differs from a recorded one.
struct HarDifference {
  std::size_t distance = 0;       ///< 0 if they match
  std::vector<std::string> what;  ///< clauses: `the parameter page is 4, and was recorded as 3`
};

/// Compares method, URL, body and headers. Query parameters and the fields of a form match in any order if those of equal
/// names do; JSON bodies match as values; a body that was not recorded matches any. `***` matches any text.
HarDifference difference(const SentRequest& sent, const HarExchange& recorded, const HarHeaders& headers);

/// The exchanges of a recording that are not served yet. Used by one thread at a time.
class HarMatcher {
 public:
  /// @param name  of the recording, for errors.
  HarMatcher(std::vector<HarExchange> exchanges, HarHeaders headers, std::string name);

  /// Takes the first exchange that matches. It is valid as long as the matcher.
  /// @returns  `refused` if there is none: the error shows the nearest one and the difference.
  Result<const HarExchange*> take(const SentRequest& request);
  /// The first unexpected request, or the first recorded one that was not taken; empty if there is none of both.
  std::string complaint() const;

 private:
  std::string complaint_about(const SentRequest& request) const;

  std::vector<HarExchange> exchanges_;
  HarHeaders headers_;
  std::string name_;
  std::vector<bool> taken_;
  std::size_t first_ = 0;  // that is not taken
  std::string complaint_;
};

}}}  // namespace noun::testing
