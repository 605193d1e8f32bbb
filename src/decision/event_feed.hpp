#pragma once
/// @file
/// One stream of events over all its connections: what a response means, which events it brings, whether it has ended,
/// and what the next request continues from.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <noun/http.hpp>
#include <noun/streaming.hpp>

#include "decision/continuation.hpp"
#include "wire/event_stream.hpp"
#include "wire/json_lines.hpp"
#include "wire/stream_event.hpp"

namespace noun { inline namespace v0 {

/// In bytes. A longer id of an event is not sent.
constexpr std::size_t longest_event_id = std::size_t{16} * 1024;

/// An event of a feed. Its views are as those of a wire::StreamEvent.
struct FeedEvent {
  wire::StreamEvent event;
  /// Counts the events of the feed, from 1.
  std::uint64_t number;
};

/// One stream, over all its attempts.
class EventFeed final : public Continuation {
 public:
  struct Settings {
    StreamRules rules = {};
    StreamEnd ends = StreamEnd::at_close;
    /// Instead of the one that Content-Type names.
    std::optional<StreamFormat> format = {};
    /// Whether another request may follow when the connection has ended.
    bool reconnects = false;
    std::string last_event_id = {};
    /// The parameters that continue after an item of JSON; they replace those of the same name. Empty for none. Called
    /// once for each connection after the first item.
    std::function<Query(std::string_view last_item)> resume_with = {};
    /// Called in on_end() with the last item of JSON and its number, if only the end of the body has ended it.
    std::function<void(std::string_view item, std::uint64_t number)> on_last = {};
    /// The most bytes of one event.
    std::size_t max_event = 0;
  };

  explicit EventFeed(Settings settings);

  /// The head of a response arrived. Returns whether its body is read with take().
  bool on_head(const Response& head);
  /// Bytes of the body arrived: then take() them.
  void on_bytes(std::size_t count) noexcept;
  /// Takes the next event from bytes of the body, and removes what was read. Nothing if more bytes are needed, or none
  /// are: has_ended() or failure() says so.
  std::optional<FeedEvent> take(std::string_view& rest);
  /// Why the stream has failed for good, although the response had a status of success.
  const std::optional<BodyFault>& failure() const noexcept { return failure_; }
  /// Whether the response is not a stream.
  bool has_other_type() const noexcept { return !other_type_.empty(); }
  const std::string& last_event_id() const noexcept { return settings_.last_event_id; }

  void add_fields(Headers& headers) override;
  std::string url(std::string_view original) const override;
  Next on_end() override;
  BodyFault early_end() const override;
  bool has_ended() const noexcept override { return complete_; }
  bool failed() const noexcept override { return failure_.has_value(); }
  bool stuck() const noexcept override { return failure_ || (is_open_ && !settings_.reconnects); }
  BodyFault stuck_fault() const override;
  std::optional<Duration> wait() const noexcept override { return wait_; }
  bool take_progress() noexcept override;
  std::uint64_t received() const noexcept override { return bytes_; }
  /// Of events.
  std::uint64_t events() const noexcept { return events_; }

 private:
  using Reader = std::variant<wire::EventStreamReader, wire::JsonLinesReader>;

  std::optional<FeedEvent> accept(const wire::StreamEvent& event);
  std::string count() const;

  Settings settings_;
  std::optional<Reader> reader_;
  /// The Content-Type of a response that is not a stream, as a clause.
  std::string other_type_;
  /// Whether a response was a stream.
  bool is_open_ = false;
  bool complete_ = false;
  bool is_cut_ = false;
  bool progressed_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t events_ = 0;
  std::string last_item_;
  std::optional<Duration> wait_;
  std::optional<BodyFault> failure_;
};

}}  // namespace noun
