#pragma once
/// @file
/// The ranges of the options of clients and listings.

#include <optional>
#include <string>
#include <string_view>

#include <noun/options.hpp>
#include <noun/stream.hpp>

namespace noun { inline namespace v0 {

/// Returns what is wrong with the first option that is out of its range, as a clause; nothing if all are in range.
/// Headers, credentials, addresses and files are checked elsewhere.
std::optional<std::string> fault_of_options(const ClientOptions& options);
/// The same for the retries of a client or of a call, which `path` names.
std::optional<std::string> fault_of_retry(std::string_view path, const RetryPolicy& policy);
/// What to do about such a clause: it begins with the path of the option.
std::string advice_on_option(std::string_view clause);

/// What is wrong, and what to do, as clauses.
struct OptionFault {
  std::string what;
  std::string advice;
};
/// The same for a listing. Its bookmark is checked elsewhere.
std::optional<OptionFault> fault_of_options(const ListOptions& options, const Paging& paging);
/// The same for a stream.
std::optional<OptionFault> fault_of_options(const StreamOptions& options, const StreamRules& rules);

}}  // namespace noun
