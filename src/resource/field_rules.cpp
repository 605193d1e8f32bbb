#include "resource/field_rules.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view not_the_callers[] = {"Connection", "Content-Length",    "Expect", "Host", "Keep-Alive",
                                                "TE",         "Transfer-Encoding", "Upgrade", "Proxy-Authorization"};

}  // namespace

bool is_header_name(std::string_view name) noexcept {
  return !name.empty() && std::all_of(name.begin(), name.end(), wire::is_token_letter);
}

std::optional<std::string> fault_of_headers(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    const auto shown = wire::printable_excerpt(name, 40);
    if (name.empty()) return "a header has no name";
    if (!is_header_name(name)) {
      // What follows may be a value: "Authorization: Bearer …" in place of a name.
      const auto valid = std::find_if_not(name.begin(), name.end(), wire::is_token_letter);
      return fmt::format("the header name \"{}…\" has an invalid character",
                         wire::printable_excerpt({name.begin(), valid}, 40));
    }
    if (std::any_of(std::begin(not_the_callers), std::end(not_the_callers),
                    [&](std::string_view other) { return same_name(other, name); }))
      return fmt::format("the header {} is reserved: noun sets it", shown);
    if (std::any_of(value.begin(), value.end(), wire::is_control_in_field))
      return fmt::format("the value of the header {} has a control character", shown);
  }
  return std::nullopt;
}

}}  // namespace noun
