#pragma once
/// @file
/// The events of a stream as bytes. Not for programs: noun::Stream is made of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <noun/address.hpp>
#include <noun/http.hpp>
#include <noun/json.hpp>
#include <noun/limits.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/stop.hpp>

namespace noun { inline namespace v0 {

struct StreamOptions;

namespace detail {

/// An event as received.
struct RawEvent {
  std::string data = {};      ///< as the server sent it
  std::string event = {};     ///< its type
  std::string id = {};        ///< the last event ID
  std::uint64_t number = 0;   ///< from 1, counted by the stream
};

/// Receives the events of one stream. Used by one thread at a time, which claim() makes sure of.
class NOUN_API StreamSource {
 public:
  /// The next event, nothing at the end, or the error that ends the stream.
  using Next = Result<std::optional<RawEvent>>;

  /// Sends nothing. What is wrong with the request or the options is the first next()'s error.
  /// @param base  the address of the client's base URL.
  StreamSource(const Address& base, Request request, StreamOptions options);
  /// @{
  /// Not copyable. The destructor closes the connection.
  StreamSource(const StreamSource&) = delete;
  StreamSource& operator=(const StreamSource&) = delete;
  ~StreamSource();
  /// @}

  /// The error of whoever uses a stream while another thread or operation does.
  static Error busy();
  /// Whether no other operation or iterator uses it; if so, the caller may, until release(). From any thread.
  bool claim() noexcept;
  void release() noexcept;
  /// Waits for the next event. The first call sends the request.
  Next next();
  /// Whether take() has a result. The first call sends the request.
  /// @param stop  if it is requested, there is one; later, cancel_next() must be called.
  /// @param then  called once when there is one, unless that is so now; on the thread that receives, or in cancel_next().
  bool start_next(const StopToken& stop, std::function<void()> then);
  /// Ends start_next(); the stream continues. From any thread.
  void cancel_next() noexcept;
  /// What next() would return, or the error `cancelled` if it would wait.
  Next take();
  /// Ends the stream.
  void end() noexcept;
  /// Where the stream is.
  const Address& address() const noexcept;
  /// That of the last event that was taken; may be empty.
  const std::string& last_event_id() const noexcept;
  /// The head of the last response; null before the first.
  std::shared_ptr<const Response> response() const;
  BadItems bad_items() const noexcept;
  /// The client's.
  const Limits& limits() const noexcept;
  /// The error for an event that does not decode.
  Error item_error(const RawEvent& event, DecodeFault fault) const;

 private:
  class Driver;
  std::shared_ptr<Driver> driver_;
};

}  // namespace detail

}}  // namespace noun
