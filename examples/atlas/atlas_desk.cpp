// From a target to a place, and from a method at that place to the function that answers it.
#include "atlas_desk.hpp"

#include <fmt/format.h>

#include "atlas_dataset.hpp"

namespace atlas {
namespace {

constexpr std::string_view index_methods = "GET, HEAD, OPTIONS";
constexpr std::string_view collection_methods = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view member_methods = "GET, HEAD, PUT, PATCH, DELETE, OPTIONS";

[[noreturn]] void refuse_path(const Target& target) {
  throw Refusal{404, fmt::format("there is nothing at {}", target.path)};
}

bool is_read(const std::string& method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

Answer options(std::string_view methods) { return {.status = 204, .fields = {{"Allow", std::string(methods)}}}; }

[[noreturn]] void refuse_method(const Question& question, const Target& target, std::string_view methods) {
  throw Refusal{405,
                fmt::format("{} is not for {}: it takes {}", question.method, target.path, methods),
                {{"Allow", std::string(methods)}}};
}

}  // namespace

Answer Desk::answer(const Question& question) {
  try {
    const auto target = parse_target(question.target);
    if (is_read(question.method)) {
      const std::shared_lock lock(mutex_);
      return dispatch(question, target);
    }
    const std::unique_lock lock(mutex_);
    return dispatch(question, target);
  } catch (const Refusal& refusal) {
    return problem(refusal);
  }
}

Answer Desk::dispatch(const Question& question, const Target& target) {
  const auto place = find(target);
  const auto& method = question.method;
  const bool gets = method == "GET" || method == "HEAD";
  switch (place.kind) {
    case Kind::index:
      if (gets) return index(question);
      if (method == "OPTIONS") return options(index_methods);
      refuse_method(question, target, index_methods);
    case Kind::collection:
      if (gets) return list(question, target, *place.shelf);
      if (method == "POST") return create_once(question, target, *place.shelf);
      if (method == "OPTIONS") return options(collection_methods);
      refuse_method(question, target, collection_methods);
    case Kind::member:
      if (gets) return read(question, target, place);
      if (method == "PUT") return replace(question, target, place);
      if (method == "PATCH") return update(question, target, place);
      if (method == "DELETE") return remove(question, target, place);
      if (method == "OPTIONS") return options(member_methods);
      refuse_method(question, target, member_methods);
  }
  refuse_path(target);
}

Shelf* Desk::root(const std::string& name) {
  for (auto& shelf : shelves_) {
    if (shelf.names().collection == name) return &shelf;
  }
  return nullptr;
}

Desk::Place Desk::find(const Target& target) {
  const auto& all = target.segments;
  if (all.size() == 1 && all.front().empty()) return {};
  if (all.size() < prefix_.size() || !std::equal(prefix_.begin(), prefix_.end(), all.begin())) {
    refuse_path(target);
  }
  const std::vector<std::string> path(all.begin() + static_cast<std::ptrdiff_t>(prefix_.size()), all.end());
  if (path.empty() || (path.size() == 1 && path.front().empty())) return {};

  auto* shelf = root(path[0]);
  if (shelf != nullptr && path.size() >= 3) {
    shelf = shelf->names().below == path[2] ? shelf->below(path[1]) : nullptr;
  }
  if (shelf == nullptr || path.size() > 4 || path.back().empty()) refuse_path(target);
  if (path.size() % 2 == 1) return {.kind = Kind::collection, .shelf = shelf};
  return {.kind = Kind::member, .shelf = shelf, .id = path.back()};
}

std::map<std::string, std::uint64_t> Desk::items() const {
  const std::shared_lock lock(mutex_);
  return count_members(shelves_);
}

std::uint64_t Desk::applied_writes() const {
  const std::shared_lock lock(mutex_);
  return applied_writes_;
}

}  // namespace atlas
