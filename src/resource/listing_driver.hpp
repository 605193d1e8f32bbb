#pragma once
/// @file
/// Runs the fetches of a listing machine: on the caller's thread, or ahead of the caller in the background.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "call/call.hpp"
#include "paging/listing_machine.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The error of a listing when memory runs out. Made in advance.
Error out_of_memory();

/// Fetches the pages of one listing for one consumer, which uses it on one thread at a time.
class ListingDriver : public std::enable_shared_from_this<ListingDriver> {
 public:
  /// @param request  of every page; the machine sets its URL, body and Range.
  ListingDriver(ClientCore& core, CallRequest request, ListingSettings settings, std::stop_token stop);

  /// Sets the deadline of every page; before the first next().
  void set_deadline(Instant deadline) noexcept { request_.deadline = deadline; }
  /// Returns Deliver, End or Fail; waits for the page.
  ListingStep next();
  /// Cancels the fetches in flight.
  void close();
  /// Calls `look` with the machine, under the lock.
  template <class Look>
  auto look_at(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(machine_);
  }
  /// The time of the fastest fetch so far; nothing before the first page.
  std::optional<Duration> pace() const;

 private:
  using Fetches = std::vector<Fetch>;
  using Fetched = std::variant<FetchedPage, Error>;

  CallRequest request_for(const Fetch& fetch) const;
  Fetched fetch_now(const Fetch& fetch);
  Fetched read(const Fetch& fetch, Done done, const Call& call) const;
  FetchedPage with_strategy(const Fetch& fetch, FetchedPage page) const;
  void start(const Fetches& fetches) noexcept;
  void start(const Fetch& fetch);
  void arrived(std::uint64_t id, Fetched fetched, std::optional<Duration> took) noexcept;
  void record(std::uint64_t id, Fetched fetched);
  Fetches ahead_of_consumer();
  void stop_unwanted() noexcept;

  ClientCore& core_;
  CallRequest request_;  // constant after the first next()
  const paging::Style style_;
  const std::string items_pointer_;
  const bool may_be_absent_;
  const bool reads_ahead_;
  const std::stop_token stop_;
  const Error exhausted_ = out_of_memory();

  mutable std::mutex mutex_;
  std::condition_variable arrival_;
  ListingMachine machine_;
  std::vector<std::pair<std::uint64_t, std::stop_source>> in_flight_;
  std::uint64_t arrivals_ = 0;
  std::optional<Duration> pace_;
  bool closed_ = false;
  bool broken_ = false;  // memory ran out: only the bookmark is valid
  /// Passes the caller's stop request on to the fetches in flight.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}}}  // namespace noun::detail
