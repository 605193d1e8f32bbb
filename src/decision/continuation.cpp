#include "decision/continuation.hpp"

#include <string_view>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {

std::optional<BodyFault> fault_of_coding(const Headers& headers) {
  const auto coding = wire::trimmed(headers.get("Content-Encoding").value_or(std::string_view{}));
  if (coding.empty() || wire::same_ignoring_case(coding, "identity")) return std::nullopt;
  return BodyFault{Errc::protocol,
                   fmt::format("the body is encoded ({}), although the request asked for none",
                               wire::printable_or_size(coding, 20)),
                   "turn compression off for this path at the server, or in a proxy in between", true};
}

}}  // namespace noun
