#pragma once
/// @file
/// A JSON value as a sequence of events. Not for programs: noun::Codec is made of it.

#include <cstdint>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Receives a JSON value part by part, in the order of its text.
class JsonEvents {
 public:
  /// @{
  /// A scalar.
  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(std::int64_t value) = 0;
  virtual void positive(std::uint64_t value) = 0;
  virtual void real(double value) = 0;
  virtual void text(std::string_view value) = 0;
  /// @}
  /// @{
  /// An array or an object starts; its elements follow, each of an object's after its key; then it ends.
  virtual void begin_array() = 0;
  virtual void begin_object() = 0;
  virtual void key(std::string_view key) = 0;
  virtual void end() = 0;
  /// @}

 protected:
  ~JsonEvents() = default;
};

}}}  // namespace noun::detail
