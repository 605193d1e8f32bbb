#pragma once
/// @file
/// Which exchange of a recording is the response to a request. Decides only: it serves nothing.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <noun/result.hpp>

#include "call/redaction.hpp"
#include "testing/har.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// Which headers of a request must be as recorded: those of these names; or with nothing all that were recorded, but
/// for those that the connection decides.
using HarHeaders = std::optional<std::vector<std::string>>;
/// Those that change what a response means: preconditions and ranges.
/// @source RFC 9110, sections 13.1 and 14.2.
HarHeaders conditional_headers();

/// How a request differs from a recorded one.
struct HarDifference {
  std::size_t distance = 0;       ///< 0 if they match
  std::vector<std::string> what;  ///< clauses: `the parameter page is 4, and was recorded as 3`
};

/// Compares method, URL, body and headers. Query parameters and the fields of a form match in any order if those of
/// equal names do; JSON bodies match as values; a body that was not recorded matches any. A recorded `***` matches any
/// text.
/// @param may_send_hidden  whether `***` or `***2` in the request matches recorded text too: it may be of a response.
HarDifference difference(const SentRequest& sent, const HarExchange& recorded, const HarHeaders& headers,
                         bool may_send_hidden = false);

/// The exchanges of a recording that are not served yet. Used by one thread at a time.
class HarMatcher {
 public:
  /// @param name  of the recording, for errors.
  HarMatcher(std::vector<HarExchange> exchanges, HarHeaders headers, std::string name);

  /// Takes the first exchange that matches. It is valid as long as the matcher. The time does not depend on how many
  /// others there are, if nothing was hidden in paths and bodies and the required headers have names.
  /// @param known  what the complaint hides beside what is named like a secret.
  /// @returns      `refused` if there is none: the error shows the nearest one and the difference.
  Result<const HarExchange*> take(const SentRequest& request, const KnownSecrets& known = {});
  /// The first unexpected request, or the first recorded one that was not taken; empty if there is none of both.
  std::string complaint() const;

 private:
  /// Exchanges that are not taken.
  using Places = std::set<std::size_t>;
  struct SameKey {
    Places all;
    Places with_open_body;  ///< that other bodies match too
    std::unordered_map<std::size_t, Places> by_body;
  };

  std::vector<Places*> places_of(const HarExchange& exchange);
  std::vector<const Places*> candidates(const SentRequest& request) const;
  std::optional<std::size_t> find(const SentRequest& request) const;
  std::string complaint_about(const SentRequest& request) const;

  std::vector<HarExchange> exchanges_;
  HarHeaders headers_;
  std::string name_;
  bool may_send_hidden_;
  Places left_;
  Places with_hidden_key_;
  std::set<std::string> hidden_parameters_;
  /// Required ones in which nothing was hidden.
  std::vector<std::string> key_headers_;
  std::unordered_map<std::string, SameKey> by_key_;
  std::string complaint_;
};

}}}  // namespace noun::testing
