#pragma once
/// @file
/// The pages of a listing as bytes: what noun::Listing is made of.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/address.hpp>
#include <noun/codec.hpp>
#include <noun/listing_plan.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

/// One page as it came: its answer, and the bytes of each of its items.
struct RawPage {
  std::shared_ptr<const Response> response = {};  ///< the page's answer; never null in a page of a listing
  /// Views into the answer's body, less those that ListOptions::key knows already.
  std::vector<std::string_view> items = {};
  /// From 1, counted by this listing.
  std::size_t number = 0;
};

/// What a listing has come to so far.
struct ListingTally {
  std::size_t pages = 0;  ///< that were read, by this listing
  /// That came with them and with those before its bookmark, duplicates left out. Bookmarks of earlier versions may not
  /// say how many came before: then they are not among them.
  std::size_t items = 0;
  std::size_t duplicates = 0;  ///< items that were left out, since their key (ListOptions::key) had come before
  /// How many items there are by the last answer that counted them; nothing if none did. Services may tell less than
  /// there is, or count at another instant.
  std::optional<std::size_t> promised = {};
  /// Whether the count changed while the listing was read: where pages are numbered, items may then have been missed.
  bool changed = false;
};

/// The pages of a listing, without a type: follows them, and says where a consumer stands. Used by one thread at a
/// time.
class NOUN_API PageSource {
 public:
  /// The pages below an address; sends nothing yet. What is wrong with the options is the first next()'s error.
  PageSource(Address address, ListOptions options);
  /// @{
  /// Move-only. What is being read ahead is broken off when it goes.
  PageSource(PageSource&&) noexcept;
  PageSource& operator=(PageSource&&) noexcept;
  ~PageSource();
  /// @}

  /// The next page; nothing at the end. After an error, another call requests the same page again. An error that says
  /// why the next page must not be requested (`refused`, for example) is permanent: every further call returns it, and
  /// sends nothing.
  Result<std::optional<RawPage>> next();
  /// Where a consumer stands that has taken `taken` items of the page that next() gave last. While next() tells the
  /// observer of a page, none of that page has been taken.
  std::string bookmark(std::size_t taken) const;
  /// How many items of the page that next() gave last were taken before a bookmark was resumed.
  std::size_t skip() const noexcept;
  /// What is left to be asked for.
  ListingPlan plan() const;
  /// What has come so far.
  ListingTally tally() const;

  /// ListOptions::max_items.
  std::optional<std::size_t> max_items() const noexcept;
  /// ListOptions::bad_items.
  BadItems bad_items() const noexcept;
  /// limits.json_depth of the client.
  std::size_t json_depth() const noexcept;
  /// The error for an item that does not decode, which is of the page that next() gave last.
  Error item_error(const RawPage& page, std::size_t index, DecodeFault fault) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}}  // namespace noun
