#pragma once
/// @file
/// Fields as text that outlives the process: the kind, a dot, and base64url of a tag and the fields. The tag is an HMAC
/// under a key (the kind has an `s` more), or a checksum, which does not stop a forger.

#include <string>
#include <string_view>
#include <variant>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// @param kind  what the fields are, as in `noun1`; not empty.
/// @param key   empty for a checksum.
std::string seal(std::string_view kind, std::string_view fields, std::string_view key);

/// Why a text is not accepted.
enum class SealFault {
  malformed,        ///< seal() did not write it, or it was changed
  unauthenticated,  ///< there is a key, and it was written without one
  needs_key,        ///< it was written with a key, and there is none
  wrong_tag,        ///< it was written with another key, or was changed
};
/// Reads a text that seal() wrote with the same kind and key. Ends of lines after it are ignored.
std::variant<std::string, SealFault> unseal(std::string_view kind, std::string_view text, std::string_view key);

}}}  // namespace noun::wire
