// Members and their entity tags.
#include "atlas_collection.hpp"

#include <fmt/format.h>

#include "atlas_response.hpp"

namespace atlas {
namespace {

std::string text_of(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::type_error&) {
    throw HttpError{400, "the id in the path is not UTF-8"};
  }
}

}  // namespace

/// FNV-1a. Collisions are unlikely enough for a sample.
std::string entity_tag(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("\"{:016x}\"", hash);
}

std::optional<std::size_t> Collection::index_of(std::string_view id) const {
  const auto found = indexes_.find(id);
  if (found == indexes_.end()) return std::nullopt;
  return found->second;
}

const Member* Collection::find(std::string_view id) const {
  const auto index = index_of(id);
  return index ? &members_[*index] : nullptr;
}

Collection* Collection::subcollection(std::string_view id) {
  const auto index = index_of(id);
  if (!index || members_[*index].subcollection.empty()) return nullptr;
  return &members_[*index].subcollection.front();
}

const Member& Collection::put(std::string_view id, Json value) {
  auto text = text_of(value);
  auto etag = entity_tag(text);
  auto index = index_of(id);
  if (!index) {
    index = members_.size();
    auto& member = members_.emplace_back();
    member.id = id;
    if (!names_.child_name.empty()) {
      member.subcollection.emplace_back(CollectionNames{names_.child_name, names_.child_id_field});
    }
    indexes_.emplace(id, *index);
  }
  auto& member = members_[*index];
  member.document = std::make_shared<const Document>(Document{std::move(value), std::move(text), std::move(etag)});
  return member;
}

bool Collection::remove(std::string_view id) {
  const auto index = index_of(id);
  if (!index) return false;
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(*index));
  indexes_.erase(indexes_.find(id));
  for (auto& [other, position] : indexes_) {
    if (position > *index) --position;
  }
  return true;
}

}  // namespace atlas
