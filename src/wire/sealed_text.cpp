#include "wire/sealed_text.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "wire/base64url.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::size_t tag_size = 32;

std::string prefix_of(std::string_view kind, bool is_signed) {
  return fmt::format("{}{}.", kind, is_signed ? "s" : "");
}

/// Without a key, a checksum.
std::string tag_of(std::string_view prefix, std::string_view fields, std::string_view key) {
  return hmac_sha256(key, fmt::format("{}{}", prefix, fields));
}

}  // namespace

std::string seal(std::string_view kind, std::string_view fields, std::string_view key) {
  const auto prefix = prefix_of(kind, !key.empty());
  return prefix + base64url_encode(fmt::format("{}{}", tag_of(prefix, fields, key), fields));
}

std::variant<std::string, SealFault> unseal(std::string_view kind, std::string_view text, std::string_view key) {
  // A file that it was kept in may have ended its line.
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  const bool is_signed = text.starts_with(prefix_of(kind, true));
  if (!is_signed && !text.starts_with(prefix_of(kind, false))) return SealFault::malformed;
  if (is_signed && key.empty()) return SealFault::needs_key;
  if (!is_signed && !key.empty()) return SealFault::unauthenticated;
  const auto prefix = prefix_of(kind, is_signed);
  auto bytes = base64url_decode(text.substr(prefix.size()));
  if (!bytes || bytes->size() < tag_size) return SealFault::malformed;
  auto fields = bytes->substr(tag_size);
  if (!equal_in_constant_time(std::string_view(*bytes).substr(0, tag_size), tag_of(prefix, fields, key)))
    return is_signed ? SealFault::wrong_tag : SealFault::malformed;
  return fields;
}

}}}  // namespace noun::wire
