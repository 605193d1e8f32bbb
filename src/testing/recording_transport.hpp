#pragma once
/// @file
/// Passes attempts on, and writes each with its response.

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <noun/testing/recording.hpp>
#include <noun/transport.hpp>

#include "os/own_process.hpp"
#include "testing/har_file.hpp"
#include "testing/har_redaction.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// Where attempts are written, and how. Safe to use from many threads.
struct Recorder {
  Recorder(const std::string& path, RecordOptions options)
      : file(path),
        clock(options.clock ? std::move(options.clock) : system_clock()),
        rules{std::move(options.hidden_members), std::move(options.shown_members), std::move(options.shown_headers)},
        largest_body(options.largest_body) {}

  /// When an attempt starts: by the steady clock since the first one, so that the order is right also if the wall clock
  /// is set back.
  WallTime start_of(Now now);
  /// Hides the secrets of an exchange that has ended, and writes it.
  void write(HarExchange& exchange, const KnownSecrets& known, const Dialect* dialect);

  HarFile file;
  const std::shared_ptr<Clock> clock;
  const HidingRules rules;
  const std::size_t largest_body;

 private:
  const OwnProcess process_;
  std::mutex mutex_;
  std::optional<Now> first_;
  HiddenValues values_;
};

/// Records all attempts, those of its multiplexer too.
class RecordingTransport final : public Transport {
 public:
  RecordingTransport(std::shared_ptr<Transport> transport, std::shared_ptr<Recorder> recorder)
      : transport_(std::move(transport)), recorder_(std::move(recorder)) {}

  Result<Response> send(const Attempt& attempt, const StopToken& stop) override;
  std::unique_ptr<Multiplexer> multiplexer() override;

 private:
  const std::shared_ptr<Transport> transport_;
  const std::shared_ptr<Recorder> recorder_;
};

}}}  // namespace noun::testing
