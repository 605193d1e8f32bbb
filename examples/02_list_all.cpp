// Lists a collection: stops in the middle, resumes from a bookmark, and lists page by page.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Subdivision {
  std::string code;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subdivision, code, name)

int main() {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  const auto regions = api.collection("countries")["IT"].collection<Subdivision>("subdivisions");

  std::string bookmark;
  std::vector<std::string> names;
  auto listing = regions.list({.page_size = 50});
  for (const auto& region : listing) {
    if (!region) return fmt::print(stderr, "{}\n", region.error().message()), 1;  // always the last element
    names.push_back(region->name);
    if (names.size() == 60) break;  // nothing more is sent
  }
  bookmark = listing.bookmark();  // text; another process may use it, too

  for (const auto& region : regions.list({.page_size = 50, .resume = bookmark})) {
    if (!region) return fmt::print(stderr, "{}\n", region.error().message()), 1;
    names.push_back(region->name);
  }
  fmt::print("{} subdivisions of Italy, from {} to {}\n", names.size(), names.front(), names.back());

  // Whole pages instead of items.
  auto scripts = api.collection("scripts").list({.page_size = 100, .max_items = 150});
  for (const auto& page : scripts.pages()) {
    if (!page) return fmt::print(stderr, "{}\n", page.error().message()), 1;
    fmt::print("page {}: {} scripts\n", page->number, page->items.size());
  }
}
