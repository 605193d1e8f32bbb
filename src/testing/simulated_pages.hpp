#pragma once
/// @file
/// The pages of a simulated server, as a dialect spells them.

#include <cstddef>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <noun/http.hpp>
#include <noun/paging.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// Whether the paging reads the query parameter of this name.
bool is_paging_parameter(const Paging& paging, std::string_view name);

/// A request for a page.
struct SimulatedPageRequest {
  std::string_view url;      ///< absolute
  const Headers& headers;    ///< of the request
  std::size_t usual_size;    ///< items per page if the request does not set it
  std::size_t largest_size;  ///< the maximum number of items per page
};

/// The page that a request asks for. A page that does not exist is empty; a malformed number counts as absent.
/// @param items  all items of the list.
Response simulated_page(const Paging& paging, const SimulatedPageRequest& request,
                        const std::vector<const nlohmann::json*>& items);

}}}  // namespace noun::testing
