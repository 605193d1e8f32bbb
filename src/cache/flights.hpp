#pragma once
/// @file
/// Identical requests at the same time share one response.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <noun/http.hpp>
#include <noun/quota.hpp>
#include <noun/wake.hpp>

#include "cache/stored_response.hpp"
#include "quota/wakeable.hpp"

namespace noun { inline namespace v0 { namespace cache {

/// The requests of a client that are in flight and that others may follow. Safe to use from many threads.
/// @source RFC 9111, section 4: requests may be collapsed.
class Flights {
 public:
  /// What identifies a request and the state of the resource that it may see.
  struct Request {
    std::string name;
    Headers headers;
    /// How many writes of the resource had ended.
    std::uint64_t writes;
    Priority priority;
  };
  using Followers = std::vector<std::shared_ptr<quota::Wakeable>>;

 private:
  /// A request in flight.
  struct Flight {
    Request request;
    Followers followers = {};
    bool landed = false;
    Bytes stored = {};
  };

 public:
  /// The part of one call. Move-only. One that leads and is dropped lands.
  class Seat {
   public:
    Seat() = default;
    Seat(Seat&& other) noexcept = default;
    Seat& operator=(Seat&& other) = delete;
    ~Seat() { static_cast<void>(land(nullptr)); }

    /// Whether the call waits for another one.
    bool follows() const noexcept { return waiting_ != nullptr; }
    /// Of a call that follows: what wakes it.
    const std::shared_ptr<quota::Wakeable>& waiting() const noexcept { return waiting_; }
    /// Of a call that follows: whether the other one has ended.
    bool has_landed() const;
    /// Of a call that follows, after the other one has landed: the bytes of what that has stored, or null.
    const Bytes& stored() const noexcept { return flight_->stored; }
    /// Of a call that leads, at its end: those that followed and are to be woken.
    /// @param stored  the bytes of what they may use, or null.
    Followers land(Bytes stored) noexcept;

   private:
    friend class Flights;
    Seat(std::shared_ptr<Flights> flights, std::shared_ptr<Flight> flight, std::shared_ptr<quota::Wakeable> waiting)
        : flights_(std::move(flights)), flight_(std::move(flight)), waiting_(std::move(waiting)) {}

    std::shared_ptr<Flights> flights_;
    std::shared_ptr<Flight> flight_;
    std::shared_ptr<quota::Wakeable> waiting_;
  };

  /// A request that is sent: leads, unless one of its name is in flight.
  static Seat lead(const std::shared_ptr<Flights>& flights, Request request);
  /// A request that is about to be sent: follows the same one if that is in flight, is no less urgent, and was sent after
  /// the same writes. Otherwise the seat is empty.
  static Seat follow(const std::shared_ptr<Flights>& flights, const Request& request);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> by_name_;
};

}}}  // namespace noun::cache
