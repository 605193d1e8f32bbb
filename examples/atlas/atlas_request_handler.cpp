// Routes a request by its target and its method.
#include "atlas_request_handler.hpp"

#include <fmt/format.h>

#include "atlas_dataset.hpp"

namespace atlas {
namespace {

constexpr std::string_view index_methods = "GET, HEAD, OPTIONS";
constexpr std::string_view collection_methods = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view member_methods = "GET, HEAD, PUT, PATCH, DELETE, OPTIONS";

bool is_read(const std::string& method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

Response options(std::string_view methods) { return {.status = 204, .fields = {{"Allow", std::string(methods)}}}; }

[[noreturn]] void throw_method_not_allowed(const Request& request, const Target& target, std::string_view methods) {
  throw HttpError{405,
                fmt::format("{} does not support {}; supported: {}", target.path, request.method, methods),
                {{"Allow", std::string(methods)}}};
}

}  // namespace

Response RequestHandler::handle(const Request& request) {
  try {
    const auto target = parse_target(request.target);
    if (is_read(request.method)) {
      const std::shared_lock lock(mutex_);
      return dispatch(request, target);
    }
    const std::unique_lock lock(mutex_);
    return dispatch(request, target);
  } catch (const HttpError& error) {
    return problem_response(error);
  }
}

Response RequestHandler::dispatch(const Request& request, const Target& target) {
  const auto found = route(target);
  const auto& method = request.method;
  const bool gets = method == "GET" || method == "HEAD";
  switch (found.kind) {
    case Kind::index:
      if (gets) return index(request);
      if (method == "OPTIONS") return options(index_methods);
      throw_method_not_allowed(request, target, index_methods);
    case Kind::collection:
      if (gets) return list(request, target, *found.collection);
      if (method == "POST") return create_once(request, target, *found.collection);
      if (method == "OPTIONS") return options(collection_methods);
      throw_method_not_allowed(request, target, collection_methods);
    case Kind::member:
      if (gets) return read(request, target, found);
      if (method == "PUT") return replace(request, target, found);
      if (method == "PATCH") return update(request, target, found);
      if (method == "DELETE") return remove(request, target, found);
      if (method == "OPTIONS") return options(member_methods);
      throw_method_not_allowed(request, target, member_methods);
  }
  throw_not_found(target);
}

Collection* RequestHandler::find_collection(const std::string& name) {
  for (auto& collection : collections_) {
    if (collection.names().name == name) return &collection;
  }
  return nullptr;
}

RequestHandler::Route RequestHandler::route(const Target& target) {
  const auto& all = target.segments;
  if (all.size() == 1 && all.front().empty()) return {};
  if (all.size() < prefix_.size() || !std::equal(prefix_.begin(), prefix_.end(), all.begin())) {
    throw_not_found(target);
  }
  const std::vector<std::string> path(all.begin() + static_cast<std::ptrdiff_t>(prefix_.size()), all.end());
  if (path.empty() || (path.size() == 1 && path.front().empty())) return {};

  auto* collection = find_collection(path[0]);
  if (collection != nullptr && path.size() >= 3) {
    collection = collection->names().child_name == path[2] ? collection->subcollection(path[1]) : nullptr;
  }
  if (collection == nullptr || path.size() > 4 || path.back().empty()) throw_not_found(target);
  if (path.size() % 2 == 1) return {.kind = Kind::collection, .collection = collection};
  return {.kind = Kind::member, .collection = collection, .id = path.back()};
}

std::map<std::string, std::uint64_t> RequestHandler::items() const {
  const std::shared_lock lock(mutex_);
  return count_members(collections_);
}

std::uint64_t RequestHandler::applied_writes() const {
  const std::shared_lock lock(mutex_);
  return applied_writes_;
}

}  // namespace atlas
