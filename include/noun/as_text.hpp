#pragma once
/// @file
/// Values that JSON has as text, because it has no type for them: integers of 64 bits (noun::as_text), bytes
/// (noun::base64, noun::base64url) and instants (noun::timestamp). Like noun::checked they are for a struct's fields:
/// what is malformed or out of range is the error `decode`, which names the value, and with NOUN_DESCRIBE the member.
///
///     struct Message {
///       noun::as_text<std::int64_t> id;   // "9007199254740993"
///       noun::base64 body;                // "aGVsbG8="
///       noun::timestamp sent;             // "2026-02-01T12:00:00.250Z"
///     };
///     NOUN_DESCRIBE(Message, id, body, sent)

#include <charconv>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <noun/checked.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// The alphabets of base64.
enum class Base64 { standard, url };

/// The bytes, or nothing for text that is not base64.
NOUN_API std::optional<std::string> read_base64(std::string_view text);
/// The bytes as text.
NOUN_API std::string write_base64(std::string_view bytes, Base64 alphabet);
/// The instant, or nothing for text that is not RFC 3339, or has what WallTime cannot represent.
NOUN_API std::optional<WallTime> read_timestamp(std::string_view text);
/// The instant as text.
NOUN_API std::string write_timestamp(WallTime when);
/// Whether the text is an integer of any size, as JSON writes it.
NOUN_API bool is_integer_text(std::string_view text) noexcept;
/// A text in quotation marks, for a message; of a longer one its size.
NOUN_API std::string quoted_excerpt(std::string_view text);

/// Ends the reading of a value, as refuse().
/// @param expected  what it should be, as the subject of a clause.
[[noreturn]] inline void refuse_other(const Json& json, std::string_view expected) {
  const auto* text = json.template get_ptr<const Json::string_t*>();
  refuse(json, std::string(expected) + " is expected, not " + (text ? quoted_excerpt(*text) : json.type_name()));
}

/// What `read` makes of the text that `json` is. Refuses it if it is something else, or if `read` returns nothing.
/// @param expected  as of refuse_other().
template <class T>
T read_text(const Json& json, std::optional<T> read(std::string_view), std::string_view expected) {
  const auto* text = json.template get_ptr<const Json::string_t*>();
  auto value = text != nullptr ? read(*text) : std::nullopt;
  if (!value) refuse_other(json, expected);
  return *std::move(value);
}

}  // namespace detail

/// An integer that JSON has as text, such as an int64 of Protocol Buffers: `"9007199254740993"`. Otherwise it behaves
/// like an N. A plain number is read, too. It is written as text. Leading zeros, a plus sign and space are malformed.
/// @source https://protobuf.dev/programming-guides/json/
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
template <class N>
  requires(detail::IntegerNumber<N> || std::same_as<N, signed char> || std::same_as<N, unsigned char>)
class as_text {
 public:
  /// Zero.
  constexpr as_text() noexcept = default;
  /// `value`.
  constexpr as_text(N value) noexcept : value_(value) {}

  /// Converts to N.
  constexpr operator N() const noexcept { return value_; }
  /// The integer.
  constexpr N value() const noexcept { return value_; }

  /// Writes the integer as text, as nlohmann's hook.
  friend void to_json(Json& json, const as_text& number) { json = std::to_string(number.value_); }
  /// Reads text or a number, as nlohmann's hook.
  /// @throws nlohmann::json::other_error  (number 600) if it is neither, or not an integer that N can represent; without
  ///           exceptions it ends the program, as nlohmann does.
  friend void from_json(const Json& json, as_text& number) {
    if (json.is_number()) {
      number.value_ = json.template get<checked<N>>();
      return;
    }
    const auto* text = json.template get_ptr<const Json::string_t*>();
    if (text == nullptr || !detail::is_integer_text(*text)) detail::refuse_other(json, "an integer as text");
    const auto read = std::from_chars(text->data(), text->data() + text->size(), number.value_);
    if (read.ec != std::errc{})
      detail::refuse(json, "the integer " + detail::quoted_excerpt(*text) + " does not fit its field");
  }

 private:
  N value_ = {};
};

/// Bytes that JSON has as base64. Both alphabets are read, with their padding or without; other characters, such as line
/// feeds, and bits that are not used but set, are malformed.
/// @source RFC 4648, sections 4 and 5.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
template <detail::Base64 alphabet>
class base64_bytes {
 public:
  /// None.
  base64_bytes() = default;
  /// These bytes, not encoded.
  explicit base64_bytes(std::string bytes) noexcept : bytes_(std::move(bytes)) {}

  /// The bytes, not encoded.
  const std::string& bytes() const noexcept { return bytes_; }
  /// The bytes, not encoded, to change them.
  std::string& bytes() noexcept { return bytes_; }
  /// Whether the bytes are equal.
  friend bool operator==(const base64_bytes&, const base64_bytes&) = default;

  /// Writes the bytes as base64, as nlohmann's hook.
  friend void to_json(Json& json, const base64_bytes& value) { json = detail::write_base64(value.bytes_, alphabet); }
  /// Reads base64, as nlohmann's hook.
  /// @throws nlohmann::json::other_error  (number 600) if it is something else; without exceptions it ends the program,
  ///           as nlohmann does.
  friend void from_json(const Json& json, base64_bytes& value) {
    value.bytes_ = detail::read_text(json, detail::read_base64, "base64");
  }

 private:
  std::string bytes_;
};

/// Bytes, written with `+`, `/` and padding.
using base64 = base64_bytes<detail::Base64::standard>;
/// Bytes, written with `-`, `_` and without padding.
using base64url = base64_bytes<detail::Base64::url>;

/// An instant that JSON has as an RFC 3339 date-time: `"2026-02-01T13:00:00.25+01:00"`. It is written in UTC, with no
/// fraction or 3, 6 or 9 digits of one, as many as it needs. Read are the years 1678 to 2261. A text without seconds or
/// zone is malformed; so are a leap second and more than nine digits, which WallTime cannot represent.
/// @source RFC 3339, section 5.6.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class timestamp {
 public:
  /// 1970-01-01T00:00:00Z.
  constexpr timestamp() noexcept = default;
  /// `when`.
  constexpr timestamp(WallTime when) noexcept : when_(when) {}

  /// Converts to the instant.
  constexpr operator WallTime() const noexcept { return when_; }
  /// The instant.
  constexpr WallTime value() const noexcept { return when_; }
  /// @{
  /// Compares the instants.
  friend constexpr bool operator==(const timestamp&, const timestamp&) = default;
  friend constexpr auto operator<=>(const timestamp& left, const timestamp& right) noexcept {
    return left.when_.time_since_epoch().count() <=> right.when_.time_since_epoch().count();
  }
  /// @}

  /// Writes RFC 3339, as nlohmann's hook.
  friend void to_json(Json& json, const timestamp& value) { json = detail::write_timestamp(value.when_); }
  /// Reads RFC 3339, as nlohmann's hook.
  /// @throws nlohmann::json::other_error  (number 600) if it is something else; without exceptions it ends the program,
  ///           as nlohmann does.
  friend void from_json(const Json& json, timestamp& value) {
    value.when_ = detail::read_text(json, detail::read_timestamp,
                                    "an RFC 3339 date-time of the years 1678 to 2261, with seconds and zone,");
  }

 private:
  WallTime when_ = {};
};

}}  // namespace noun
