#pragma once
/// @file
/// What may stand in a dialect about the limits of a service: names of headers, pointers, statuses and times.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>

namespace noun { inline namespace v0 {

/// What is wrong with the first member that is not as Dialect says, as a clause that names it; nothing if all are well.
std::optional<std::string> fault_of_limits(const Dialect& dialect);

/// A member of a dialect with its text.
struct NamedText {
  const char* member;
  const std::string& text;
};

/// @{
/// What is wrong with the first of them; `path` is the dialect's member that they are in, or that they are.
std::optional<std::string> fault_of_names(std::string_view path, std::initializer_list<NamedText> headers);
std::optional<std::string> fault_of_statuses(std::string_view path, const std::vector<int>& statuses, int least);
std::optional<std::string> fault_of_pointer(std::string_view path, const std::string& pointer);
/// @}

}}  // namespace noun
