#pragma once
/// @file
/// A download as an operation.

#include <cstdint>
#include <optional>
#include <stop_token>

#include <noun/download.hpp>

#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What op::download() was given.
struct DownloadRequest {
  VerbRequest request;
  DownloadTarget target;
  std::optional<std::uint64_t> max_bytes;
};

/// Downloads on the caller's thread, and sets `into`.
/// @param stop     in place of that of the options.
/// @param started  from when a deadline that is a duration counts.
Result<void> perform_download(ClientCore& core, const Address& address, const DownloadRequest& download,
                              const std::stop_token& stop, Instant started, std::optional<Download>& into);

}}}  // namespace noun::detail
