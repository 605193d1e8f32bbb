#include "export_journal.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

namespace noun_export {
namespace {

constexpr int format_version = 1;

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Appends a checksum, the end of the object and a line break to the members.
std::string sealed(std::string_view members) {
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(members.data()), members.size());
  return fmt::format("{},\"crc32\":\"{:08x}\"}}\n", members, sum);
}

/// Parses a line of sealed(), with its line break; discarded if the checksum is wrong.
nlohmann::json unsealed(std::string_view line) {
  constexpr auto seal = std::string_view(",\"crc32\":\"01234567\"}\n").size();
  const auto members = line.substr(0, line.size() - std::min(seal, line.size()));
  if (sealed(members) != line) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(line, nullptr, false);
}

std::optional<std::string> read_job(std::string_view line) {
  const auto json = unsealed(line);
  if (!json.is_object() || !json.contains("job") || json.value("noun_export", 0) != format_version) return std::nullopt;
  return json.value("job", "");
}

std::optional<Checkpoint> read_checkpoint(std::string_view line) {
  const auto json = unsealed(line);
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

std::string first_line(std::string_view job) {
  return sealed(fmt::format("{{\"noun_export\":{},\"job\":{}", format_version, json_string(job)));
}

std::string line_of(const Checkpoint& checkpoint) {
  const auto limit = checkpoint.limit == 0 ? "" : fmt::format(",\"limit\":{}", checkpoint.limit);
  return sealed(fmt::format("{{\"bytes\":{},\"items\":{},\"pages\":{},\"bookmark\":{},\"complete\":{}{}",
                            checkpoint.bytes, checkpoint.items, checkpoint.pages, json_string(checkpoint.bookmark),
                            checkpoint.complete, limit));
}

Journal read_journal(std::string_view text) {
  Journal journal;
  auto job = read_job(take_line(text));
  if (!job) return journal;
  journal.job = std::move(*job);
  while (auto checkpoint = read_checkpoint(take_line(text))) journal.last = std::move(*checkpoint);
  return journal;
}

}  // namespace noun_export
