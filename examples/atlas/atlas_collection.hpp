// An ordered in-memory collection of members, each with its serialized text and entity tag.
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

/// Keeps the members of an object in the order received.
using Json = nlohmann::ordered_json;

class Collection;

/// A strong entity tag: a hash of the text, in quotes.
std::string entity_tag(std::string_view text);

/// The content of a member, parsed and serialized.
struct Document {
  Json value;        ///< an object whose id field is the member's id
  std::string text;  ///< `value`, serialized
  std::string etag;  ///< strong: a hash of `text`, in quotes
};

/// One member of a collection. Copies share the immutable document.
struct Member {
  std::string id;
  std::shared_ptr<const Document> document;
  std::vector<Collection> subcollection;  ///< one, if its collection has subcollections; else none
};

/// The names of a collection, its subcollections, and their id fields.
struct CollectionNames {
  std::string name;                 ///< its path segment, such as "countries"
  std::string id_field;             ///< the field that identifies a member, such as "alpha_2"
  std::string child_name = {};      ///< path segment of each member's subcollection; empty for none
  std::string child_id_field = {};  ///< the field that identifies a member of the subcollection
};

/// Members in the order of insertion, found by id. Copies are independent. Not thread-safe.
class Collection {
 public:
  explicit Collection(CollectionNames names) : names_(std::move(names)) {}

  const CollectionNames& names() const { return names_; }
  const std::vector<Member>& members() const { return members_; }

  /// Null if there is none. Valid until the next put or remove.
  const Member* find(std::string_view id) const;

  /// The subcollection of a member; null if there is no such member or subcollection.
  Collection* subcollection(std::string_view id);

  /// Replaces the member, keeping its position and its subcollection, or appends it.
  /// Throws HttpError 400 if `value` contains a string that is not UTF-8.
  const Member& put(std::string_view id, Json value);

  /// Removes the member and its subcollection. False if there is none.
  bool remove(std::string_view id);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::optional<std::size_t> index_of(std::string_view id) const;

  CollectionNames names_;
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> indexes_;
};

}  // namespace atlas
