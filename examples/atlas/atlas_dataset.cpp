// Reading the files, and hanging each subdivision below its country.
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
        fmt::format("cannot read {}: install the package iso-codes, or name the folder that holds its files", path));
  }
  const auto document = Json::parse(file, nullptr, false);
  if (!document.is_object() || !document.contains(standard) || !document[standard].is_array()) {
    throw std::runtime_error(fmt::format("{} is not a JSON object with a list '{}'", path, standard));
  }
  return document[standard];
}

std::string id_of(const Json& entry, const std::string& field, const std::string& standard) {
  if (!entry.is_object() || !entry.contains(field) || !entry[field].is_string()) {
    throw std::runtime_error(fmt::format("an entry of the list '{}' has no text '{}'", standard, field));
  }
  return entry[field].get<std::string>();
}

Shelf load_shelf(const std::string& folder, const std::string& standard, ShelfNames names) {
  Shelf shelf(std::move(names));
  for (auto& entry : read_list(folder, standard)) {
    const auto id = id_of(entry, shelf.names().id_field, standard);
    shelf.put(id, std::move(entry));
  }
  return shelf;
}

void load_subdivisions(const std::string& folder, Shelf& countries) {
  const std::string standard = "3166-2";
  for (auto& entry : read_list(folder, standard)) {
    const auto code = id_of(entry, "code", standard);
    auto* subdivisions = countries.below(code.substr(0, code.find('-')));
    if (subdivisions != nullptr) subdivisions->put(code, std::move(entry));
  }
}

std::vector<Shelf> read_dataset(const std::string& folder) {
  std::vector<Shelf> shelves;
  shelves.push_back(load_shelf(folder, "639-3", {"languages", "alpha_3"}));
  shelves.push_back(load_shelf(folder, "3166-1", {"countries", "alpha_2", "subdivisions", "code"}));
  load_subdivisions(folder, shelves.back());
  shelves.push_back(load_shelf(folder, "4217", {"currencies", "alpha_3"}));
  shelves.push_back(load_shelf(folder, "15924", {"scripts", "alpha_4"}));
  return shelves;
}

}  // namespace

std::vector<Shelf> load_dataset(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Shelf>> loaded;
  const std::lock_guard lock(mutex);
  auto known = loaded.find(folder);
  if (known == loaded.end()) known = loaded.emplace(folder, read_dataset(folder)).first;
  return known->second;
}

std::map<std::string, std::uint64_t> count_members(const std::vector<Shelf>& shelves) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& shelf : shelves) {
    counts[shelf.names().collection] = shelf.members().size();
    for (const auto& member : shelf.members()) {
      for (const auto& below : member.below) counts[below.names().collection] += below.members().size();
    }
  }
  return counts;
}

}  // namespace atlas
