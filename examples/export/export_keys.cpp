#include "export_keys.hpp"

#include <algorithm>
#include <utility>

#include "export_lines.hpp"
#include "json_line.hpp"

namespace noun_export {

std::optional<TextDigest> key_hash(const TextHash& hash, std::string_view line, const std::string& pointer) {
  std::string fault;
  const auto key = line_at(line, pointer, fault);
  if (!key || key->text == "null") return std::nullopt;
  return hash.of(key->text);
}

KnownKeys::KnownKeys(const std::filesystem::path& file, std::string pointer, std::uint64_t count)
    : pointer_(std::move(pointer)) {
  hashes_.reserve(static_cast<std::size_t>(count));
  read_lines(file, [&](std::string_view line, bool) { hashes_.push_back(hash_of_item(line)); });
  std::sort(hashes_.begin(), hashes_.end());
}

TextDigest KnownKeys::hash_of_item(std::string_view line) const {
  const auto key = key_hash(hash_, line, pointer_);
  return key ? *key : hash_.of(line);
}

bool KnownKeys::has(std::string_view line) const {
  return !hashes_.empty() && std::binary_search(hashes_.begin(), hashes_.end(), hash_of_item(line));
}

}  // namespace noun_export
