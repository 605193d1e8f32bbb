#pragma once
/// @file
/// The items of a listing by their keys (ListOptions::key), so that no item is delivered twice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace noun { inline namespace v0 { namespace detail {

/// Knows keys by 64 bits of a hash: among a million items the chance that two collide is 1 in 30 million. An adversary
/// who chooses keys can make some collide.
class KnownItems {
 public:
  /// A page compared with what is known.
  struct Look {
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
    std::unordered_set<std::uint64_t> fresh = {};
  };

  /// @param pointer  where an item has its key; an item without one is known by all of its text.
  explicit KnownItems(std::string pointer) : pointer_(std::move(pointer)) {}

  /// Restores the keys of a bookmark: of the delivered items of its page, and of the duplicates on it.
  void resume(std::vector<std::uint64_t> delivered, std::vector<std::uint64_t> again);
  /// Compares the next page; nothing of it is known before keep().
  /// @param skip  how many of the first page were delivered before its bookmark: the first ones, unless the bookmark
  ///              has their keys.
  Look look(const std::vector<std::string_view>& items, std::size_t skip) const;
  /// The page is delivered.
  void keep(Look look);
  /// The keys of the first `count` items delivered of the page, those before its bookmark first.
  std::vector<std::uint64_t> delivered(std::size_t count) const;
  /// The keys of the duplicates on the page.
  const std::vector<std::uint64_t>& again() const noexcept { return again_; }

 private:
  std::uint64_t key_of(std::string_view item) const;

  std::string pointer_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::uint64_t> page_;
  std::vector<std::uint64_t> again_;
  bool begun_ = false;
};

}}}  // namespace noun::detail
