#pragma once
// The API that an export reads from.

#include <functional>

#include <noun/client.hpp>

#include "export_arguments.hpp"
#include "json_line.hpp"

namespace noun_export {

/// A client and a collection of it.
struct Source {
  noun::Client client;
  noun::Collection<JsonLine> collection;
};

/// @returns           `invalid_argument` for an invalid URL or header.
/// @throws Misuse     if the environment variable of the token is not set.
/// @throws FileError  if the file of the token cannot be read, or contains none.
noun::Result<Source> open_source(const Arguments& arguments, std::function<void(const noun::Event&)> observer);

/// The options to list the collection after `bookmark`, of which `items` items have been written.
noun::ListOptions list_options(const Arguments& arguments, const noun::Client& client, std::string bookmark,
                               std::uint64_t items, const std::stop_token& stop);

}  // namespace noun_export
