#pragma once
/// @file
/// Base64 (RFC 4648). Bookmarks use the URL-safe alphabet without padding; Basic credentials and byte sequences of
/// structured fields use the standard alphabet.

#include <optional>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Encodes bytes in the URL-safe alphabet, without padding.
/// @source RFC 4648, section 5; section 3.2 allows to omit the padding.
std::string base64url_encode(std::string_view bytes);

/// Decodes base64url strictly: every value has exactly one spelling.
/// @returns  nothing for a character outside the alphabet, padding, an impossible length, or a last character whose
///           unused bits are set.
std::optional<std::string> base64url_decode(std::string_view text);

/// Encodes bytes in the standard alphabet, padded with `=`.
/// @source RFC 4648, section 4; RFC 7617, section 2, for Basic credentials.
NOUN_API std::string base64_encode(std::string_view bytes);

/// Decodes the standard alphabet leniently: padding may be missing, and unused bits may be set.
/// @source RFC 4648, section 4; RFC 9651, section 4.2.7, for the leniency.
NOUN_API std::optional<std::string> base64_decode(std::string_view text);

/// Decodes either alphabet strictly: padding is right or missing, and unused bits are 0.
/// @returns  nothing for other text, also for one with characters of both alphabets.
std::optional<std::string> base64_decode_exactly(std::string_view text);

}}}  // namespace noun::wire
