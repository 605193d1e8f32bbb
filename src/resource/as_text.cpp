#include <noun/as_text.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/http_date.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace detail {

std::optional<std::string> read_base64(std::string_view text) { return wire::base64_decode_exactly(text); }

std::string write_base64(std::string_view bytes, Base64 alphabet) {
  return alphabet == Base64::url ? wire::base64url_encode(bytes) : wire::base64_encode(bytes);
}

std::optional<WallTime> read_timestamp(std::string_view text) { return wire::parse_rfc3339_exactly(text); }

std::string write_timestamp(WallTime when) { return wire::format_rfc3339_exactly(when); }

bool is_integer_text(std::string_view text) noexcept {
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.front() != '0' && std::all_of(text.begin(), text.end(), wire::is_digit);
}

std::string quoted_excerpt(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() > most) return fmt::format("text of {} bytes", text.size());
  return fmt::format("\"{}\"", wire::printable(std::string(text)));
}

}}}  // namespace noun::detail
