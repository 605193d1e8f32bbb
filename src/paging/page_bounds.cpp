#include "paging/page_bounds.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

bool is_secure(std::string_view url) { return wire::lowered(url.substr(0, 6)) == "https:"; }

/// No URL and no Range has a line feed.
wire::Digest digest_of(const PagePlace& place) {
  return wire::KeyedHash(wire::HashSeed{}).of(fmt::format("{}\n{}\n{}", place.url, place.range, place.cursor));
}

}  // namespace

Refuse leads_back() {
  return {Errc::refused, "the next link leads back to a page that was read before (a paging cycle)",
          "set ClientOptions::dialect.paging.end if the server names a next page after the last one too, or report it to "
          "the API's owner"};
}

PageBounds::PageBounds(const Limits& limits, const PagePlace& first, std::vector<wire::UrlOrigin> allowed)
    : allowed_(std::move(allowed)), most_pages_(limits.pages), secure_(is_secure(first.url)) {
  add(first);
}

void PageBounds::add(const PagePlace& place) { visited_.insert(digest_of(place)); }

std::optional<Refuse> PageBounds::fault_of(const PagePlace& place, std::size_t pages) const {
  const auto origin = wire::origin_of(place.url);
  if (!origin)
    return Refuse{Errc::refused, "the next link is not a plain http or https address: it was not followed",
                  report_to_owner};
  const auto on_its_host = [&](const wire::UrlOrigin& other) { return other.host == origin->host; };
  if (secure_ && origin->scheme != "https" && std::any_of(allowed_.begin(), allowed_.end(), on_its_host))
    return Refuse{Errc::refused, "the next link leads from https to http: nothing was sent there", report_to_owner};
  if (std::find(allowed_.begin(), allowed_.end(), *origin) == allowed_.end())
    return Refuse{
        Errc::refused,
        fmt::format("the next link leads to another origin, {}: nothing was sent there", wire::to_string(*origin)),
        "add it to ClientOptions::trusted_origins if it belongs to the API"};
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control))
    return Refuse{Errc::refused, "the next range has a control character: it was not requested", report_to_owner};
  if (visited_.contains(digest_of(place))) return leads_back();
  if (pages >= most_pages_)
    return Refuse{Errc::refused, fmt::format("the listing has more than {} pages", most_pages_),
                  "raise ClientOptions::limits.pages, or resume the listing from its bookmark"};
  return std::nullopt;
}

}}}  // namespace noun::detail
