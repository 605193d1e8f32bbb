#pragma once
/// @file
/// The pages of a listing as bytes. Not for programs: noun::Listing is made of it.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/address.hpp>
#include <noun/json.hpp>
#include <noun/limits.hpp>
#include <noun/listing_plan.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/stop.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// One page as received.
struct RawPage {
  std::shared_ptr<const Response> response = {};
  /// Views of what lives as long as the response, without duplicates by ListOptions::key.
  std::vector<std::string_view> items = {};
  /// From 1, counted by this listing.
  std::size_t number = 0;
  /// How many of the items were delivered before the bookmark that was resumed.
  std::size_t skip = 0;
};

/// Fetches the pages of one listing and says where its consumer stands. Used by one thread at a time.
class NOUN_API PageSource {
 public:
  /// Sends nothing and calls no user function. What is wrong with the options is the first next()'s error.
  PageSource(Address address, ListOptions options);
  /// @{
  /// Move-only. Its destructor stops what is read ahead.
  PageSource(PageSource&&) noexcept;
  PageSource& operator=(PageSource&&) noexcept;
  ~PageSource();
  /// @}

  /// The error of whoever uses a listing while another thread or operation does.
  static Error busy();
  /// Starts the time of ListOptions::deadline, once; before the first next().
  void begin() noexcept;
  /// The next page; nothing at the end. After an error, another call requests the same page again, unless the error is
  /// permanent.
  Result<std::optional<RawPage>> next();
  /// As next(), without waiting for what must be fetched.
  /// @param stop      if it is requested, the result is the error `cancelled`; later, cancel_next() must be called.
  /// @param executor  runs credentials functions of the program; may be empty.
  /// @param then      called once with the result, unless it is returned; on a worker, in cancel_next(), or in
  ///                  start_next() if nothing can be started.
  std::optional<Result<std::optional<RawPage>>> start_next(
      const StopToken& stop, Executor executor, std::function<void(Result<std::optional<RawPage>>)> then);
  /// Ends start_next() with the error `cancelled`. From any thread.
  void cancel_next() noexcept;
  /// Whether the next start_next() calls the credentials function itself, to resume a bookmark.
  bool asks_for_credentials() const noexcept;
  /// Where the listing is.
  const Address& address() const noexcept;
  /// Where a consumer stands that took `taken` items of the page that next() returned last.
  std::string bookmark(std::size_t taken) const;
  ListingPlan plan() const;
  ListingTally tally() const;

  std::optional<std::size_t> max_items() const noexcept;
  BadItems bad_items() const noexcept;
  /// The client's.
  const Limits& limits() const noexcept;
  /// The error for an item of the last page that does not decode.
  Error item_error(const RawPage& page, std::size_t index, DecodeFault fault) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}}}  // namespace noun::detail
