#pragma once
// The service that an export reads from.

#include <functional>

#include <noun/client.hpp>

#include "export_arguments.hpp"
#include "json_line.hpp"

namespace noun_export {

/// The client, and the collection below it.
struct Source {
  noun::Client client;
  noun::Collection<JsonLine> collection;
};

/// @returns           `invalid_argument` for what is no URL or no header.
/// @throws Misuse     where the environment has no token.
/// @throws FileError  where the file of the token cannot be read, or has none.
noun::Result<Source> open_source(const Arguments& arguments, std::function<void(const noun::Event&)> observer);

/// How the collection is listed behind `bookmark`, where `items` of it have been written already.
noun::ListOptions list_options(const Arguments& arguments, const noun::Client& client, std::string bookmark,
                               std::uint64_t items, const std::stop_token& stop);

}  // namespace noun_export
