#pragma once
/// @file
/// Percent-encoding and decoding (RFC 3986, section 2.1).

#include <optional>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Appends `id` as one path segment. Encodes everything but the unreserved characters (RFC 3986, section 2.3), so that
/// no id can end the segment, start a query or move up. Encoding does not make an empty id, `.` or `..` safe; the
/// caller rejects them.
NOUN_API void append_segment(std::string& out, std::string_view id);

/// Appends the name or the value of a query parameter. Encodes everything but the unreserved characters; a space
/// becomes `%20`, which every server decodes. Only form decoders understand `+`.
NOUN_API void append_query(std::string& out, std::string_view text);

/// Appends a path, a query or a fragment as a server wrote it. Encodes what no URI contains there: a space, a character
/// beyond ASCII, `"`, `<`, `>`, `^`, a backquote, a brace, `|`, and a `%` that begins no escape. Brackets, which are
/// usual in queries, stay; so do control characters and backslashes, which origin_of() refuses.
/// @source RFC 3986, section 3.3 to 3.5.
void append_written(std::string& out, std::string_view part);

/// Decodes `text`; nothing if a `%` is not followed by two hexadecimal digits. `+` stays `+`.
NOUN_API std::optional<std::string> percent_decode(std::string_view text);

/// Decodes the escapes of `text`, and leaves the rest: as lenient readers do. `+` stays `+`.
std::string decoded_where_possible(std::string_view text);

/// Whether an escape was encoded again: `%252F`. That is what becomes of an id that was encoded before.
bool has_escape_of_escape(std::string_view text);

}}}  // namespace noun::wire
