#pragma once
/// @file
/// The Link field (RFC 8288): from its text to resolved links. Which link to follow is not decided here.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/headers.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// One link of one relation type; a link with several types is several Links.
struct Link {
  /// In lower case.
  std::string relation;
  /// Absolute: resolved against the base URL, otherwise byte for byte as it came.
  std::string target;
  /// Parameters other than `rel`, names in lower case, values without their quotes.
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// The links of all lines, in order, whatever their context. Linear in the length of the text.
/// @source RFC 8288, appendix B.2: at the first thing that is no link a line ends; what came before it is kept.
std::vector<Link> parse_links(const std::vector<std::string_view>& values, std::string_view base_url);

/// The target of the first link of that relation (`previous` and `prev` are one) whose context is `base_url` itself.
/// @returns  nothing when there is none, or when the link says that nothing is there (`results="false"`).
std::optional<std::string> find_link(const Headers& headers, std::string_view relation, std::string_view base_url);

/// Whether something in a Link field is no link, so that what stands behind it cannot be read.
bool is_unreadable_link(const Headers& headers);

}}}  // namespace noun::wire
