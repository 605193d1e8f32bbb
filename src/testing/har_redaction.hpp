#pragma once
/// @file
/// Hides the secrets of an exchange before it is written.

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/text.hpp>

#include "call/redaction.hpp"
#include "testing/har.hpp"
#include "wire/spelling.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// What is hidden, or shown, in spite of its name.
struct HidingRules {
  TextList hidden = {};         ///< members of JSON bodies, and fields of forms
  TextList shown = {};          ///< members of JSON bodies, fields of forms, and query parameters
  TextList shown_headers = {};  ///< of responses
};

/// What is hidden in a text because of names.
struct HiddenSecrets {
  std::vector<std::string> names;
  std::vector<std::string> values;
};

/// Whose body a text is.
enum class Side { request, response };

/// The text with the values of secret members of its JSON hidden; of an object or array, all strings in it but `type`.
/// Text around JSON stays as it is: event streams, lines. In a request numbers are hidden too, since a replay compares
/// them with nothing. In a response they stay, for the types that read them, and so does a `key` or `primary_key` that
/// does not look random.
/// @param found  receives the members, and the values to be hidden elsewhere; may be null.
std::string without_secret_members(std::string_view text, const HidingRules& rules, Side side,
                                   HiddenSecrets* found = nullptr);

/// The values that were hidden so far, to hide them wherever else they occur: but for those of fewer than
/// shortest_secret characters. Used by one thread at a time.
class HiddenValues {
 public:
  /// Adds the first 256 new ones, of each the first 4096 bytes: a server may have chosen them. The time is linear in all
  /// values, but for a logarithm.
  void add(const std::vector<std::string>& values);
  /// The text with them hidden.
  std::string hidden_in(std::string text) const;

 private:
  struct Part {
    std::vector<std::string> words;
    wire::SpellingSearch search;
  };

  std::set<std::string, std::less<>> all_;
  /// Each has less than half of the words of the one before.
  std::vector<Part> parts_;
};

/// Hides the secrets: those that Redaction finds, headers of the response that may not be shown, members of bodies, and
/// these values and those of earlier exchanges wherever they occur. What was hidden because of its name is listed.
/// @param dialect  null for none. Response headers that it names are shown.
void hide_secrets(HarExchange& exchange, const KnownSecrets& known, const Dialect* dialect, const HidingRules& rules,
                  HiddenValues& values);

}}}  // namespace noun::testing
