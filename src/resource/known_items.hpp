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

namespace noun::inline v0 {

/// Knows keys by 64 bits of them: among a million items two that look the same by chance are as likely as 1 in 30
/// million. Whoever may choose keys freely can make some that do.
class KnownItems {
 public:
  /// @param pointer  where an item has its key; one that has none there is known by all of its text.
  explicit KnownItems(std::string pointer) : pointer_(std::move(pointer)) {}

  /// What was delivered of the first page before its bookmark.
  void resume(std::vector<std::uint64_t> delivered) { page_ = std::move(delivered); }
  /// Begins a page, and takes out of it what was delivered before its bookmark.
  /// @param skip  how many that were: the first ones, if the bookmark did not know their keys.
  /// @returns     how many they are, whether or not the page still has them.
  std::size_t begin_page(std::vector<std::string_view>& items, std::size_t skip);
  /// Takes out what came before on this page or another.
  /// @returns  how many.
  std::size_t leave_out(std::vector<std::string_view>& items);
  /// The keys of the first `count` items that were delivered of the page, those before its bookmark first.
  std::vector<std::uint64_t> delivered(std::size_t count) const;

 private:
  std::uint64_t key_of(std::string_view item) const;

  std::string pointer_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::uint64_t> page_;
  bool begun_ = false;
};

}  // namespace noun::inline v0
