#include "export_keys.hpp"

#include <algorithm>
#include <utility>

#include "export_lines.hpp"
#include "json_line.hpp"
#include "text_hash.hpp"

namespace noun_export {
namespace {

std::uint64_t hash_of_item(std::string_view line, const std::string& pointer) {
  return key_hash(line, pointer).value_or(hash_of(line));
}

}  // namespace

std::optional<std::uint64_t> key_hash(std::string_view line, const std::string& pointer) {
  std::string fault;
  const auto key = line_at(line, pointer, fault);
  if (!key || key->text == "null") return std::nullopt;
  return hash_of(key->text);
}

KnownKeys::KnownKeys(const std::filesystem::path& file, std::string pointer, std::uint64_t count)
    : pointer_(std::move(pointer)) {
  hashes_.reserve(count);
  read_lines(file, [&](std::string_view line, bool) { hashes_.push_back(hash_of_item(line, pointer_)); });
  std::sort(hashes_.begin(), hashes_.end());
}

bool KnownKeys::has(std::string_view line) const {
  return !hashes_.empty() && std::binary_search(hashes_.begin(), hashes_.end(), hash_of_item(line, pointer_));
}

}  // namespace noun_export
