#pragma once
/// @file
/// Hides the secrets of an exchange before it is written.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/text.hpp>

#include "call/redaction.hpp"
#include "testing/har.hpp"
#include "wire/digest.hpp"
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

/// What stands for hidden values in the responses of a recording: `***`, `***2` and so on, or a number. Equal values
/// have equal ones: a replay tells pages and items apart as the server did. Used by one thread at a time.
class StandIns {
 public:
  /// A stand-in stands for itself.
  std::string text(std::string_view value);
  std::string number(std::string_view value);

 private:
  std::size_t place_of(std::string_view value);

  /// By the digests of the values, which a server may have chosen.
  std::unordered_map<wire::Digest, std::size_t, wire::DigestHash> places_;
  std::size_t next_ = 0;
};

/// The text with the values of secret members of its JSON hidden; of an object or array, all strings in it but `type`.
/// Text around JSON stays as it is: event streams, lines. In a request numbers are hidden too, since a replay compares
/// them with nothing. In a response they stay, for the types that read them, and so does a `key` or `primary_key` that
/// does not look random. Of a member in HidingRules::hidden `type` is hidden too, and in a response another number
/// stands for a number, and false for a boolean. A string that is cut off is hidden to the end of the text.
/// @param found      receives the members, and the values to be hidden elsewhere; may be null.
/// @param stand_ins  for the values in a response; null for `***` and 0.
std::string without_secret_members(std::string_view text, const HidingRules& rules, Side side,
                                   HiddenSecrets* found = nullptr, StandIns* stand_ins = nullptr);

/// The last bodies that were cut off, or are parts, with which those that continue them are read. Used by one thread at
/// a time.
class CutBodies {
 public:
  /// What was received of the resource before the body of this exchange; empty if that is not known.
  std::string before(const HarExchange& exchange) const;
  /// Keeps the end of a body that may be continued.
  /// @param start  what before() returned.
  void add(const HarExchange& exchange, const std::string& start);

 private:
  struct CutBody {
    std::string url;
    std::uint64_t size = 0;  ///< of all parts, in bytes
    std::string text;        ///< its end
  };

  std::vector<CutBody> bodies_;
};

/// The values that were hidden so far, to hide them wherever else they occur: but for those of fewer than
/// shortest_secret characters. Used by one thread at a time.
class HiddenValues {
 public:
  /// Adds the first 256 new ones, of each the first 4096 bytes: a server may have chosen them. The time is linear in all
  /// values, but for a logarithm.
  void add(const std::vector<std::string>& values);
  /// The text with them hidden.
  /// @param stand_in  what is in place of each; null for `***`.
  std::string hidden_in(std::string text, const std::function<std::string(std::string_view)>& stand_in = nullptr) const;

  /// The text without the start of one at its end, of shortest_secret characters or more: it was cut off.
  std::string without_start_at_end(std::string text) const;

  StandIns& stand_ins() noexcept { return stand_ins_; }
  CutBodies& cut_bodies() noexcept { return cut_bodies_; }

 private:
  struct Part {
    std::vector<std::string> words;
    wire::SpellingSearch search;
  };

  std::set<std::string, std::less<>> all_;
  /// Each has less than half of the words of the one before.
  std::vector<Part> parts_;
  StandIns stand_ins_;
  CutBodies cut_bodies_;
};

/// The text with the secrets that a client knows hidden, in each spelling.
/// @param stand_in  what is in place of each; null for `***`.
std::string without_known(std::string text, const KnownSecrets& known,
                          const std::function<std::string(std::string_view)>& stand_in = nullptr);

/// Hides the secrets: those that Redaction finds, headers of the response that may not be shown, members of bodies, and
/// these values and those of earlier exchanges wherever they occur. What was hidden because of its name is listed.
/// @param dialect  null for none. Response headers that it names are shown.
void hide_secrets(HarExchange& exchange, const KnownSecrets& known, const Dialect* dialect, const HidingRules& rules,
                  HiddenValues& values);

}}}  // namespace noun::testing
