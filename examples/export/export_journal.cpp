#include "export_journal.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

namespace noun_export {
namespace {

constexpr int format_version = 1;

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Parses a line of sealed(), with its line break; discarded if the seal is wrong.
nlohmann::json unsealed(std::string_view line, std::string_view context, const JournalSeal& seal) {
  const auto members = line.substr(0, line.size() - std::min(seal.size(), line.size()));
  if (seal.sealed(members, context) != line) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(line, nullptr, false);
}

std::optional<std::string> read_job(std::string_view line, const JournalSeal& seal) {
  const auto json = unsealed(line, {}, seal);
  if (!json.is_object() || !json.contains("job") || json.value("noun_export", 0) != format_version) return std::nullopt;
  return json.value("job", "");
}

std::optional<Checkpoint> read_checkpoint(std::string_view line, std::string_view job, const JournalSeal& seal) {
  const auto json = unsealed(line, job, seal);
  if (!json.is_object() || !json.contains("bytes")) return std::nullopt;
  return Checkpoint{json.value("bytes", std::uint64_t(0)), json.value("items", std::uint64_t(0)),
                    json.value("pages", std::uint64_t(0)), json.value("bookmark", ""),
                    json.value("complete", false),         json.value("limit", std::uint64_t(0))};
}

/// Removes and returns the first line with its line break; empty if it has none.
std::string_view take_line(std::string_view& text) {
  const auto size = text.find('\n') + 1;
  const auto line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

}  // namespace

std::string JournalSeal::sealed(std::string_view members, std::string_view context) const {
  const auto bytes = [](std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
  if (key_.empty()) {
    const auto sum = crc32_z(0, bytes(members), members.size());
    return fmt::format("{},\"crc32\":\"{:08x}\"}}\n", members, sum);
  }
  // The length keeps the two texts apart.
  const auto text = fmt::format("noun-export journal\n{}\n{}{}", context.size(), context, members);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> code = {};
  if (HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), bytes(text), text.size(), code.data(), nullptr) ==
      nullptr)
    throw std::bad_alloc();
  return fmt::format("{},\"hmac\":\"{:02x}\"}}\n", members, fmt::join(code, ""));
}

std::string first_line(std::string_view job, const JournalSeal& seal) {
  return seal.sealed(fmt::format("{{\"noun_export\":{},\"job\":{}", format_version, json_string(job)), {});
}

std::string line_of(const Checkpoint& checkpoint, std::string_view job, const JournalSeal& seal) {
  const auto limit = checkpoint.limit == 0 ? "" : fmt::format(",\"limit\":{}", checkpoint.limit);
  return seal.sealed(fmt::format("{{\"bytes\":{},\"items\":{},\"pages\":{},\"bookmark\":{},\"complete\":{}{}",
                                 checkpoint.bytes, checkpoint.items, checkpoint.pages, json_string(checkpoint.bookmark),
                                 checkpoint.complete, limit),
                     job);
}

Journal read_journal(std::string_view text, const JournalSeal& seal) {
  Journal journal;
  auto job = read_job(take_line(text), seal);
  if (!job) return journal;
  journal.job = std::move(*job);
  while (auto checkpoint = read_checkpoint(take_line(text), journal.job, seal)) journal.last = std::move(*checkpoint);
  return journal;
}

}  // namespace noun_export
