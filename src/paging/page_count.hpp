#pragma once
/// @file
/// How many pages come behind one, as far as its answer tells. A hint for plans, never the end of a listing.

#include <cstddef>
#include <optional>
#include <string_view>

#include <noun/dialect.hpp>

#include "paging/paging.hpp"

namespace noun { inline namespace v0 {

/// By the number of the last page in Link (`rel="last"`), a count of pages, or one of items. Of pages that are neither
/// numbered nor at an offset nothing is known.
/// @param url           what the page was asked for with.
/// @param largest_page  the most items that a page of this listing has had.
std::optional<std::size_t> pages_behind(const PageSeen& page, std::string_view url, const PagingConvention& convention,
                                        std::size_t largest_page);

}}  // namespace noun
