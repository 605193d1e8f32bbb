#include "cache/stored_response.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "quota/state_bytes.hpp"

namespace noun { inline namespace v0 { namespace cache {
namespace {

using quota::StateReader;
using quota::StateWriter;

constexpr std::uint8_t format_version = 1;

constexpr std::string_view line_end = "\r\n";

/// The fields as lines: no value has a line break.
std::string to_lines(const Headers& headers) {
  std::string lines;
  for (const auto& field : headers) ((lines += field.name) += ':') += field.value, lines += line_end;
  return lines;
}

std::optional<Headers> read_lines(std::string_view lines) {
  Headers headers;
  while (!lines.empty()) {
    const auto end = lines.find(line_end);
    const auto colon = lines.find(':');
    if (end == std::string_view::npos || colon > end) return std::nullopt;
    headers.push_back({std::string(lines.substr(0, colon)), std::string(lines.substr(colon + 1, end - colon - 1))});
    lines.remove_prefix(end + line_end.size());
  }
  return headers;
}

/// @param text  lines of header fields.
void fields(auto& archive, auto& response, auto&& text) {
  archive(response.status, text, response.body, response.received_at, response.age, response.varies_by,
          response.request_fields, response.credentials);
}

}  // namespace

Response StoredResponse::response(std::string_view url, CacheStatus how) const {
  return {.status = status, .headers = headers, .body = body, .url = std::string(url), .cache = how};
}

std::string to_bytes(const StoredResponses& responses) {
  StateWriter writer{Instant()};
  writer(format_version, static_cast<std::uint64_t>(responses.size()));
  for (const auto& response : responses) fields(writer, response, to_lines(response.headers));
  return writer.take();
}

std::optional<StoredResponses> read_bytes(std::string_view bytes) {
  StateReader reader(bytes, Instant());
  std::uint8_t version = 0;
  std::uint64_t count = 0;
  reader(version, count);
  if (!reader.ok() || version != format_version || count > most_variants) return std::nullopt;
  StoredResponses responses(count);
  for (auto& response : responses) {
    std::string lines;
    fields(reader, response, lines);
    auto headers = read_lines(lines);
    if (!reader.ok() || !headers) return std::nullopt;
    response.headers = *std::move(headers);
  }
  return reader.at_end() ? std::optional(std::move(responses)) : std::nullopt;
}

}}}  // namespace noun::cache
