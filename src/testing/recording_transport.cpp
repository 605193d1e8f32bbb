#include "testing/recording_transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testing/local_bodies.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

/// What arrives within it is one piece.
constexpr Duration apart = std::chrono::milliseconds(1);

/// Passes a body on, and keeps a copy of its pieces.
class RecordingSink final : public BodySink {
 public:
  RecordingSink(BodySink* sink, Clock& clock, std::size_t largest) : sink_(sink), clock_(clock), largest_(largest) {}

  Result<bool> begin(const Response& head) override {
    head_ = head;
    head_at_ = clock_.now().steady;
    const auto takes = sink_->begin(head);
    last_ = clock_.now().steady;
    takes_ = takes && *takes;
    return takes;
  }
  Result<void> write(std::string_view bytes) override {
    const auto arrived = clock_.now().steady;
    add(bytes, arrived);
    auto written = sink_->write(bytes);
    // The time of the program is not the server's.
    last_ += clock_.now().steady - arrived;
    return written;
  }

  /// Moves what was received to the exchange, which has ended now.
  void give_to(HarExchange& exchange, Instant started) {
    if (exchange.response.status == 0) exchange.response = head_;
    if (!takes_) return;
    add("", clock_.now().steady);
    exchange.latency = head_at_ - started;
    exchange.response.body.clear();
    exchange.pieces = std::move(pieces_);
    exchange.lacks_body = size_ > largest_;
  }

 private:
  void add(std::string_view bytes, Instant now) {
    size_ += bytes.size();
    if (size_ > largest_) {
      pieces_.clear();
    } else if (now - last_ >= apart || (pieces_.empty() && !bytes.empty())) {
      pieces_.push_back({std::string(bytes), now - last_});
      last_ = now;
    } else if (!pieces_.empty()) {
      pieces_.back().bytes += bytes;
    }
  }

  BodySink* sink_;
  Clock& clock_;
  std::size_t largest_;
  std::size_t size_ = 0;
  Response head_;
  bool takes_ = false;
  Instant head_at_;
  Instant last_;
  std::vector<HarPiece> pieces_;
};

/// Passes a streamed body on, and keeps a copy of what was read.
class RecordingSource final : public BodySource {
 public:
  RecordingSource(const BodySource* source, std::size_t largest) : source_(source), largest_(largest) {}

  std::uint64_t size() const noexcept override { return source_->size(); }
  Result<std::unique_ptr<BodyReader>> open() const override {
    copy_.clear();
    auto reader = source_->open();
    if (!reader) return reader;
    return std::unique_ptr<BodyReader>(std::make_unique<Reader>(*std::move(reader), *this));
  }

  /// Moves the body to the exchange, which has ended now. A body that was not read to its end is left out.
  void give_to(HarExchange& exchange) {
    exchange.lacks_request_body = copy_.size() != size();
    if (!exchange.lacks_request_body) exchange.request.body = std::move(copy_);
  }

 private:
  class Reader final : public BodyReader {
   public:
    Reader(std::unique_ptr<BodyReader> reader, const RecordingSource& source)
        : reader_(std::move(reader)), source_(source) {}

    Result<std::size_t> read(char* into, std::size_t at_most) override {
      auto count = reader_->read(into, at_most);
      if (count && source_.size() <= source_.largest_) source_.copy_.append(into, *count);
      return count;
    }

   private:
    std::unique_ptr<BodyReader> reader_;
    const RecordingSource& source_;
  };

  const BodySource* source_;
  std::size_t largest_;
  mutable std::string copy_;  // of one reader at a time
};

/// One attempt that is recorded.
class RecordedAttempt {
 public:
  RecordedAttempt(const Attempt& attempt, Recorder& recorder)
      : attempt_(attempt),
        recorder_(recorder),
        now_(recorder.clock->now()),
        source_(attempt.source, recorder.largest_body),
        sink_(attempt.sink, *recorder.clock, recorder.largest_body) {
    if (attempt_.source != nullptr) attempt_.source = &source_;
    if (attempt_.sink != nullptr) attempt_.sink = &sink_;
    exchange_.lacks_request_body = attempt.body.size() > recorder.largest_body;
    exchange_.request = sent_request(attempt, exchange_.lacks_request_body ? "" : std::string(attempt.body));
    exchange_.started = recorder.start_of(now_);
  }
  RecordedAttempt(const RecordedAttempt&) = delete;
  RecordedAttempt& operator=(const RecordedAttempt&) = delete;

  /// To be sent instead.
  const Attempt& attempt() const noexcept { return attempt_; }

  /// Writes the exchange. A fault does not change the result.
  void end(const Result<Response>& result) noexcept try {
    // Nothing was attempted.
    if (!result && result.error().code() == Errc::cancelled && result.error().sent() == Sent::no) return;
    exchange_.latency = recorder_.clock->now().steady - now_.steady;
    if (result)
      exchange_.response = *result;
    else
      exchange_.failure = result.error();
    if (!result && result.error().response() != nullptr) exchange_.response = *result.error().response();
    if (attempt_.source != nullptr) source_.give_to(exchange_);
    sink_.give_to(exchange_, now_.steady);
    leave_out_large_body();
    static const KnownSecrets none;
    recorder_.write(exchange_, attempt_.secrets != nullptr ? *attempt_.secrets : none, attempt_.dialect);
  } catch (const std::exception& exception) {
    recorder_.file.fail(exception.what());
  }

 private:
  void leave_out_large_body() {
    if (exchange_.response.body.size() <= recorder_.largest_body) return;
    exchange_.response.body.clear();
    exchange_.lacks_body = true;
  }

  Attempt attempt_;
  Recorder& recorder_;
  const Now now_;
  RecordingSource source_;
  RecordingSink sink_;
  HarExchange exchange_;
};

/// Records the attempts of a multiplexer.
class RecordingMultiplexer final : public Multiplexer {
 public:
  RecordingMultiplexer(std::unique_ptr<Multiplexer> multiplexer, std::shared_ptr<Recorder> recorder)
      : recorder_(std::move(recorder)), multiplexer_(std::move(multiplexer)) {}

  void start(Id id, const Attempt& attempt) override {
    if (auto fault = recorder_->file.fault()) {
      refused_.push_back({id, *std::move(fault)});
      return;
    }
    const auto [started, is_new] = attempts_.try_emplace(id, attempt, *recorder_);
    try {
      multiplexer_->start(id, started->second.attempt());
    } catch (...) {
      attempts_.erase(started);
      throw;
    }
  }
  void cancel(Id id) override { multiplexer_->cancel(id); }
  std::vector<Ended> wait(Duration at_most) override {
    auto ended = multiplexer_->wait(refused_.empty() ? at_most : Duration::zero());
    for (const auto& one : ended)
      if (const auto recorded = attempts_.find(one.id); recorded != attempts_.end()) {
        recorded->second.end(one.result);
        attempts_.erase(recorded);
      }
    std::move(refused_.begin(), refused_.end(), std::back_inserter(ended));
    refused_.clear();
    return ended;
  }
  void wake() noexcept override { multiplexer_->wake(); }

 private:
  const std::shared_ptr<Recorder> recorder_;
  std::vector<Ended> refused_;
  std::map<Id, RecordedAttempt> attempts_;
  // Destroyed first: it uses the attempts.
  const std::unique_ptr<Multiplexer> multiplexer_;
};

}  // namespace

WallTime Recorder::start_of(Now now) {
  // The lock may have been locked when the process was forked.
  if (!process_.is_current()) return now.wall;
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = now;
  return wall_time_of(now.steady, *first_);
}

void Recorder::write(HarExchange& exchange, const KnownSecrets& known, const Dialect* dialect) {
  if (!process_.is_current()) return;
  const std::lock_guard lock(mutex_);
  hide_secrets(exchange, known, dialect, rules, values_);
  file.append(har_entry(exchange));
}

Result<Response> RecordingTransport::send(const Attempt& attempt, const StopToken& stop) {
  if (auto fault = recorder_->file.fault()) return *std::move(fault);
  RecordedAttempt recorded(attempt, *recorder_);
  auto result = transport_->send(recorded.attempt(), stop);
  recorded.end(result);
  return result;
}

std::unique_ptr<Multiplexer> RecordingTransport::multiplexer() {
  auto multiplexer = transport_->multiplexer();
  if (!multiplexer) return nullptr;
  return std::make_unique<RecordingMultiplexer>(std::move(multiplexer), recorder_);
}

}}}  // namespace noun::testing
