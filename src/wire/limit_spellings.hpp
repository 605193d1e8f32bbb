#pragma once
/// @file
/// The common spellings of the rate-limit headers (RateLimitHeaders::common_spellings): which header is about which
/// quota. What their values mean is not decided here.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/headers.hpp>
#include <noun/time.hpp>

#include "wire/told_quota.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// How long to wait, as it is written.
struct WaitText {
  std::string_view text;
  ResetForm form;  ///< automatic is what Retry-After has
};

/// The values of the headers with a common spelling; they live as long as the headers.
struct CommonFields {
  /// The dialect's own quota in the other spellings, in the order in which they count; a missing one is empty.
  std::array<QuotaText, 4> same = {};
  /// Quotas by their suffix, which is the name as it is written: at most 64.
  std::vector<QuotaText> further = {};
  std::vector<WaitText> waits = {};
};

/// Whether the common spellings are read with these names.
bool reads_common_spellings(const RateLimitHeaders& names) noexcept;

/// Finds all of them in one pass. Of a repeated header the first counts that is not empty.
CommonFields find_common_spellings(const Headers& headers);

/// The length of the windows that a suffix names: `second`, `minute`, `hour` or `day`.
std::optional<Duration> window_named(std::string_view suffix) noexcept;

}}}  // namespace noun::wire
