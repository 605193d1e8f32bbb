// Keeping members in order, and their texts and tags current.
#include "atlas_shelf.hpp"

#include <fmt/format.h>

#include "atlas_answer.hpp"

namespace atlas {
namespace {

/// FNV-1a: two texts that differ get the same tag by chance only, which is enough for a sample.
std::string entity_tag(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("\"{:016x}\"", hash);
}

std::string text_of(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::type_error&) {
    throw Refusal{400, "the id in the path is not UTF-8"};
  }
}

}  // namespace

std::optional<std::size_t> Shelf::place_of(std::string_view id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

const Member* Shelf::find(std::string_view id) const {
  const auto place = place_of(id);
  return place ? &members_[*place] : nullptr;
}

Shelf* Shelf::below(std::string_view id) {
  const auto place = place_of(id);
  if (!place || members_[*place].below.empty()) return nullptr;
  return &members_[*place].below.front();
}

const Member& Shelf::put(std::string_view id, Json value) {
  auto text = text_of(value);
  auto etag = entity_tag(text);
  auto place = place_of(id);
  if (!place) {
    place = members_.size();
    auto& member = members_.emplace_back();
    member.id = id;
    if (!names_.below.empty()) {
      member.below.emplace_back(ShelfNames{names_.below, names_.below_id_field});
    }
    places_.emplace(id, *place);
  }
  auto& member = members_[*place];
  member.document = std::make_shared<const Document>(Document{std::move(value), std::move(text), std::move(etag)});
  return member;
}

bool Shelf::remove(std::string_view id) {
  const auto place = place_of(id);
  if (!place) return false;
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(*place));
  places_.erase(places_.find(id));
  for (auto& [other, position] : places_) {
    if (position > *place) --position;
  }
  return true;
}

}  // namespace atlas
