#include "cache/stored_response.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "wire/state_bytes.hpp"

namespace noun { inline namespace v0 { namespace cache {
namespace {

using wire::StateReader;
using wire::StateWriter;

constexpr std::uint8_t format_version = 1;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const Headers& headers) {
  Pairs pairs;
  pairs.reserve(headers.size());
  for (const auto& field : headers) pairs.emplace_back(field.name, field.value);
  return pairs;
}

/// @param headers  those of the response.
void fields(auto& archive, auto& response, auto&& headers) {
  archive(response.status, headers, response.body, response.received_at, response.age, response.varies_by,
          response.request_fields, response.credentials);
}

}  // namespace

Response StoredResponse::response(std::string_view url, CacheStatus how) const {
  return {.status = status, .headers = headers, .body = body, .url = std::string(url), .cache = how};
}

std::string to_bytes(const StoredResponses& responses) {
  StateWriter writer{Instant()};
  writer(format_version, static_cast<std::uint64_t>(responses.size()));
  for (const auto& response : responses) fields(writer, response, pairs_of(response.headers));
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
    Pairs headers;
    fields(reader, response, headers);
    if (!reader.ok()) return std::nullopt;
    response.headers.reserve(headers.size());
    for (auto& [name, value] : headers) response.headers.push_back({std::move(name), std::move(value)});
  }
  return reader.at_end() ? std::optional(std::move(responses)) : std::nullopt;
}

}}}  // namespace noun::cache
