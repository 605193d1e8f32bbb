// The body and the preconditions of a request.
#pragma once

#include <string>
#include <string_view>

#include "atlas_collection.hpp"

namespace atlas {

/// The body as a JSON object.
/// Throws HttpError 400 if it is not JSON, not an object, or nested more than 64 levels deep.
Json parse_object(std::string_view body);

/// The entity tags of a request. An empty field is no condition.
struct Conditions {
  std::string if_match = {};
  std::string if_none_match = {};
};

/// Throws HttpError 412 if the conditions forbid a write to `current` (null: the member does not exist).
/// @source RFC 9110, sections 13.1.1 and 13.1.2.
void check_write(const Conditions& conditions, const Member* current);

/// Whether the response to a read of what has this entity tag is 304.
bool is_not_modified(const Conditions& conditions, std::string_view etag);

}  // namespace atlas
