#pragma once
// The API that an export reads from.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <noun/client.hpp>
#include <noun/stop.hpp>

#include "export_arguments.hpp"
#include "json_line.hpp"

namespace noun_export {

/// A client, and what PATH is of it.
struct Source {
  noun::Client client;
  noun::Collection<JsonLine> collection;
  noun::Request stream;
  noun::Deadline deadline;  ///< of the whole run
};

/// @param observer    also receives the notices of the shared quota, on another thread, until the source is destroyed.
/// @returns           `invalid_argument` for an invalid URL or header, or an invalid place of the shared quota.
/// @throws Misuse     if an environment variable that an option names is not set.
/// @throws FileError  if the file of the token cannot be read, or contains none.
noun::Result<Source> open_source(const Arguments& arguments, std::function<void(const noun::Event&)> observer);

/// The options to list the collection after `bookmark`, of which `items` items have been written.
noun::ListOptions list_options(const Arguments& arguments, const Source& source, std::string bookmark,
                               std::uint64_t items, const noun::StopToken& stop);

/// The options to read the stream after `position`: the last event ID, or the value of --resume-with.
noun::StreamOptions stream_options(const Arguments& arguments, const Source& source, const std::string& position,
                                   const noun::StopToken& stop);
/// The position after an item, by --resume-with. Nothing if its value there is not a text or a number.
std::optional<std::string> position_after(std::string_view item, const std::string& pointer);

}  // namespace noun_export
