#pragma once
/// @file
/// A response as the cache keeps it, and its bytes.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace cache {

/// What is stored; never changed.
using Bytes = std::shared_ptr<const std::string>;

/// Header fields of a response, or of bytes, without a copy.
class FieldViews {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  FieldViews() = default;
  /// The fields without those of the connection, which end with it.
  /// @source RFC 9111, section 3.1; RFC 9110, section 7.6.1.
  static FieldViews lasting(const Headers& received);

  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }
  std::size_t size() const noexcept { return fields_.size(); }
  void reserve(std::size_t count) { fields_.reserve(count); }
  void push_back(Field field) { fields_.push_back(field); }
  /// @{
  /// As in Headers.
  std::optional<std::string_view> get(std::string_view name) const noexcept;
  std::vector<std::string_view> values(std::string_view name) const;
  bool contains(std::string_view name) const noexcept { return get(name).has_value(); }
  /// @}

 private:
  std::vector<Field> fields_;
};

/// One response to a GET or HEAD, complete and decompressed. Its texts are views.
struct StoredResponse {
  int status = 0;
  FieldViews headers = {};
  std::string_view body = {};
  /// When it was received, or confirmed by the server.
  WallTime received_at = {};
  /// How old it was then.
  Duration age = Duration::zero();
  /// The names of request fields by which it was selected (Vary), in lower case, and a digest of their values.
  std::vector<std::string_view> varies_by = {};
  std::string_view request_fields = {};
  /// A digest of the credentials that it was requested with; empty if it does not depend on them.
  std::string_view credentials = {};
};

/// The responses of one URL, which differ in what they were requested with; the last one used comes first.
using StoredResponses = std::vector<StoredResponse>;

/// How many responses of one URL are kept.
constexpr std::size_t most_variants = 8;

/// The responses as bytes, with a format version.
std::string to_bytes(const StoredResponses& responses);
/// The responses in bytes, of which they are views; nothing if those are damaged, or of another version.
std::optional<StoredResponses> read_bytes(std::string_view bytes);

}}}  // namespace noun::cache
