#pragma once
/// @file
/// The items of a listing by a key of theirs: which came before, so that none is delivered twice, and which of the
/// current page a bookmark has to know.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace noun { inline namespace v0 {

/// Knows keys by 64 bits of them: among a million items two that look the same by chance are as likely as 1 in 30
/// million. Whoever may choose keys freely can make some that do.
class KnownItems {
 public:
  /// What a page comes to.
  struct Look {
    /// The items that are left: their places on the page.
    std::vector<std::size_t> left = {};
    /// How many were delivered of it before its bookmark, whether or not the page still has them.
    std::size_t before = 0;
    /// The keys of those that came before otherwise, on this page or another.
    std::vector<std::uint64_t> again = {};
    /// Of the items delivered before its bookmark, and of those that are left.
    std::vector<std::uint64_t> keys = {};
    std::unordered_set<std::uint64_t> fresh = {};
  };

  /// @param pointer  where an item has its key; one that has none there is known by all of its text.
  explicit KnownItems(std::string pointer) : pointer_(std::move(pointer)) {}

  /// What was delivered of the first page before its bookmark, and what came before that page.
  void resume(std::vector<std::uint64_t> delivered, std::vector<std::uint64_t> again);
  /// Looks at the next page. Nothing of it is known before keep(), so that it can be looked at again.
  /// @param skip  how many of the first page were delivered before its bookmark: the first ones, if the bookmark did
  ///              not know their keys.
  Look look(const std::vector<std::string_view>& items, std::size_t skip);
  /// The page was taken on.
  void keep(Look look) noexcept;
  /// The keys of the first `count` items that were delivered of the page, those before its bookmark first.
  std::vector<std::uint64_t> delivered(std::size_t count) const;
  /// The keys of the items of the page that came before otherwise.
  const std::vector<std::uint64_t>& again() const noexcept { return again_; }

 private:
  std::uint64_t key_of(std::string_view item) const;
  void make_room(std::size_t more);

  std::string pointer_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::uint64_t> page_;
  std::vector<std::uint64_t> again_;
  bool begun_ = false;
};

}}  // namespace noun
