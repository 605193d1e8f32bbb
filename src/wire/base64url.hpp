#pragma once
/// @file
/// Base64 (RFC 4648): the URL-safe alphabet without padding for bookmarks, the standard one for Basic credentials and
/// for the byte sequences of structured fields.

#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// The bytes in the alphabet that is safe in URLs, without padding.
/// @source RFC 4648, section 5; section 3.2 for leaving the padding out.
std::string base64url_encode(std::string_view bytes);

/// The bytes back; nothing when there is a character outside the alphabet, padding, an impossible length, or a last
/// character whose unused bits are set: every value has exactly one spelling.
std::optional<std::string> base64url_decode(std::string_view text);

/// The bytes in the standard alphabet, padded with `=`.
/// @source RFC 4648, section 4; RFC 7617, section 2, for Basic credentials.
std::string base64_encode(std::string_view bytes);

/// The bytes back, as others may have written them: padding may be missing, and unused bits may be set.
/// @source RFC 4648, section 4; RFC 9651, section 4.2.7, for the leniency.
std::optional<std::string> base64_decode(std::string_view text);

}}}  // namespace noun::wire
