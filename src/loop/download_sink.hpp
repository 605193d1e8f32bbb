#pragma once
/// @file
/// Where the bytes of a download go: a file or a function.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <noun/clock.hpp>
#include <noun/transport.hpp>

#include "decision/resumption.hpp"
#include "os/partial_file.hpp"

namespace noun { inline namespace v0 {

/// Takes the bodies of one download's attempts. Used by one thread at a time.
class DownloadSink final : public BodySink {
 public:
  /// Takes bytes; an error ends the download.
  using Function = std::function<Result<void>(std::string_view bytes)>;

  /// @param file  null if the bytes go to `function`.
  DownloadSink(Resumption& resumption, std::unique_ptr<PartialFile> file, Function function, Clock& clock)
      : resumption_(resumption), file_(std::move(file)), function_(std::move(function)), clock_(clock) {}

  Result<bool> begin(const Response& head) override;
  Result<void> write(std::string_view bytes) override;
  /// Reports the bytes that were not reported yet.
  void report(Now now);
  /// The download is complete: the file gets its name.
  Result<void> commit() { return file_ ? file_->commit() : Result<void>(); }

  /// Called by report(), and after bytes were taken, at most ten times a second; may be empty.
  std::function<void(Now now)> on_progress = {};

 private:
  Resumption& resumption_;
  std::unique_ptr<PartialFile> file_;
  Function function_;
  Clock& clock_;
  Instant reported_at_ = Instant::min();
  std::uint64_t reported_ = 0;
};

}}  // namespace noun
