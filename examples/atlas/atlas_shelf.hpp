// An ordered collection of members in memory, each with its text and entity tag made once.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace atlas {

/// Keeps the members of an object in the order in which they were sent.
using Json = nlohmann::ordered_json;

class Shelf;

/// What a member says, as a value and as it is served.
struct Document {
  Json value;        ///< an object whose id field is the member's id
  std::string text;  ///< `value` as it is served
  std::string etag;  ///< strong: a hash of `text`, in quotes
};

/// One member of a collection. Copies share the document, which never changes.
struct Member {
  std::string id;
  std::shared_ptr<const Document> document;
  std::vector<Shelf> below;  ///< its own sub-collection, if its collection has one; else empty
};

/// The names by which a collection is known.
struct ShelfNames {
  std::string collection;           ///< its path segment, such as "countries"
  std::string id_field;             ///< the field that identifies a member, such as "alpha_2"
  std::string below = {};           ///< path segment of each member's sub-collection; empty for none
  std::string below_id_field = {};  ///< the field that identifies a member of that
};

/// Members in the order in which they came, found by id. Copies are independent. Not thread-safe.
class Shelf {
 public:
  explicit Shelf(ShelfNames names) : names_(std::move(names)) {}

  const ShelfNames& names() const { return names_; }
  const std::vector<Member>& members() const { return members_; }

  /// Null when there is none. Valid until the next put or remove.
  const Member* find(std::string_view id) const;

  /// The sub-collection of a member; null when there is no such member or collection.
  Shelf* below(std::string_view id);

  /// Replaces the member in its place, keeping its sub-collection, or appends it.
  /// Throws Refusal 400 when `value` holds text that is not UTF-8.
  const Member& put(std::string_view id, Json value);

  /// Whether there was one to remove. Its sub-collection goes with it.
  bool remove(std::string_view id);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::optional<std::size_t> place_of(std::string_view id) const;

  ShelfNames names_;
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
};

}  // namespace atlas
