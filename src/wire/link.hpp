#pragma once
/// @file
/// The Link field (RFC 8288): from its text to resolved links.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// One link of one relation type; a link with several relation types becomes several Links. Valid as long as the text
/// and the base URL: a server can make both long, so that only the target that is used is resolved.
struct Link {
  /// In lower case.
  std::string relation;
  /// As it is written.
  std::string_view reference;
  std::string_view base_url;

  /// Absolute: resolved against the base URL (resolve_written()).
  std::string target() const;
};

/// The links of all lines in order, of any context. Linear in the length of the text.
/// @source RFC 8288, appendix B.2. A line ends at the first text that is not a link; the links before it are kept.
std::vector<Link> parse_links(const std::vector<std::string_view>& values, std::string_view base_url);

/// The target of the first link with that relation type (`previous` means `prev`) whose context is `base_url`, or
/// the same URL without its query: the list whose page it is.
/// @returns  nothing if there is none, or if the link is marked as without results (`results="false"`).
std::optional<std::string> find_link(const Headers& headers, std::string_view relation, std::string_view base_url);

/// Why find_link() does not return the target of a link that has, or seems to have, that relation type, as a clause.
/// @returns  nothing if there is no such link.
std::optional<std::string_view> fault_of_link(const Headers& headers, std::string_view relation,
                                              std::string_view base_url);

/// Whether a Link field contains text that is not a link, so that the rest of the field cannot be read.
bool is_unreadable_link(const Headers& headers);

}}}  // namespace noun::wire
