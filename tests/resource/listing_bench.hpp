#pragma once
/// @file
/// Pages of a server, and ways to consume them, for the tests of listings.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test {

/// A page of numbers as JSON text.
inline std::string page_of(const std::vector<int>& numbers) { return Json(numbers).dump(); }

inline noun::Headers next(const std::string& target) { return {{"Link", "<" + target + ">; rel=\"next\""}}; }

/// The numbers from `first` to `last`.
inline std::vector<int> numbers(int first, int last) {
  std::vector<int> all(static_cast<std::size_t>(std::max(last - first + 1, 0)));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// Serves pages by their URL and records the requests; another URL is a 404.
class PageTransport final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    urls.emplace_back(attempt.url);
    headers.push_back(attempt.headers);
    const auto found = pages.find(std::string(attempt.url));
    return found == pages.end() ? noun::Response{.status = 404} : found->second;
  }

  void page(const std::string& url, std::string body, noun::Headers fields = {}) {
    pages[url] = {.status = 200, .headers = std::move(fields), .body = std::move(body)};
  }

  std::map<std::string, noun::Response> pages;
  std::vector<std::string> urls;
  std::vector<noun::Headers> headers;
};

inline const std::string numbers_url = "https://api.example.com/v1/numbers";

/// Three pages: 1 2 3, 4 5, 6 7 8.
struct ThreePages : Bench {
  std::shared_ptr<PageTransport> pages = std::make_shared<PageTransport>();
  noun::Client api = client({.transport = pages});
  noun::Collection<int> numbers = api.collection<int>("numbers");

  ThreePages() {
    pages->page(numbers_url, "[1, 2, 3]", next("/v1/numbers?page=2"));
    pages->page(numbers_url + "?page=2", "[4, 5]", next("?page=3"));
    pages->page(numbers_url + "?page=3", "[6, 7, 8]");
  }
};

/// All items of a listing; -1 for an error.
inline std::vector<int> all_of(noun::Listing<int>& listing) {
  std::vector<int> taken;
  for (const auto& number : listing) taken.push_back(number ? *number : -1);
  return taken;
}
inline std::vector<int> all_of(noun::Listing<int>&& listing) { return all_of(listing); }

/// All items of a listing, read page by page; -1 for an error.
inline std::vector<int> all_by_page(noun::Listing<int>& listing) {
  std::vector<int> taken;
  for (const auto& page : listing.pages()) {
    if (!page) {
      taken.push_back(-1);
      continue;
    }
    taken.insert(taken.end(), page->items.begin(), page->items.end());
  }
  return taken;
}

/// The error that is the first element of a listing; `resource` if it is none.
inline noun::Error first_error(noun::Listing<int>&& listing) {
  auto first = listing.begin();
  if (first == listing.end()) return noun::Error(Errc::resource, "the listing is empty");
  return *first ? noun::Error(Errc::resource, "the first element is an item") : first->error();
}

}  // namespace resource_test
