// Reads the files, and adds each subdivision to its country.
#include "atlas_dataset.hpp"

#include <fmt/format.h>

#include <fstream>
#include <mutex>
#include <stdexcept>

namespace atlas {
namespace {

Json read_list(const std::string& folder, const std::string& standard) {
  const auto path = fmt::format("{}/iso_{}.json", folder, standard);
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(
        fmt::format("cannot read {}; install the iso-codes package, or set --data to its folder", path));
  }
  const auto document = Json::parse(file, nullptr, false);
  if (!document.is_object() || !document.contains(standard) || !document[standard].is_array()) {
    throw std::runtime_error(fmt::format("{} is not a JSON object with a list '{}'", path, standard));
  }
  return document[standard];
}

std::string id_of(const Json& entry, const std::string& field, const std::string& standard) {
  if (!entry.is_object() || !entry.contains(field) || !entry[field].is_string()) {
    throw std::runtime_error(fmt::format("an entry of the list '{}' has no string '{}'", standard, field));
  }
  return entry[field].get<std::string>();
}

Collection load_collection(const std::string& folder, const std::string& standard, CollectionNames names) {
  Collection collection(std::move(names));
  for (auto& entry : read_list(folder, standard)) {
    const auto id = id_of(entry, collection.names().id_field, standard);
    collection.put(id, std::move(entry));
  }
  return collection;
}

void load_subdivisions(const std::string& folder, Collection& countries) {
  const std::string standard = "3166-2";
  for (auto& entry : read_list(folder, standard)) {
    const auto code = id_of(entry, "code", standard);
    auto* subdivisions = countries.subcollection(code.substr(0, code.find('-')));
    if (subdivisions != nullptr) subdivisions->put(code, std::move(entry));
  }
}

std::vector<Collection> read_dataset(const std::string& folder) {
  std::vector<Collection> collections;
  collections.push_back(load_collection(folder, "639-3", {"languages", "alpha_3"}));
  collections.push_back(load_collection(folder, "3166-1", {"countries", "alpha_2", "subdivisions", "code"}));
  load_subdivisions(folder, collections.back());
  collections.push_back(load_collection(folder, "4217", {"currencies", "alpha_3"}));
  collections.push_back(load_collection(folder, "15924", {"scripts", "alpha_4"}));
  return collections;
}

}  // namespace

std::vector<Collection> load_dataset(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Collection>> loaded;
  const std::lock_guard lock(mutex);
  auto known = loaded.find(folder);
  if (known == loaded.end()) known = loaded.emplace(folder, read_dataset(folder)).first;
  return known->second;
}

std::map<std::string, std::uint64_t> count_members(const std::vector<Collection>& collections) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& collection : collections) {
    counts[collection.names().name] = collection.members().size();
    for (const auto& member : collection.members()) {
      for (const auto& child : member.subcollection) counts[child.names().name] += child.members().size();
    }
  }
  return counts;
}

}  // namespace atlas
