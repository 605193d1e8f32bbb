#pragma once
/// @file
/// The items of a listing by their keys (ListOptions::key), so that no item is delivered twice.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace noun { inline namespace v0 { namespace detail {

/// A page without the items whose keys are known.
struct KeyedPage {
  /// The items to deliver: their indices on the page.
  std::vector<std::size_t> left = {};
  /// How many items of the page were delivered before its bookmark, whether or not it still has them.
  std::size_t before = 0;
  /// Items that are left out, since their key was delivered, or is on the page twice.
  std::size_t duplicates = 0;
  /// The keys of those that were delivered with another page.
  std::vector<std::uint64_t> again = {};
  /// Of the items delivered before the bookmark, then of those in `left`.
  std::vector<std::uint64_t> keys = {};
};

/// Knows keys by 64 bits of a hash: among a million items the chance that two collide is 1 in 30 million. An adversary
/// who chooses keys can make some collide.
class KnownItems {
 public:
  /// @param pointer  where an item has its key; an item without one is known by all of its text.
  explicit KnownItems(std::string pointer) : pointer_(std::move(pointer)) {}

  /// Restores the keys of a bookmark: of the delivered items of its page, and of the duplicates on it.
  void resume(std::vector<std::uint64_t> delivered, const std::vector<std::uint64_t>& again);
  /// Compares the next page, and knows its items from now on.
  /// @param skip  how many of its first items were delivered before its bookmark, if that has no keys.
  KeyedPage add(const std::vector<std::string_view>& items, std::size_t skip);

 private:
  std::uint64_t key_of(std::string_view item) const;

  std::string pointer_;
  std::unordered_set<std::uint64_t> known_;
  std::optional<std::vector<std::uint64_t>> resumed_;  // the keys of the bookmark, until its page is added
};

}}}  // namespace noun::detail
