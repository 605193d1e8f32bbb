#pragma once
/// @file
/// The rules for the quota members of a dialect: names of headers, pointers, statuses and times.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>

namespace noun { inline namespace v0 {

/// Returns what is wrong with the first invalid member, as a clause that names it; nothing if all are valid.
std::optional<std::string> fault_of_limits(const Dialect& dialect);

/// The name of a dialect's member, and its text.
struct NamedText {
  const char* member;
  const std::string& text;
};

/// @{
/// Returns what is wrong with the first invalid one; `path` is the dialect's member that holds them, or that they are.
std::optional<std::string> fault_of_names(std::string_view path, std::initializer_list<NamedText> headers);
std::optional<std::string> fault_of_statuses(std::string_view path, const std::vector<int>& statuses, int least);
std::optional<std::string> fault_of_pointer(std::string_view path, const std::string& pointer);
/// @}

}}  // namespace noun
