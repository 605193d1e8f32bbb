#pragma once
/// @file
/// What parses JSON text: simdjson, and nlohmann for what it refuses or if noun is built without it. Reports a value as
/// events, or writes it into memory as a table says. Not for programs: noun::Codec is made of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Receives a JSON value part by part, in the order of its text. A function that is not overridden does nothing.
class JsonEvents {
 public:
  /// @{
  /// A scalar.
  virtual void null() {}
  virtual void boolean(bool /*value*/) {}
  virtual void integer(std::int64_t /*value*/) {}
  virtual void positive(std::uint64_t /*value*/) {}
  virtual void real(double /*value*/) {}
  virtual void text(std::string_view /*value*/) {}
  /// @}
  /// @{
  /// An array or an object starts; its elements follow, each of an object's after its key; then it ends.
  virtual void begin_array() {}
  virtual void begin_object() {}
  virtual void key(std::string_view /*key*/) {}
  virtual void end() {}
  /// @}

 protected:
  ~JsonEvents() = default;
};

/// What is done with an integer beyond 64 bits.
enum class BeyondBits : unsigned char {
  refused,  ///< the text is not read
  rounded,  ///< it is reported as a double
};

/// Reports the value of a text (RFC 8259; a byte order mark is skipped) to `events`, of any depth: it recurses at most
/// 1,024 levels. Views that `events` gets are valid during the event.
/// @returns  why the text is not read, as a clause and after any events; nothing if it is.
NOUN_API std::optional<std::string> read_json(std::string_view text, JsonEvents& events,
                                              BeyondBits integers = BeyondBits::refused);

/// Returns the text of an exception without nlohmann's tag (`[json.exception.out_of_range.403] key 'x' not found` →
/// `key 'x' not found`) and without the token that was read last, which may be long, or a secret.
NOUN_API std::string plain_what(std::string_view what);

/// A JSON value that was parsed.
class ParsedJson {
 public:
  /// Reports the value to `events`.
  virtual void report(JsonEvents& events) const = 0;

 protected:
  ~ParsedJson() = default;
};

struct Layout;

/// How a member of a struct is reached.
struct MemberLayout {
  /// In JSON.
  std::string_view name;
  /// The member; of a std::optional its value, which is made, unless it has no default constructor.
  void* (*at)(void* object);
  /// Of a std::optional: removes its value. Otherwise null: the member must be in the object.
  void (*reset)(void* object);
  /// Of what `at` returns.
  const Layout& (*layout)();
};

/// How a T is written into memory. Functions return false for what nlohmann is to refuse.
struct Layout {
  /// Which of the members below apply.
  enum class Kind : unsigned char { boolean, number, text, list, object, other };
  Kind kind = Kind::other;
  /// @{
  /// Of a number: assigns `value` if it fits.
  bool (*assign_integer)(void* number, std::int64_t value) = nullptr;
  bool (*assign_positive)(void* number, std::uint64_t value) = nullptr;
  bool (*assign_real)(void* number, double value) = nullptr;
  /// @}
  /// @{
  /// Of a list: removes its elements and reserves space for `size`; appends one; the layout of each.
  void (*clear)(void* list, std::size_t size) = nullptr;
  void* (*append)(void* list) = nullptr;
  const Layout& (*element)() = nullptr;
  /// @}
  /// Of an object.
  std::span<const MemberLayout> members = {};
  /// Of another type: reads it by its from_json.
  bool (*read)(void* value, const ParsedJson& parsed) = nullptr;
};

/// Reads a text into the value that `layout` describes.
/// @returns  false, and any value, if the text is to be read by from_json: it is refused, or may be read differently, or
///           noun is built without simdjson.
NOUN_API bool read_by_layout(std::string_view text, const Layout& layout, void* value);

}}}  // namespace noun::detail
