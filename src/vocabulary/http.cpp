#include <noun/http.hpp>

#include <algorithm>
#include <ostream>

namespace noun { inline namespace v0 {
namespace {

constexpr char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

template <class Same>
std::optional<std::string_view> first_value(const std::vector<Field>& fields, Same same) noexcept {
  for (const auto& field : fields)
    if (same(field.name)) return field.value;
  return std::nullopt;
}

template <class Same>
void replace_fields(std::vector<Field>& fields, Field field, Same same) {
  const auto first = std::find_if(fields.begin(), fields.end(), [&](const Field& old) { return same(old.name); });
  if (first == fields.end()) return fields.push_back(std::move(field));
  *first = std::move(field);
  fields.erase(std::remove_if(first + 1, fields.end(), [&](const Field& old) { return same(old.name); }), fields.end());
}

}  // namespace

std::string_view to_string(Method method) noexcept {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::delete_: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::query: return "QUERY";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, Method method) { return out << to_string(method); }

std::string_view to_string(CacheStatus status) noexcept {
  switch (status) {
    case CacheStatus::none: return "none";
    case CacheStatus::stored: return "stored";
    case CacheStatus::validated: return "validated";
    case CacheStatus::fresh: return "fresh";
    case CacheStatus::stale: return "stale";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, CacheStatus status) { return out << to_string(status); }

bool same_name(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                   [](char a, char b) { return a == b || lower(a) == lower(b); });
}

FieldList::FieldList(std::initializer_list<FieldArgument> fields) {
  fields_.reserve(fields.size());
  for (const auto& field : fields) fields_.push_back({field.name.str(), field.value.str()});
}

void FieldList::add(Text name, FieldValue value) { fields_.push_back({name.str(), std::move(value).str()}); }

std::optional<std::string_view> Headers::get(std::string_view name) const noexcept {
  return first_value(fields_, [&](const std::string& other) { return same_name(other, name); });
}

std::vector<std::string_view> Headers::values(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& field : fields_)
    if (same_name(field.name, name)) found.push_back(field.value);
  return found;
}

void Headers::set(Text name, FieldValue value) {
  replace_fields(fields_, {name.str(), std::move(value).str()},
                 [&](const std::string& other) { return same_name(other, name.view()); });
}

std::size_t Headers::erase(std::string_view name) {
  return std::erase_if(fields_, [&](const Field& field) { return same_name(field.name, name); });
}

std::optional<std::string_view> Query::get(std::string_view name) const noexcept {
  return first_value(fields_, [&](const std::string& other) { return other == name; });
}

void Query::set(Text name, FieldValue value) {
  replace_fields(fields_, {name.str(), std::move(value).str()},
                 [&](const std::string& other) { return other == name.view(); });
}

std::size_t Query::erase(std::string_view name) {
  return std::erase_if(fields_, [&](const Field& field) { return field.name == name; });
}

}}  // namespace noun
