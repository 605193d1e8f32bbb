#pragma once
/// @file
/// Structured fields: from the lines of a header to lists and dictionaries of items, and back. A field with more than 1024
/// members, or with more than 256 parameters or members of an inner list in one place, counts as malformed.
/// @source RFC 9651.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace noun { inline namespace v0 { namespace wire {

/// The types of a bare item.
enum class BareKind { integer, decimal, string, token, bytes, boolean, date, display_string };

/// One value.
struct BareItem {
  BareKind kind = BareKind::boolean;
  /// An integer; a decimal in thousandths; a date in seconds since 1970-01-01T00:00:00Z; a boolean as 0 or 1.
  std::int64_t number = 0;
  /// A string, token or display string without its delimiters, or decoded bytes.
  std::string text = {};

  friend bool operator==(const BareItem&, const BareItem&) = default;
};

/// Keys in the order of their first appearance; of equal keys the last value counts.
using StructuredParameters = std::vector<std::pair<std::string, BareItem>>;

/// A value and its parameters.
struct StructuredItem {
  BareItem value = {};
  StructuredParameters parameters = {};

  /// The parameter with that key, or null.
  const BareItem* parameter(std::string_view key) const noexcept;
};

/// Items in parentheses, and the parameters of the list.
struct InnerList {
  std::vector<StructuredItem> items = {};
  StructuredParameters parameters = {};
};

/// A member of a list or a dictionary.
using StructuredMember = std::variant<StructuredItem, InnerList>;
using StructuredList = std::vector<StructuredMember>;
/// Keys in the order of their first appearance; of equal keys the last member counts.
using StructuredDictionary = std::vector<std::pair<std::string, StructuredMember>>;

/// Parses the field as a list; nothing if any part is malformed.
/// @param lines  the field's values, one per line.
/// @source RFC 9651, section 4.2.1.
std::optional<StructuredList> parse_structured_list(const std::vector<std::string_view>& lines);

/// Parses the field as a dictionary; nothing if any part is malformed.
/// @param lines  the field's values, one per line.
/// @source RFC 9651, section 4.2.2.
std::optional<StructuredDictionary> parse_structured_dictionary(const std::vector<std::string_view>& lines);

/// Writes a member; a dictionary's without its key.
/// @param member  of values that the grammar has: a string is printable ASCII, an integer has up to 15 digits.
/// @source RFC 9651, section 4.1.
std::string to_text(const StructuredMember& member);

}}}  // namespace noun::wire
