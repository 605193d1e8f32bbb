// What a request carries besides its target: the document in its body, and the conditions on its effect.
#pragma once

#include <string>
#include <string_view>

#include "atlas_shelf.hpp"

namespace atlas {

/// The body as a JSON object.
/// Throws Refusal 400 when it is not JSON, not an object, or nested more than 64 deep.
Json parse_object(std::string_view body);

/// Entity tags that a request names; empty fields put no condition.
struct Conditions {
  std::string if_match = {};
  std::string if_none_match = {};
};

/// Throws Refusal 412 when a write to `current` (null for a member that does not exist) must not happen.
/// @source RFC 9110, sections 13.1.1 and 13.1.2.
void check_write(const Conditions& conditions, const Member* current);

/// Whether a read of `current` is to be answered 304.
bool is_not_modified(const Conditions& conditions, const Member& current);

}  // namespace atlas
