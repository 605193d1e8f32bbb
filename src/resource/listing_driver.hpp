#pragma once
/// @file
/// Runs the fetches of a listing machine: on the caller's thread, or ahead of the caller in the background.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <noun/stop.hpp>

#include "call/call.hpp"
#include "paging/listing_machine.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Fetches the pages of one listing for one consumer, which uses it on one thread at a time.
class ListingDriver : public std::enable_shared_from_this<ListingDriver> {
 public:
  /// @param request  of every page; the machine sets its URL, body and Range.
  ListingDriver(ClientCore& core, const CallRequest& request, const ListingSettings& settings, StopToken stop);

  /// Sets the deadline of every page; before the first next().
  void set_deadline(Instant deadline) noexcept { request_.deadline = deadline; }
  /// Returns Deliver, End or Fail; waits for the page.
  ListingStep next();
  /// Waits for a page that a start_next() fetches.
  struct Awaiting {
    /// Runs credentials functions of the program; may be empty.
    Executor executor = {};
    /// Called once, on a worker of the client or in cancel_next(): the step, or nothing if it was cancelled.
    std::function<void(std::optional<ListingStep>)> arrived = {};
  };
  /// As next(), without waiting: returns the step, or passes it to `arrived`, at once if stop is requested.
  std::optional<ListingStep> start_next(Awaiting awaiting, const StopToken& stop);
  /// Ends a start_next(). The fetches are dropped.
  void cancel_next() noexcept;
  /// Cancels the fetches in flight.
  void close();
  /// Calls `look`, a function or a member, with the machine, under the lock.
  template <class Look>
  auto look_at(Look look) const {
    const std::lock_guard lock(mutex_);
    return std::invoke(look, machine_);
  }

 private:
  using Fetches = std::vector<Fetch>;
  using Fetched = std::variant<FetchedPage, Error>;

  void listen_for_stop();
  bool cancel(std::optional<std::uint64_t> awaited) noexcept;
  void advance() noexcept;
  void add_read_ahead(Fetches& fetches);
  void start(const Fetches& fetches) noexcept;
  void start(const Fetch& fetch);
  void read_elsewhere(const Fetch& fetch, Done done, std::shared_ptr<CallJob> job) noexcept;
  void finish(const Fetch& fetch, Done done, const Call& call, bool in_background) noexcept;
  void arrived(std::uint64_t id, Fetched fetched, bool in_background) noexcept;
  CallRequest request_for(const Fetch& fetch) const;
  Fetched read(const Fetch& fetch, Done done, const Call& call);
  void stop_unwanted() noexcept;

  ClientCore& core_;
  const Paging paging_;
  CallRequest request_;  // constant after the first next()
  const bool reads_ahead_;
  const StopToken stop_;

  mutable std::mutex mutex_;
  std::condition_variable arrival_;
  ListingMachine machine_;
  std::vector<std::pair<std::uint64_t, StopSource>> in_flight_;
  std::uint64_t arrivals_ = 0;
  std::optional<Awaiting> awaiting_;
  std::uint64_t awaited_ = 0;
  bool closed_ = false;
  bool broken_ = false;  // memory ran out: only the bookmark is valid
  /// Passes the caller's stop request on to the fetches in flight.
  std::optional<StopCallback<std::function<void()>>> on_stop_;
};

}}}  // namespace noun::detail
