#pragma once
/// @file
/// Hides the secrets of an exchange before it is written.

#include <string>
#include <string_view>

#include <noun/text.hpp>

#include "call/redaction.hpp"
#include "testing/har.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// Members of JSON bodies that are hidden, or shown, in spite of their names.
struct MemberRules {
  TextList hidden = {};
  TextList shown = {};
};

/// The text with the values of secret members of its JSON hidden; of an object or array, all strings in it. Text around
/// JSON stays as it is: event streams, lines.
/// @param with_numbers  whether numbers are hidden too. In a response they stay, for the types that read them.
std::string without_secret_members(std::string_view text, const MemberRules& rules, bool with_numbers);

/// Hides the secrets: those that Redaction finds, and members of bodies.
void hide_secrets(HarExchange& exchange, const KnownSecrets& known, const MemberRules& rules);

}}}  // namespace noun::testing
