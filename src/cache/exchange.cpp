#include "cache/exchange.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <utility>

#include "decision/classify.hpp"
#include "decision/resumption.hpp"
#include "wire/ascii.hpp"
#include "wire/cache_control.hpp"
#include "wire/entity_tag.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace cache {
namespace {

using Names = std::vector<std::string>;

constexpr int ok = 200;
constexpr int partial_content = 206;

/// Fields that describe a body, which a 304 does not have.
constexpr std::array<std::string_view, 7> of_the_body = {
    "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Content-MD5", "Content-Digest", "ETag",
};

Field copy_of(const FieldViews::Field& field) { return {std::string(field.name), std::string(field.value)}; }

/// The fields of a stored response with those of its 304. One without Age comes from the origin.
Headers merged(const FieldViews& stored, const Headers& received) {
  const auto changed = FieldViews::lasting(received);
  const auto is_of_the_body = [](std::string_view name) {
    return std::any_of(of_the_body.begin(), of_the_body.end(),
                       [&](std::string_view other) { return wire::same_ignoring_case(name, other); });
  };
  Headers fields;
  fields.reserve(stored.size() + changed.size());
  for (const auto& field : stored) {
    const bool is_replaced = changed.contains(field.name) || wire::same_ignoring_case(field.name, "Age");
    if (!is_replaced || is_of_the_body(field.name)) fields.push_back(copy_of(field));
  }
  for (const auto& field : changed)
    if (!is_of_the_body(field.name)) fields.push_back(copy_of(field));
  return fields;
}

/// Whether a 304 changes how the response is stored, selected or validated.
bool changes_storing(const Headers& received, const FieldViews& stored) {
  constexpr std::array<std::string_view, 4> names = {"Cache-Control", "Expires", "Vary", "Last-Modified"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    const auto named = std::views::filter([&](const auto& field) { return wire::same_ignoring_case(field.name, name); });
    return received.contains(name) &&
           !std::ranges::equal(received | named, stored | named, {}, &Field::value, &FieldViews::Field::value);
  });
}

/// The request fields by which a response was selected, in lower case; nothing if nothing selects it again (`*`).
std::optional<Names> vary_of(const Headers& headers) {
  Names names;
  for (auto line : headers.values("Vary"))
    while (!line.empty()) {
      const auto name = wire::take_element(line, ",");
      if (name == "*") return std::nullopt;
      if (!name.empty()) names.push_back(wire::lowered(name));
    }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Whether the transport sets this field, to the same value for all requests that do not have it.
bool is_of_the_transport(std::string_view name) noexcept {
  return wire::same_ignoring_case(name, "accept-encoding") || wire::same_ignoring_case(name, "host");
}

/// Whether a 304 may name this among other responses of the URL: its ETag is strong, and they differ in what was
/// negotiated. Those for other fields of a request, such as a tenant, may have the same ETags.
bool names_one_of_many(const StoredResponse& stored) {
  const auto& names = stored.varies_by;
  return !stored.headers.get("ETag").value_or("W/").starts_with("W/") &&
         std::all_of(names.begin(), names.end(), [](std::string_view name) { return name.starts_with("accept"); });
}

/// Statuses of a resource that is not there.
constexpr bool is_absent(int status) noexcept { return status == 404 || status == 410; }
/// Statuses that are stored if the response says how long it is fresh: a success other than 200 and 206, a redirect, and
/// what is not there.
constexpr bool is_kept_if_fresh(int status) noexcept {
  constexpr std::array<int, 5> redirects = {301, 302, 303, 307, 308};
  return (status > ok && status < 300 && status != partial_content) || is_absent(status) ||
         std::find(redirects.begin(), redirects.end(), status) != redirects.end();
}

/// A stored response that is used without the server's confirmation.
Response used(const StoredResponse& stored, std::string_view url, CacheStatus status, WallTime now) {
  Response response{
      .status = stored.status, .body = std::string(stored.body), .url = std::string(url), .cache = status};
  response.headers.reserve(stored.headers.size() + 1);
  for (const auto& field : stored.headers)
    if (!wire::same_ignoring_case(field.name, "Age")) response.headers.push_back(copy_of(field));
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(age_of(stored, now));
  response.headers.push_back({"Age", std::to_string(std::min(age, wire::longest_delta).count())});
  return response;
}

}  // namespace

bool may_use_cache(Method method, const Headers& fields) {
  if (method != Method::get && method != Method::head && method != Method::query) return false;
  return std::none_of(fields.begin(), fields.end(), [](const Field& field) {
    const std::string_view name = field.name;
    return wire::same_ignoring_case(name, "Range") ||
           (name.size() > 3 && wire::same_ignoring_case(name.substr(0, 3), "If-"));
  });
}

bool describes_body(std::string_view field) noexcept {
  constexpr std::string_view prefix = "Content-";
  return same_name(field.substr(0, prefix.size()), prefix);
}

void Exchange::use(Bytes bytes) {
  bytes_ = std::move(bytes);
  stored_.clear();
  if (!bytes_) return;
  if (auto read = read_bytes(*bytes_)) stored_ = *std::move(read);
}

std::string Exchange::digest_of(const std::vector<std::string_view>& names, const Headers& fields) const {
  if (names.empty()) return {};
  std::string text;
  for (const auto& name : names) {
    ((text += name) += ':');
    const bool has_case = !name.starts_with("accept");
    for (auto line : fields.values(name))
      while (!line.empty()) {
        const auto element = wire::take_element(line, ",");
        (has_case ? text += element : text += wire::lowered(element)) += ',';
      }
    text += '\n';
  }
  return wire::to_text(hash_.of(text));
}

std::string Exchange::digest_of_credentials(const Headers& credentials) const {
  if (!settings_.by_credentials) return {};
  std::string text;
  for (const auto& field : credentials) (((text += field.name) += ':') += field.value) += '\n';
  return wire::to_text(hash_.of(text));
}

bool Exchange::is_selected(const StoredResponse& stored, const RequestFields& fields) const {
  if (fields.incomplete) {
    if (settings_.by_credentials) return false;
    // What the request does not have may be one of its credentials.
    for (const auto& name : stored.varies_by)
      if (!is_of_the_transport(name) && !fields.all.contains(name)) return false;
  }
  return stored.credentials == digest_of_credentials(fields.credentials) &&
         stored.request_fields == digest_of(stored.varies_by, fields.all);
}

/// The index of the stored response for this request; the number of them if there is none.
std::size_t Exchange::selected(const RequestFields& fields) const {
  std::size_t index = 0;
  while (index < stored_.size() && !is_selected(stored_[index], fields)) ++index;
  return index;
}

std::optional<Response> Exchange::ready(std::string_view url, const RequestFields& fields, WallTime now) {
  if (settings_.mode != CacheMode::rfc9111 || settings_.reload || stored_.empty()) return std::nullopt;
  const auto index = selected(fields);
  if (index == stored_.size()) return std::nullopt;
  const auto control = wire::read_cache_control(fields.all.values("Cache-Control"));
  const auto freshness = freshness_of(stored_[index], control, now);
  must_revalidate_ = freshness == Freshness::stale_while_revalidating;
  if (freshness != Freshness::fresh && !must_revalidate_) return std::nullopt;
  auto response = used(stored_[index], url, must_revalidate_ ? CacheStatus::stale : CacheStatus::fresh, now);
  stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(index));
  return response;
}

void Exchange::add_fields(Headers& fields, const Headers& credentials) {
  asked_.clear();
  if (settings_.reload && !fields.contains("Cache-Control")) fields.set("Cache-Control", "no-cache");
  if (settings_.reload || unconditional_) return;
  const auto own = selected({fields, credentials});
  const auto key = digest_of_credentials(credentials);
  std::string list;
  for (std::size_t index = 0; index < stored_.size(); ++index) {
    const auto& stored = stored_[index];
    const auto tag = stored.headers.get("ETag").value_or("");
    const bool may_be_confirmed = index == own || (stored.credentials == key && names_one_of_many(stored));
    if (tag.empty() || !may_be_confirmed) continue;
    (list += asked_.empty() ? "" : ", ") += tag;
    asked_.push_back(index);
  }
  if (!asked_.empty()) return fields.set("If-None-Match", list);
  if (!settings_.by_date || own == stored_.size()) return;
  const auto date = stored_[own].headers.get("Last-Modified");
  if (!date) return;
  asked_.push_back(own);
  fields.set("If-Modified-Since", *date);
}

/// The index of what a 304 confirms; the number of stored responses if that is none. Without an ETag it confirms the only
/// one that was asked for. A weak ETag may be that of several, and names the one that the request selects.
std::size_t Exchange::confirmed_by(const Response& response, const RequestFields& fields) const {
  const auto tag = response.headers.get("ETag");
  if (!tag) return asked_.size() == 1 ? asked_.front() : stored_.size();
  const auto own = selected(fields);
  const auto names = [&](std::size_t index) {
    const auto stored = stored_[index].headers.get("ETag");
    // Without one it was asked for by its date.
    return !stored || (index == own ? wire::weakly_equal(*stored, *tag) : *stored == *tag);
  };
  if (const auto first = std::find(asked_.begin(), asked_.end(), own); first != asked_.end() && names(own)) return own;
  const auto found = std::find_if(asked_.begin(), asked_.end(), names);
  return found == asked_.end() ? stored_.size() : *found;
}

bool Exchange::may_store(const Response& response, const Headers& request, WallTime now) const {
  const bool is_rfc9111 = settings_.mode == CacheMode::rfc9111;
  const auto& headers = response.headers;
  const auto control = wire::read_cache_control(headers.values("Cache-Control"));
  if (control.no_store || wire::read_cache_control(request.values("Cache-Control")).no_store) return false;
  if (names_byte_part(headers)) return false;
  const auto lifetime = is_rfc9111 ? lifetime_of(headers, control, now) : std::nullopt;
  if (is_kept_if_fresh(response.status)) return lifetime > Duration::zero();
  if (response.status != ok) return false;
  const bool can_be_validated =
      headers.contains("ETag") || (settings_.by_date && headers.contains("Last-Modified"));
  return can_be_validated || lifetime > Duration::zero();
}

/// Puts a response first, in place of those that the same request selects. One that may not be stored removes them, if it
/// is the state of the resource.
/// @returns  whether it is stored.
bool Exchange::store(const Response& response, bool is_confirmed, const RequestFields& fields, const Arrival& arrival,
                     WallTime now) {
  const auto varies_by = vary_of(response.headers);
  const bool stays = varies_by && may_store(response, fields.all, now);
  bool has_changed = stays || is_confirmed;
  if (stays || is_confirmed || response.status == ok || is_absent(response.status))
    has_changed |= std::erase_if(stored_, [&](const auto& other) { return is_selected(other, fields); }) > 0;
  if (stays) {
    const std::vector<std::string_view> names(varies_by->begin(), varies_by->end());
    const auto request_fields = digest_of(names, fields.all);
    const auto credentials = digest_of_credentials(fields.credentials);
    if (stored_.size() >= most_variants) stored_.resize(most_variants - 1);
    stored_.insert(stored_.begin(), {.status = response.status,
                                     .headers = FieldViews::lasting(response.headers),
                                     .body = response.body,
                                     .received_at = now,
                                     .age = age_on_arrival(response.headers, arrival),
                                     .varies_by = names,
                                     .request_fields = request_fields,
                                     .credentials = credentials});
    change_ = std::make_shared<const std::string>(to_bytes(stored_));
    // It is a view of the response.
    stored_.erase(stored_.begin());
  } else if (has_changed) {
    change_ = std::make_shared<const std::string>(stored_.empty() ? std::string() : to_bytes(stored_));
  }
  return stays;
}

bool Exchange::follow(const std::shared_ptr<Flights>& flights, const Flights::Request& request) {
  if (has_followed_) return false;
  seat_.emplace(Flights::follow(flights, request));
  return has_followed_ = seat_->follows();
}

void Exchange::lead(const std::shared_ptr<Flights>& flights, Flights::Request request) {
  seat_.emplace(Flights::lead(flights, std::move(request)));
}

bool Exchange::take_landed() {
  if (!seat_->has_landed()) return false;
  if (const auto& stored = seat_->stored(); stored && !stored->empty()) use(stored);
  seat_.reset();
  return true;
}

Answer Exchange::on_response(Response& response, const RequestFields& fields, const Arrival& arrival, WallTime now) {
  if (response.status != not_modified_status) {
    const bool is_stored = store(response, false, fields, arrival, now);
    response.cache = is_stored ? CacheStatus::stored : CacheStatus::none;
    return Answer::as_received;
  }
  const auto index = confirmed_by(response, fields);
  if (index == stored_.size()) {
    asked_.clear();
    return std::exchange(unconditional_, true) ? Answer::as_received : Answer::unexpected;
  }
  const auto confirmed = std::move(stored_[index]);
  stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(index));
  // Where nothing is fresh, how old it is does not matter.
  const bool stays = settings_.mode == CacheMode::validate && index == 0 && is_selected(confirmed, fields) &&
                     !changes_storing(response.headers, confirmed.headers);
  response.status = confirmed.status;
  response.headers = merged(confirmed.headers, response.headers);
  response.body = confirmed.body;
  response.trailers.clear();
  response.cache = CacheStatus::validated;
  if (!stays) store(response, true, fields, arrival, now);
  return Answer::confirmed;
}

std::optional<Response> Exchange::instead_of_failure(std::string_view url, const RequestFields& fields,
                                                     WallTime now) const {
  if (settings_.mode != CacheMode::rfc9111 || settings_.reload) return std::nullopt;
  const auto index = selected(fields);
  if (index == stored_.size()) return std::nullopt;
  const auto control = wire::read_cache_control(fields.all.values("Cache-Control"));
  if (freshness_of(stored_[index], control, now) == Freshness::stale) return std::nullopt;
  return used(stored_[index], url, CacheStatus::stale, now);
}

std::string_view group_of(std::string_view url) noexcept {
  url = url.substr(0, url.find('?'));
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

std::vector<std::string> invalidated_by(std::string_view url, std::string_view collection, const Response* response) {
  std::vector<std::string> groups = {std::string(group_of(url))};
  if (!collection.empty()) groups.emplace_back(group_of(collection));
  if (response == nullptr) return groups;
  const auto origin = wire::origin_of(url);
  const auto add = [&](const std::string& target) {
    if (!target.empty() && target != url && wire::origin_of(target) == origin) groups.emplace_back(group_of(target));
  };
  add(response->url);
  for (const auto* name : {"Location", "Content-Location"})
    if (const auto place = response->headers.get(name)) add(wire::resolve_written(url, *place));
  return groups;
}

}}}  // namespace noun::cache
