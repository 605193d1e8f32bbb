#include <noun/testing/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testing/har.hpp"
#include "testing/har_match.hpp"
#include "testing/local_bodies.hpp"
#include "testing/recording_transport.hpp"
#include "wire/content_range.hpp"
#include "wire/integer.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

void check_origin(std::string_view text) {
  if (wire::origin_of(text) && wire::written_origin(text) == text) return;
  detail::throw_exception(Error(Errc::invalid_argument,
                                fmt::format("{} in ReplayOptions::moved is not an origin", wire::quoted_path(text)),
                                "write the scheme, the host and the port only: https://api.example.com"));
}

/// What replay() serves of the file.
std::vector<HarExchange> exchanges_of(const std::string& path, const std::vector<MovedOrigin>& origins) {
  for (const auto& [from, to] : origins) {
    check_origin(from);
    check_origin(to);
  }
  return moved(read_har(path).value(), origins);
}

HarHeaders headers_to_match(const TextList& more) {
  auto headers = conditional_headers();
  for (const auto& name : more) headers->emplace_back(name);
  return headers;
}

/// Whether bodies may have other sizes than the server sent.
bool may_differ_in_size(const std::vector<HarExchange>& exchanges) {
  const auto is_in = [](std::string_view bytes) { return bytes.find(hidden) != std::string_view::npos; };
  return std::any_of(exchanges.begin(), exchanges.end(), [&](const HarExchange& each) {
    return is_in(each.response.body) || std::any_of(each.pieces.begin(), each.pieces.end(),
                                                    [&](const HarPiece& piece) { return is_in(piece.bytes); });
  });
}

/// Where a request goes on with a download.
std::optional<std::uint64_t> position_of(const Headers& headers) {
  constexpr std::string_view start = "bytes=";
  auto range = headers.get("Range").value_or("");
  if (!headers.contains("If-Range") || !range.starts_with(start) || !range.ends_with('-')) return std::nullopt;
  range.remove_prefix(start.size());
  range.remove_suffix(1);
  return wire::read_integer<std::uint64_t>(range);
}

/// The Content-Range of a 416 whose client had received all.
constexpr std::string_view received_all = "bytes */***";

/// Downloads go on at other bytes than recorded.
std::vector<HarExchange> with_any_position(std::vector<HarExchange> exchanges) {
  for (auto& exchange : exchanges) {
    const auto position = position_of(exchange.request.headers);
    if (!position) continue;
    exchange.request.headers.set("Range", fmt::format("bytes={}-", hidden));
    auto& headers = exchange.response.headers;
    const auto range = wire::read_byte_range(headers.get("Content-Range").value_or(""));
    if (range && !range->span && range->total == position) headers.set("Content-Range", std::string(received_all));
  }
  return exchanges;
}

std::size_t size_of(const HarExchange& exchange) {
  auto size = exchange.response.body.size();
  for (const auto& piece : exchange.pieces) size += piece.bytes.size();
  return size;
}

Duration duration_of(const HarExchange& exchange) {
  auto duration = exchange.latency;
  for (const auto& piece : exchange.pieces) duration += piece.after;
  return duration;
}

Error body_is_missing(const HarExchange& exchange, std::string_view name) {
  return Error(Errc::refused,
               fmt::format("the recording {} has no body of the response in log.entries[{}]", wire::quoted_path(name),
                           exchange.entry),
               "record it again, or export it with contents", Sent::no);
}

/// The Content-Range of a body that starts at a position, of which so much was received.
std::string content_range(const wire::ContentRange& recorded, std::uint64_t position, std::uint64_t size,
                          bool is_whole) {
  const auto [first, last] = *recorded.span;
  const auto end = position + (is_whole ? size : std::max(size, last - first + 1));
  // How long the rest is now is not known before the last part.
  const bool is_last = is_whole && recorded.total == last + 1;
  return fmt::format("bytes {}-{}/{}", position, end - 1, is_last ? std::to_string(end) : "*");
}

/// The recorded headers for a sink. It takes no coded body, and counts the bytes: the recorded body is decoded, and
/// something in it may have been hidden or moved.
/// @param sizes_differ  whether that may be so in another part of the same download.
Headers headers_for(const Attempt& attempt, const HarExchange& exchange, bool sizes_differ) {
  auto headers = exchange.response.headers;
  if (attempt.sink == nullptr) return headers;
  const bool was_coded = headers.erase("Content-Encoding") > 0;
  const bool is_whole = !exchange.failure;
  const auto size = size_of(exchange);
  if (is_whole && headers.contains("Content-Length"))
    headers.set("Content-Length", size);
  else if (was_coded || sizes_differ)
    headers.erase("Content-Length");
  if (!sizes_differ) return headers;
  const auto position = position_of(attempt.headers);
  const auto range = wire::read_byte_range(headers.get("Content-Range").value_or(""));
  if (position && headers.get("Content-Range") == received_all)
    headers.set("Content-Range", fmt::format("bytes */{}", *position));
  else if (position && range && range->span && (size > 0 || !is_whole))
    headers.set("Content-Range", content_range(*range, *position, size, is_whole));
  else if (!position && range && range->span && range->span->first == 0 && range->total == range->span->last + 1)
    headers.erase("Content-Range");  // of all
  return headers;
}

/// Serves an exchange. Recorded pauses are no stalls. A recorded failure is served also if the attempt's time limit
/// passes before it, as it does before a timeout.
Result<Response> play(const HarExchange& exchange, Headers headers, Duration latency, const Attempt& attempt,
                      ManualClock& clock, const StopToken& stop) {
  auto time_left = attempt.timeout;
  auto bytes_left = size_of(exchange);
  const auto& failure = exchange.failure;
  const auto passes = [&](Duration span) {
    const auto passed = std::min(span, time_left);
    clock.advance(passed);
    time_left -= passed;
    return passed == span || (failure && bytes_left == 0);
  };
  if (!passes(latency)) return Error(Errc::timeout, "no response within the attempt's time limit", Sent::maybe);
  if (failure && exchange.response.status == 0) return *failure;
  auto head = exchange.response;
  head.headers = std::move(headers);
  const auto body = std::exchange(head.body, {});
  Delivery delivery(attempt, std::move(head));
  if (auto started = delivery.begin(); !started) return std::move(started).error();
  const auto write = [&](std::string_view bytes, Duration after) -> Result<void> {
    if (!passes(after))
      return Error(Errc::timeout, "no complete response within the attempt's time limit", Sent::answered);
    if (stop.stop_requested()) return stopped_attempt(Sent::answered);
    bytes_left -= bytes.size();
    return delivery.write(bytes);
  };
  auto written = write(body, Duration::zero());
  for (auto piece = exchange.pieces.begin(); written && piece != exchange.pieces.end(); ++piece)
    written = write(piece->bytes, piece->after);
  if (written && failure) written = *failure;
  if (!written) return std::move(delivery).broken(written.error());
  return std::move(delivery).whole();
}

}  // namespace

std::shared_ptr<Transport> record(std::shared_ptr<Transport> transport, const std::string& path,
                                  RecordOptions options) {
  if (!transport) transport = libcurl_transport({}).value();
  auto recorder = std::make_shared<Recorder>(path, std::move(options));
  if (const auto fault = recorder->file.fault())
    detail::throw_exception(Error(Errc::invalid_argument, fault->what(), fault->advice()));
  return std::make_shared<RecordingTransport>(std::move(transport), std::move(recorder));
}

/// The exchanges, and how far the clock is from their times.
struct Replay::Tape {
  /// An exchange that was served, in the time of the recording.
  struct Span {
    Duration begins;
    Duration ends;
    Duration shift;  ///< how much later the clock is
  };

  Tape(std::vector<HarExchange> exchanges, HarHeaders headers, std::string path, bool was_moved)
      : name(std::move(path)),
        start(exchanges.empty() ? WallTime() : exchanges.front().started),
        sizes_differ(was_moved || may_differ_in_size(exchanges)),
        matcher(sizes_differ ? with_any_position(std::move(exchanges)) : std::move(exchanges), std::move(headers),
                name) {}

  /// The time until the head of an exchange that is requested at `elapsed`.
  Duration latency(const HarExchange& exchange, Duration elapsed) {
    const auto begins = exchange.started - start;
    // It starts now, unless it shares its time with one that was served.
    Span span{begins, begins + duration_of(exchange), elapsed - begins};
    const auto overlaps = [&](const Span& other) { return other.begins < span.ends && span.begins < other.ends; };
    // Most start after all others, of which there may be many.
    if (const auto last = begins < ends ? std::find_if(served.rbegin(), served.rend(), overlaps) : served.rend();
        last != served.rend())
      span.shift = std::min(span.shift, last->shift);
    ends = std::max(ends, span.ends);
    served.push_back(span);
    return std::max(begins + exchange.latency + span.shift - elapsed, Duration::zero());
  }

  const std::string name;
  const WallTime start;
  const bool sizes_differ;
  std::mutex mutex;
  HarMatcher matcher;
  std::vector<SentRequest> requests;
  Instant clock_start;
  std::vector<Span> served;
  Duration ends = Duration::zero();  // of all of them
};

Replay::Replay(const std::string& path, ReplayOptions options)
    : tape_(std::make_unique<Tape>(exchanges_of(path, options.moved), headers_to_match(options.headers), path,
                                   !options.moved.empty())) {
  clock_ = std::make_shared<ManualClock>(tape_->start);
  tape_->clock_start = clock_->now().steady;
}

Replay::~Replay() = default;

Result<Response> Replay::send(const Attempt& attempt, const StopToken& stop) {
  if (stop.stop_requested()) return stopped_attempt(Sent::no);
  // Before the lock: a source may call the observer, which may look at the requests.
  auto body = sent_body(attempt);
  if (!body) return std::move(body).error();
  std::unique_lock lock(tape_->mutex);
  tape_->requests.push_back(sent_request(attempt, *std::move(body)));
  static const KnownSecrets none;
  const auto found = tape_->matcher.take(tape_->requests.back(), attempt.secrets != nullptr ? *attempt.secrets : none);
  if (!found) return found.error();
  const auto& exchange = **found;
  const auto latency = tape_->latency(exchange, clock_->now().steady - tape_->clock_start);
  // A sink may wait for a program that looks at the requests.
  lock.unlock();
  if (exchange.lacks_body) return body_is_missing(exchange, tape_->name);
  return play(exchange, headers_for(attempt, exchange, tape_->sizes_differ), latency, attempt, *clock_, stop);
}

std::vector<SentRequest> Replay::requests() const {
  const std::lock_guard lock(tape_->mutex);
  return tape_->requests;
}

std::string Replay::complaint() const {
  const std::lock_guard lock(tape_->mutex);
  return tape_->matcher.complaint();
}

std::shared_ptr<Replay> replay(const std::string& path, ReplayOptions options) {
  return std::make_shared<Replay>(path, std::move(options));
}

}}}  // namespace noun::testing
