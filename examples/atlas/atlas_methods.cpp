// The methods of RequestHandler: listing, creating, reading, replacing, patching and removing.
#include <fmt/format.h>

#include <algorithm>

#include "atlas_dataset.hpp"
#include "atlas_pages.hpp"
#include "atlas_request_handler.hpp"

namespace atlas {
namespace {

std::string url_of(const Request& request, const Target& target) {
  return request.origin + join_path(target.segments);
}

bool matches(const Member& member, const Parameters& filters) {
  return std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
    const auto field = member.document->value.find(filter.first);
    return field != member.document->value.end() && field->is_string() &&
           field->template get_ref<const std::string&>() == filter.second;
  });
}

std::vector<const Member*> select(const Collection& collection, const Parameters& filters) {
  std::vector<const Member*> selected;
  selected.reserve(filters.empty() ? collection.members().size() : 0);
  for (const auto& member : collection.members()) {
    if (matches(member, filters)) selected.push_back(&member);
  }
  return selected;
}

Response representation(int status, const Member& member) {
  return {.status = status, .fields = {{"ETag", member.document->etag}}, .body = member.document->text};
}

/// The id in a document; empty if there is none.
std::string id_in(const Json& document, const std::string& field) {
  const auto found = document.find(field);
  if (found == document.end()) return {};
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    throw HttpError{400, fmt::format("'{}' must be a non-empty string", field)};
  }
  return found->get<std::string>();
}

void require_id(const Json& document, const std::string& field, const std::string& id) {
  if (id_in(document, field) != id) {
    throw HttpError{400, fmt::format("'{}' must be '{}', as in the path", field, id)};
  }
}

}  // namespace

Response RequestHandler::index(const Request& request) const {
  const auto base = request.origin + join_path(prefix_);
  Json collections;
  for (const auto& collection : collections_) {
    const auto& names = collection.names();
    const auto url = fmt::format("{}/{}", base, names.name);
    collections[names.name] = url;
    if (!names.child_name.empty()) {
      collections[names.child_name] = fmt::format("{}/{{{}}}/{}", url, names.id_field, names.child_name);
    }
  }
  const Json document{{"name", "atlas"}, {"collections", collections}, {"items", count_members(collections_)}};
  return {.body = document.dump(2) + "\n"};
}

Response RequestHandler::list(const Request& request, const Target& target, const Collection& collection) const {
  const auto page = parse_page_request(target.query);
  const auto selected = select(collection, page.filters);
  const auto first = page.first(selected.size());
  const auto end = std::min<std::uint64_t>(first + page.per_page, selected.size());
  std::string body = "[";
  std::string tags = link_text(url_of(request, target), page, selected.size());
  for (auto i = first; i < end; ++i) {
    if (i != first) body += ',';
    const auto& document = *selected[static_cast<std::size_t>(i)]->document;
    body += document.text;
    tags += document.etag;
  }
  body += ']';
  const auto etag = entity_tag(tags);
  const bool is_known = is_not_modified(request.conditions, etag);
  return {.status = is_known ? 304 : 200,
          .fields = {{"Link", link_text(url_of(request, target), page, selected.size())},
                     {"X-Total-Count", fmt::format("{}", selected.size())},
                     {"ETag", etag}},
          .body = is_known ? std::string() : std::move(body)};
}

Response RequestHandler::create(const Request& request, const Target& target, Collection& collection) {
  auto document = parse_object(request.body);
  const auto& field = collection.names().id_field;
  const auto id = id_in(document, field);
  if (id.empty()) throw HttpError{400, fmt::format("the body has no '{}', the id of the member", field)};
  if (collection.find(id) != nullptr) {
    throw HttpError{409, fmt::format("{}/{} already exists", target.path, percent_encode(id))};
  }
  auto response = representation(201, collection.put(id, std::move(document)));
  ++applied_writes_;
  response.fields.emplace_back("Location", url_of(request, target) + "/" + percent_encode(id));
  return response;
}

Response RequestHandler::create_once(const Request& request, const Target& target, Collection& collection) {
  if (request.idempotency_key.empty()) return create(request, target, collection);
  // Unambiguous: a path contains no space.
  const auto key = join_path(target.segments) + " " + request.idempotency_key;
  if (const auto earlier = created_.find(key); earlier != created_.end()) {
    if (earlier->second.body != request.body) {
      throw HttpError{422, "this Idempotency-Key was already used with a different body"};
    }
    auto response = earlier->second.response;
    response.fields.emplace_back("Idempotency-Replayed", "true");
    return response;
  }
  auto response = create(request, target, collection);
  created_.emplace(key, Created{request.body, response});
  return response;
}

Response RequestHandler::read(const Request& request, const Target& target, const Route& route) const {
  const auto* member = route.collection->find(route.id);
  if (member == nullptr) throw_not_found(target);
  auto response = representation(200, *member);
  if (is_not_modified(request.conditions, member->document->etag)) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

Response RequestHandler::replace(const Request& request, const Target& target, const Route& route) {
  auto document = parse_object(request.body);
  const auto& field = route.collection->names().id_field;
  if (document.contains(field)) {
    require_id(document, field, route.id);
  } else {
    document[field] = route.id;
  }
  const auto* current = route.collection->find(route.id);
  check_write(request.conditions, current);
  const bool creates = current == nullptr;
  auto response = representation(creates ? 201 : 200, route.collection->put(route.id, std::move(document)));
  ++applied_writes_;
  if (creates) response.fields.emplace_back("Location", url_of(request, target));
  return response;
}

Response RequestHandler::update(const Request& request, const Target& target, const Route& route) {
  const auto* current = route.collection->find(route.id);
  if (current == nullptr) throw_not_found(target);
  const auto patch = parse_object(request.body);
  check_write(request.conditions, current);
  auto document = current->document->value;
  document.merge_patch(patch);
  require_id(document, route.collection->names().id_field, route.id);
  auto response = representation(200, route.collection->put(route.id, std::move(document)));
  ++applied_writes_;
  return response;
}

Response RequestHandler::remove(const Request& request, const Target& target, const Route& route) {
  const auto* current = route.collection->find(route.id);
  if (current == nullptr) throw_not_found(target);
  check_write(request.conditions, current);
  route.collection->remove(route.id);
  ++applied_writes_;
  return {.status = 204};
}

}  // namespace atlas
