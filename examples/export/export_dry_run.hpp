#pragma once
// --dry-run: what would happen, and the first request as a command that can be tried by hand.

#include <string>

#include <noun/http.hpp>
#include <noun/listing.hpp>

#include "export_arguments.hpp"

namespace noun_export {

/// The request of the first page as a curl command for a shell, which reads the token where the arguments say it is: it
/// can be tried by hand, and no token is in it.
/// @param url  as the client tells it (noun::Event::url): what it hides of the arguments' query is put back.
std::string curl_command(const Arguments& arguments, const std::string& url);

/// The plan behind the first page, in lines: items, pages, windows of the quota, and when it would end.
std::string plan_text(const noun::ListingPlan& plan, const noun::ListingTally& tally, const Arguments& arguments);

}  // namespace noun_export
