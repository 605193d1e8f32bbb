// The verbs of the desk: what listing, creating, reading, replacing, patching and removing do.
#include <fmt/format.h>

#include <algorithm>

#include "atlas_dataset.hpp"
#include "atlas_desk.hpp"
#include "atlas_pages.hpp"

namespace atlas {
namespace {

std::string url_of(const Question& question, const Target& target) {
  return question.origin + join_path(target.segments);
}

[[noreturn]] void refuse_missing(const Target& target) {
  throw Refusal{404, fmt::format("there is no member at {}", target.path)};
}

bool matches(const Member& member, const Parameters& filters) {
  return std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
    const auto field = member.document->value.find(filter.first);
    return field != member.document->value.end() && field->is_string() &&
           field->template get_ref<const std::string&>() == filter.second;
  });
}

std::vector<const Member*> select(const Shelf& shelf, const Parameters& filters) {
  std::vector<const Member*> selected;
  selected.reserve(filters.empty() ? shelf.members().size() : 0);
  for (const auto& member : shelf.members()) {
    if (matches(member, filters)) selected.push_back(&member);
  }
  return selected;
}

Answer representation(int status, const Member& member) {
  return {.status = status, .fields = {{"ETag", member.document->etag}}, .body = member.document->text};
}

/// The id that a document gives itself; empty when it gives none.
std::string id_in(const Json& document, const std::string& field) {
  const auto found = document.find(field);
  if (found == document.end()) return {};
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    throw Refusal{400, fmt::format("'{}' must be a text that is not empty", field)};
  }
  return found->get<std::string>();
}

void require_id(const Json& document, const std::string& field, const std::string& id) {
  if (id_in(document, field) != id) {
    throw Refusal{400, fmt::format("'{}' must stay '{}', as the path says", field, id)};
  }
}

}  // namespace

Answer Desk::index(const Question& question) const {
  const auto base = question.origin + join_path(prefix_);
  Json collections;
  for (const auto& shelf : shelves_) {
    const auto& names = shelf.names();
    const auto url = fmt::format("{}/{}", base, names.collection);
    collections[names.collection] = url;
    if (!names.below.empty()) {
      collections[names.below] = fmt::format("{}/{{{}}}/{}", url, names.id_field, names.below);
    }
  }
  const Json document{{"name", "atlas"}, {"collections", collections}, {"items", count_members(shelves_)}};
  return {.body = document.dump(2) + "\n"};
}

Answer Desk::list(const Question& question, const Target& target, const Shelf& shelf) const {
  const auto request = parse_page_request(target.query);
  const auto selected = select(shelf, request.filters);
  const auto first = request.first(selected.size());
  const auto end = std::min<std::uint64_t>(first + request.per_page, selected.size());
  std::string body = "[";
  for (auto i = first; i < end; ++i) {
    if (i != first) body += ',';
    body += selected[i]->document->text;
  }
  body += ']';
  return {.fields = {{"Link", link_text(url_of(question, target), request, selected.size())},
                     {"X-Total-Count", fmt::format("{}", selected.size())}},
          .body = std::move(body)};
}

Answer Desk::create(const Question& question, const Target& target, Shelf& shelf) {
  auto document = parse_object(question.body);
  const auto& field = shelf.names().id_field;
  const auto id = id_in(document, field);
  if (id.empty()) throw Refusal{400, fmt::format("the body has no '{}', which identifies the member", field)};
  if (shelf.find(id) != nullptr) {
    throw Refusal{409, fmt::format("{}/{} exists already", target.path, percent_encode(id))};
  }
  auto answer = representation(201, shelf.put(id, std::move(document)));
  ++applied_writes_;
  answer.fields.emplace_back("Location", url_of(question, target) + "/" + percent_encode(id));
  return answer;
}

Answer Desk::create_once(const Question& question, const Target& target, Shelf& shelf) {
  if (question.idempotency_key.empty()) return create(question, target, shelf);
  // A path holds no space, so that two pairs never make the same key.
  const auto key = join_path(target.segments) + " " + question.idempotency_key;
  if (const auto earlier = created_.find(key); earlier != created_.end()) {
    if (earlier->second.body != question.body) {
      throw Refusal{422, "this Idempotency-Key was used with another body"};
    }
    auto answer = earlier->second.answer;
    answer.fields.emplace_back("Idempotency-Replayed", "true");
    return answer;
  }
  auto answer = create(question, target, shelf);
  created_.emplace(key, Created{question.body, answer});
  return answer;
}

Answer Desk::read(const Question& question, const Target& target, const Place& place) const {
  const auto* member = place.shelf->find(place.id);
  if (member == nullptr) refuse_missing(target);
  auto answer = representation(200, *member);
  if (is_not_modified(question.conditions, *member)) {
    answer.status = 304;
    answer.body.clear();
  }
  return answer;
}

Answer Desk::replace(const Question& question, const Target& target, const Place& place) {
  auto document = parse_object(question.body);
  const auto& field = place.shelf->names().id_field;
  if (document.contains(field)) {
    require_id(document, field, place.id);
  } else {
    document[field] = place.id;
  }
  const auto* current = place.shelf->find(place.id);
  check_write(question.conditions, current);
  const bool creates = current == nullptr;
  auto answer = representation(creates ? 201 : 200, place.shelf->put(place.id, std::move(document)));
  ++applied_writes_;
  if (creates) answer.fields.emplace_back("Location", url_of(question, target));
  return answer;
}

Answer Desk::update(const Question& question, const Target& target, const Place& place) {
  const auto* current = place.shelf->find(place.id);
  if (current == nullptr) refuse_missing(target);
  const auto patch = parse_object(question.body);
  check_write(question.conditions, current);
  auto document = current->document->value;
  document.merge_patch(patch);
  require_id(document, place.shelf->names().id_field, place.id);
  auto answer = representation(200, place.shelf->put(place.id, std::move(document)));
  ++applied_writes_;
  return answer;
}

Answer Desk::remove(const Question& question, const Target& target, const Place& place) {
  const auto* current = place.shelf->find(place.id);
  if (current == nullptr) refuse_missing(target);
  check_write(question.conditions, current);
  place.shelf->remove(place.id);
  ++applied_writes_;
  return {.status = 204};
}

}  // namespace atlas
