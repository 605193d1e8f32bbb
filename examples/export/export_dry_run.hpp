#pragma once
// --dry-run: an estimate of the run, and the first request as a shell command.

#include <string>

#include <noun/http.hpp>
#include <noun/listing.hpp>

#include "export_arguments.hpp"

namespace noun_export {

/// The request of the first page as a curl command for a shell. It contains no token: the shell reads the token from
/// its environment variable or file.
/// @param url  noun::Event::url. Values that the client redacted are restored from the query of the arguments.
std::string curl_command(const Arguments& arguments, const std::string& url);

/// The plan after the first page, in lines: items, pages, quota windows, and the estimated end.
std::string plan_text(const noun::ListingPlan& plan, const noun::ListingTally& tally, const Arguments& arguments);

}  // namespace noun_export
