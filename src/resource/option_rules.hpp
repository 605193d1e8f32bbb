#pragma once
/// @file
/// The ranges of the options of clients and listings.

#include <optional>
#include <string>

#include <noun/options.hpp>

namespace noun { inline namespace v0 {

/// What is wrong with the first option that is out of its range, as a clause; nothing if all are in theirs. Headers,
/// credentials, addresses and files are looked at elsewhere.
std::optional<std::string> fault_of_options(const ClientOptions& options);

/// What is wrong, as a clause, and what to do.
struct OptionFault {
  std::string what;
  std::string advice;
};
/// The same of a listing. The bookmark that it may begin at is looked at elsewhere.
std::optional<OptionFault> fault_of_options(const ListOptions& options, const Paging& paging);

}}  // namespace noun
