#pragma once
/// @file
/// The common spellings of the rate-limit headers (Dialect::common_spellings): which header belongs to which
/// quota. Values are parsed in rate_limit.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "wire/reported_quota.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// A wait, as written in the header.
struct WaitText {
  std::string_view text;
  ResetForm form;  ///< automatic: the forms of Retry-After
};

/// The values of the headers with a common spelling, as views of the headers.
struct CommonFields {
  /// The dialect's own quota in the other spellings, in order of precedence; a missing one is empty.
  std::array<QuotaLines, 4> same = {};
  /// Quotas named by their suffix as written, which each of their lines has: at most 64, none empty.
  std::vector<QuotaLines> further = {};
  std::vector<WaitText> waits = {};
};

/// Whether the common spellings are read in addition to the names of the dialect.
bool reads_common_spellings(const Dialect& dialect) noexcept;

/// Finds all of them in one pass. Empty values are ignored.
CommonFields find_common_spellings(const Headers& headers);

/// The window that a suffix names: `second`, `minute`, `hour` or `day`.
std::optional<Duration> window_named(std::string_view suffix) noexcept;

}}}  // namespace noun::wire
