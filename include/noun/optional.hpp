#pragma once
/// @file
/// Teaches nlohmann_json std::optional, for structs whose members may be absent; include it beside <noun/noun.hpp>.
/// Reading: null is nothing (an absent member still needs NLOHMANN_DEFINE_TYPE_..._WITH_DEFAULT). Writing: nothing is
/// left out of the body, as a PATCH needs it; to send a null, use noun::Json(nullptr).

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace nlohmann {

/// nlohmann's hooks for a std::optional.
template <class T>
struct adl_serializer<std::optional<T>> {
  /// The value, or what noun leaves out of a body; outside noun's bodies `discarded` is no JSON.
  static void to_json(json& to, const std::optional<T>& from) {
    if (from)
      to = *from;
    else
      to = json(json::value_t::discarded);
  }
  /// Null is nothing, anything else is read as a T.
  /// @throws  what T's own hook throws.
  static void from_json(const json& from, std::optional<T>& to) {
    if (from.is_null())
      to.reset();
    else
      to = from.get<T>();
  }
};

}  // namespace nlohmann
