// The ISO code lists as collections, read from the files of Debian's iso-codes package.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atlas_collection.hpp"

namespace atlas {

/// languages (ISO 639-3), countries (3166-1, each with its subdivisions, 3166-2), currencies (4217)
/// and scripts (15924), in the order of the files. A folder is read once per process, since a test
/// program starts many servers; each call returns a copy.
/// Throws std::runtime_error that names the file if a file cannot be read or parsed.
std::vector<Collection> load_dataset(const std::string& folder);

/// The number of members of each collection, by name. Subcollections of the same name are added up.
std::map<std::string, std::uint64_t> count_members(const std::vector<Collection>& collections);

}  // namespace atlas
