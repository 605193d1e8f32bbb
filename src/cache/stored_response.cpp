#include "cache/stored_response.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/state_bytes.hpp"

namespace noun { inline namespace v0 { namespace cache {
namespace {

using wire::StateReader;
using wire::StateWriter;

constexpr std::uint8_t format_version = 1;

constexpr std::array<std::string_view, 8> of_the_connection = {
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
};

/// All but the status and the header fields, which come first.
void fields(auto& archive, auto& response) {
  archive(response.body, response.received_at, response.age, response.varies_by, response.request_fields,
          response.credentials);
}

/// About the size of its bytes.
std::size_t size_of(const StoredResponse& response) {
  constexpr std::size_t usual_rest = 128;
  std::size_t size = usual_rest + response.body.size();
  for (const auto& field : response.headers) size += field.name.size() + field.value.size() + 3;
  return size;
}

}  // namespace

FieldViews FieldViews::lasting(const Headers& received) {
  FieldViews fields;
  fields.reserve(received.size());
  const auto named = received.values("Connection");
  for (const auto& field : received) {
    const auto is_name = [&](std::string_view name) { return wire::same_ignoring_case(name, field.name); };
    const bool ends = std::any_of(of_the_connection.begin(), of_the_connection.end(), is_name) ||
                      std::any_of(named.begin(), named.end(), [&](std::string_view line) {
                        while (!line.empty())
                          if (is_name(wire::take_element(line, ","))) return true;
                        return false;
                      });
    if (!ends) fields.push_back({field.name, field.value});
  }
  return fields;
}

std::optional<std::string_view> FieldViews::get(std::string_view name) const noexcept {
  for (const auto& field : fields_)
    if (wire::same_ignoring_case(field.name, name)) return field.value;
  return std::nullopt;
}

std::vector<std::string_view> FieldViews::values(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& field : fields_)
    if (wire::same_ignoring_case(field.name, name)) found.push_back(field.value);
  return found;
}

std::string to_bytes(const StoredResponses& responses) {
  StateWriter writer{Instant()};
  std::size_t size = 0;
  for (const auto& response : responses) size += size_of(response);
  writer.reserve(size);
  writer(format_version, static_cast<std::uint64_t>(responses.size()));
  for (const auto& response : responses) {
    writer(response.status, static_cast<std::uint64_t>(response.headers.size()));
    for (const auto& field : response.headers) writer(field.name, field.value);
    fields(writer, response);
  }
  return writer.take();
}

std::optional<StoredResponses> read_bytes(std::string_view bytes) {
  StateReader reader(bytes, Instant());
  std::uint8_t version = 0;
  std::uint64_t count = 0;
  reader(version, count);
  if (!reader.ok() || version != format_version || count > most_variants) return std::nullopt;
  StoredResponses responses(static_cast<std::size_t>(count));
  for (auto& response : responses) {
    std::uint64_t headers = 0;
    reader(response.status, headers);
    // Each takes two bytes at least.
    if (!reader.ok() || headers > reader.rest().size() / 2) return std::nullopt;
    response.headers.reserve(static_cast<std::size_t>(headers));
    for (; headers > 0; --headers) {
      FieldViews::Field field;
      reader(field.name, field.value);
      response.headers.push_back(field);
    }
    fields(reader, response);
    if (!reader.ok()) return std::nullopt;
  }
  return reader.at_end() ? std::optional(std::move(responses)) : std::nullopt;
}

}}}  // namespace noun::cache
