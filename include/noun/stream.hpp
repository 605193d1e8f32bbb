#pragma once
/// @file
/// A stream of events, each as soon as it arrives: server-sent events, or JSON in lines.
///
///     for (auto& each : api.stream<Language>({.path = "languages/changes"})) {
///       if (!each) return report(each.error());       // the last element: a stream never ends silently
///       use(each->value);
///     }

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <noun/detail/single_pass.hpp>
#include <noun/detail/stream_source.hpp>
#include <noun/http.hpp>
#include <noun/json.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/retry.hpp>
#include <noun/stop.hpp>
#include <noun/streaming.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The options of one stream. Of the time limits only Timeouts::connect, the stall timeout and the deadline apply.
struct StreamOptions {
  Query query = {};      ///< as in CallOptions
  /// As in CallOptions; `Accept` names the formats that noun reads, unless it is given. Not Accept-Encoding.
  Headers headers = {};
  /// Instead of the format that Content-Type names.
  std::optional<StreamFormat> format = {};
  /// Instead of Dialect::stream.
  std::optional<StreamRules> rules = {};
  /// When the stream is complete. Nothing: `at_marker` if the rules have a marker or a last event; otherwise `never`
  /// with `reconnect`, and else `at_close`. `at_marker` with neither is `invalid_argument`.
  std::optional<StreamEnd> ends = {};
  /// Where to continue: sent as `Last-Event-ID`, also by reconnections, until an event brings another. One of more than
  /// 16 KiB, or with a control character, is `invalid_argument`; that of an event is not sent.
  std::string last_event_id = {};
  /// Whether another request follows when the connection ends or breaks, as often as needed; for GET and QUERY only. It
  /// waits as the server says (Retry-After, or else `retry`; 250 ms at the least), or for the backoff of
  /// ClientOptions::retry. After a request that received nothing, `retry` does not shorten the backoff. A wait that is
  /// longer than `give_up_after` there ends the stream. The attempts count from the first again after anything was
  /// received. A 204 ends the stream without an error.
  bool reconnect = false;
  /// How a reconnection continues after an item of JSON: returns the query parameters to set. Called on a thread of noun
  /// with the text of the last item: `[](std::string_view item) { return noun::Query{{"since", number_in(item)}}; }`. An
  /// exception ends the stream as `cancelled`. A call that runs may outlast the Stream, which does not wait for it: the
  /// function must own what it uses.
  std::function<Query(std::string_view last_item)> resume_with = {};
  /// Whether an event that is not what T needs ends the stream.
  BadItems bad_items = BadItems::stop;
  Priority priority = Priority::normal;  ///< the order in which waiting calls are served
  /// Replaces Timeouts::stall; greater than zero. How long the server may send nothing, not even a comment.
  std::optional<Duration> stall_timeout = {};
  /// When the stream must have ended. Up to 64 KiB of events that were received by then are delivered before the error.
  /// One that still waits for a thread then sends nothing, and ends when it gets one.
  Deadline deadline = {};
  /// Ends the stream within 50 ms of a stop request.
  StopToken stop = {};
  /// Replaces ClientOptions::retry.
  std::optional<RetryPolicy> retry = {};
};

/// An event of a stream of T.
template <class T>
struct StreamItem {
  T value;                 ///< its data, decoded from JSON
  std::string event = {};  ///< the type of a server-sent event, `message` if it has none; otherwise empty
  std::string id = {};     ///< the last event ID, also if an earlier event brought it; may be empty

  /// Whether all members are equal.
  friend bool operator==(const StreamItem&, const StreamItem&) = default;
};

/// The data of an event as the server sent it, as the T of a stream whose data is not JSON.
struct EventText {
  std::string text = {};  ///< the lines of data, joined by LF

  /// Whether the texts are equal.
  friend bool operator==(const EventText&, const EventText&) = default;
};

namespace detail {

/// A StreamItem<T> from an event, or its error.
template <class T>
Result<StreamItem<T>> item_of(const StreamSource& source, RawEvent event) {
  if constexpr (std::same_as<T, EventText>) {
    return StreamItem<T>{{std::move(event.data)}, std::move(event.event), std::move(event.id)};
  } else {
    DecodeFault fault;
    if (auto value = decode_value<T>(event.data, source.limits(), fault))
      return StreamItem<T>{*std::move(value), std::move(event.event), std::move(event.id)};
    return source.item_error(event, std::move(fault));
  }
}

/// The next element of a stream: nothing at its end.
template <class T>
std::optional<Result<StreamItem<T>>> element_of(StreamSource& source, StreamSource::Next next) {
  if (!next) return std::move(next).error();
  if (!*next) return std::nullopt;
  auto item = item_of<T>(source, *std::move(*next));
  if (!item && source.bad_items() == BadItems::stop) source.end();
  return item;
}

struct StreamAccess;

}  // namespace detail

/// The events of a stream as a single-pass input range of Result<StreamItem<T>>. An error is its last element, unless
/// it is of an event and StreamOptions::bad_items says otherwise.
///
/// Nothing is sent before the first event is read. While the program does not take events, no more than 64 KiB of them
/// and one event are kept, and the server has to wait. The destructor closes the connection; where the stream was the
/// last to keep its client alive, it also waits for the threads of the client. Up to 64 of them are for streams and
/// downloads; another one waits.
///
/// Move-only; keeps its client alive; a move invalidates the iterators.
/// @threadsafety  used by one thread at a time. In an observer of calls in the background the element is the
///                error `refused`.
template <class T>
class [[nodiscard]] Stream {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators are the same position. `*` is the event, or the
  /// error that ends the stream.
  using iterator = detail::SinglePassIterator<Stream, Result<StreamItem<T>>>;

  /// Of these events; made by Client::stream().
  explicit Stream(std::shared_ptr<detail::StreamSource> source) : source_(std::move(source)) {}
  /// @{
  /// Move-only.
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) noexcept = default;
  ~Stream() = default;
  /// @}

  /// Continues after the last event that was stepped over. Sends nothing: the first comparison or `*` sends the
  /// request.
  iterator begin() & { return iterator(this); }
  /// Does not compile, and says why.
  template <class Self = Stream>
  iterator begin() && {
    static_assert(sizeof(Self) == 0, "noun: keep the stream in a variable: an iterator points into it");
    return iterator();
  }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// The id of the last event that was read, for StreamOptions::last_event_id of another stream; may be empty.
  const std::string& last_event_id() const noexcept { return source_->last_event_id(); }
  /// The head of the last response; null before the first.
  std::shared_ptr<const Response> response() const { return source_->response(); }

 private:
  friend struct detail::StreamAccess;
  friend iterator;

  /// Releases the source also if memory runs out.
  struct Claimed {
    explicit Claimed(detail::StreamSource& source) noexcept : of(source) {}
    Claimed(const Claimed&) = delete;
    Claimed& operator=(const Claimed&) = delete;
    ~Claimed() { of.release(); }
    detail::StreamSource& of;
  };

  bool fetch() {
    if (current_) return true;
    if (over_) return false;
    if (!source_->claim()) {
      current_ = detail::StreamSource::busy();
      over_ = true;
      return true;
    }
    auto next = [this] {
      const Claimed claimed{*source_};
      return source_->next();
    }();
    const bool failed = !next;
    if (auto element = detail::element_of<T>(*source_, std::move(next))) current_.emplace(*std::move(element));
    over_ = failed || !current_ || (!*current_ && source_->bad_items() == BadItems::stop);
    return current_.has_value();
  }

  std::shared_ptr<detail::StreamSource> source_;
  std::optional<Result<StreamItem<T>>> current_;
  bool over_ = false;
};

/// Access to a stream for op::next_event().
struct detail::StreamAccess {
  /// What it receives from.
  template <class T>
  static const std::shared_ptr<StreamSource>& source_of(const Stream<T>& stream) noexcept {
    return stream.source_;
  }
};

}}  // namespace noun
