#pragma once
/// @file
/// A download as an operation.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <noun/download.hpp>
#include <noun/stop.hpp>

#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What op::download() was given.
class DownloadRequest final : public Work {
 public:
  DownloadRequest(VerbRequest request, DownloadTarget target, std::optional<std::uint64_t> max_bytes)
      : request_(std::move(request)), target_(std::move(target)), max_bytes_(max_bytes) {}

  Result<void> perform(ClientCore& core, const Address& address, const Reader& reader) override;
  void start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) override;
  /// Downloads on the caller's thread, and sets `into`.
  /// @param stop     in place of that of the options.
  /// @param started  from when a deadline that is a duration counts.
  Result<void> perform(ClientCore& core, const Address& address, const StopToken& stop, Instant started,
                       std::optional<Download>& into) const;
  /// Stop requests of the caller.
  const StopToken& stop() const noexcept { return request_.options.stop; }

 private:
  const VerbRequest request_;
  const DownloadTarget target_;
  const std::optional<std::uint64_t> max_bytes_;
};

}}}  // namespace noun::detail
