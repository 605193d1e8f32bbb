#pragma once
/// @file
/// Makes a value of nlohmann of the events of a JSON text. Not for programs: noun::Codec is made of it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/detail/json_parser.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Makes a Json of events. A template, so that only the sources that use it instantiate what it calls of nlohmann.
template <class Json>
class JsonTree final : public JsonEvents {
 public:
  /// Into `root`, which is null.
  explicit JsonTree(Json& root) noexcept : next_(&root) {}

  /// @{
  /// As JsonEvents.
  void null() override { put(nullptr); }
  void boolean(bool value) override { put(value); }
  void integer(std::int64_t value) override { put(value); }
  void positive(std::uint64_t value) override { put(value); }
  void real(double value) override { put(value); }
  void text(std::string_view value) override { put(value); }
  void begin_array() override { open(Json::array()); }
  void begin_object() override { open(Json::object()); }
  void key(std::string_view key) override {
    // The last of equal keys counts, as with nlohmann.
    next_ = &(*open_.back())[std::string(key)];
  }
  void end() override { open_.pop_back(); }
  /// @}

 private:
  template <class Value>
  Json& put(Value&& value) {
    if (open_.empty() || open_.back()->is_object()) return *next_ = Json(std::forward<Value>(value));
    // Most arrays have more elements than one: this saves the first two allocations.
    auto& array = open_.back()->template get_ref<typename Json::array_t&>();
    if (array.empty()) array.reserve(4);
    return open_.back()->emplace_back(std::forward<Value>(value));
  }
  void open(Json container) {
    if (open_.empty()) open_.reserve(8);
    open_.push_back(&put(std::move(container)));
  }

  Json* next_;
  std::vector<Json*> open_;
};

/// Parses a text.
/// @param json  null; the result, or what there is of it.
/// @returns     as read_json().
template <class Json>
std::optional<std::string> parse_json(std::string_view text, Json& json, BeyondBits integers = BeyondBits::refused) {
  JsonTree<Json> tree(json);
  return read_json(text, tree, integers);
}

}}}  // namespace noun::detail
