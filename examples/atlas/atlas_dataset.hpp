// The ISO code lists as collections, read from the files of Debian's iso-codes package.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atlas_shelf.hpp"

namespace atlas {

/// languages (ISO 639-3), countries (3166-1, each with its subdivisions, 3166-2), currencies (4217)
/// and scripts (15924), in the order of the files. A folder is read
/// once in a process, since a test program starts many services; each gets its own copy.
/// Throws std::runtime_error, naming the file, when one cannot be read or is not what it should be.
std::vector<Shelf> load_dataset(const std::string& folder);

/// How many members each collection holds, by name; sub-collections are added up under theirs.
std::map<std::string, std::uint64_t> count_members(const std::vector<Shelf>& shelves);

}  // namespace atlas
