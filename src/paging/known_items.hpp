#pragma once
/// @file
/// The items of a listing by their keys (ListOptions::key), so that no item is delivered twice.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wire/digest.hpp"

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
  std::vector<wire::Digest> again = {};
  /// Of the items delivered before the bookmark, then of those in `left`.
  std::vector<wire::Digest> keys = {};
};

using KeySet = std::unordered_set<wire::Digest, wire::DigestHash>;

/// Knows keys by 128 bits of a hash with a random seed: who chooses keys cannot make any collide.
class KnownItems {
 public:
  /// @param pointer  where an item has its key; an item without one is known by all of its text.
  KnownItems(std::string pointer, const wire::HashSeed& seed) : pointer_(std::move(pointer)), hash_(seed) {}

  const wire::HashSeed& seed() const noexcept { return hash_.seed(); }
  /// Of the pointer: keys of another one, or with another seed, cannot be compared.
  wire::Digest digest_of_pointer() const { return wire::KeyedHash(seed()).of(pointer_); }
  /// Restores the keys of a bookmark: of the delivered items of its page, and of the duplicates on it.
  void resume(std::vector<wire::Digest> delivered, const std::vector<wire::Digest>& again);
  /// Compares the next page, and knows its items from now on.
  /// @param skip  how many of its first items were delivered before its bookmark, if that has no keys.
  KeyedPage add(const std::vector<std::string_view>& items, std::size_t skip);

 private:
  wire::Digest key_of(std::string_view item);

  std::string pointer_;
  wire::KeyedHash hash_;
  KeySet known_;
  std::optional<std::vector<wire::Digest>> resumed_;  // the keys of the bookmark, until its page is added
};

}}}  // namespace noun::detail
