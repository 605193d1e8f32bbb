#include <noun/testing/simulated_service.hpp>

#include <algorithm>
#include <cstdint>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testing/local_bodies.hpp"
#include "testing/simulated_feed.hpp"
#include "testing/simulated_operations.hpp"
#include "testing/simulated_pages.hpp"
#include "wire/entity_tag.hpp"
#include "wire/http_date.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using Json = nlohmann::json;

struct Member {
  std::string id;
  Json json;
  std::uint64_t version = 0;
};

std::string problem(int status, std::string_view detail) {
  // The detail may repeat an id that is not valid UTF-8.
  return Json{{"type", "about:blank"}, {"status", status}, {"detail", detail}}.dump(-1, ' ', false,
                                                                                    Json::error_handler_t::replace);
}

Response refuse(int status, std::string_view detail) {
  return {.status = status, .headers = {{"Content-Type", "application/problem+json"}}, .body = problem(status, detail)};
}

/// A body as JSON; discarded if it is malformed, or nested so deeply that copying it could overflow the stack.
Json read(std::string_view text) {
  constexpr std::size_t deepest = 1000;
  return wire::json_shape(text).depth > deepest ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

/// The JSON of an item. @throws std::invalid_argument
Json item_of(std::string_view text) {
  auto item = read(text);
  if (item.is_discarded())
    throw std::invalid_argument("SimulatedService: an item is not JSON, or is nested too deeply");
  return item;
}

/// A scalar as text in a query.
std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

Error late() { return Error(Errc::timeout, "no response within the attempt's time limit", Sent::maybe); }

/// The form of the reset: the one that a client of the dialect reads, unless it is set; nothing for no reset.
std::optional<ResetForm> reset_form(const ServiceOptions& options, const QuotaHeaders& quota) {
  if (!options.reset) return quota.reset_form;
  switch (*options.reset) {
    case ServiceReset::epoch: return ResetForm::epoch_seconds;
    case ServiceReset::epoch_milliseconds: return ResetForm::epoch_milliseconds;
    case ServiceReset::delta: return ResetForm::delta_seconds;
    case ServiceReset::rfc3339: return ResetForm::rfc3339;
    case ServiceReset::http_date: return ResetForm::http_date;
    case ServiceReset::absent: break;
  }
  return std::nullopt;
}

std::string reset_text(ResetForm form, Duration in, WallTime at) {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto when = std::chrono::duration_cast<Duration>(at.time_since_epoch()) + in;
  const auto second = std::chrono::sys_seconds(ceil<seconds>(when));
  switch (form) {
    case ResetForm::epoch_milliseconds: return std::to_string(ceil<milliseconds>(when).count());
    case ResetForm::delta_seconds: return std::to_string(ceil<seconds>(in).count());
    case ResetForm::delta_milliseconds: return std::to_string(ceil<milliseconds>(in).count());
    case ResetForm::rfc3339: return wire::format_rfc3339(second);
    case ResetForm::http_date: return wire::format_http_date(second);
    case ResetForm::duration_text: return fmt::format("{}ms", ceil<milliseconds>(in).count());
    case ResetForm::automatic:
    case ResetForm::epoch_seconds: break;
  }
  return std::to_string(ceil<seconds>(when).count());
}

int first_of(const std::vector<int>& statuses, int otherwise) {
  return statuses.empty() ? otherwise : statuses.front();
}

/// Whether a precondition matches the ETag, which is empty if there is nothing.
/// @source RFC 9110, sections 13.1.1 (strong comparison) and 13.1.2 (weak comparison).
bool names(std::string_view condition, std::string_view etag, bool weakly) {
  if (etag.empty()) return false;
  if (condition == "*") return true;
  constexpr std::string_view separators = " \t,";
  while (true) {
    condition.remove_prefix(std::min(condition.find_first_not_of(separators), condition.size()));
    // A tag may contain a comma.
    const auto closing = condition.find('"', condition.find('"') + 1);
    if (condition.find('"') == std::string_view::npos || closing == std::string_view::npos) return false;
    const auto one = condition.substr(0, closing + 1);
    if (weakly ? wire::weakly_equal(one, etag) : one == etag && etag.front() == '"') return true;
    condition.remove_prefix(closing + 1);
  }
}

bool reads(const Attempt& attempt) { return attempt.method == Method::get || attempt.method == Method::head; }
bool queries(const Attempt& attempt) { return attempt.method == Method::query; }

/// The path of a collection, an operation or a feed; nothing if the dialect's trailing slash is missing.
std::optional<std::string_view> path_in(std::string_view url, const Dialect& dialect) {
  auto path = std::string_view(wire::split_url(url).path);
  if (!dialect.trailing_slash) return path;
  if (!path.ends_with('/')) return std::nullopt;
  path.remove_suffix(1);
  return path;
}

/// The response, or a 304 without a body if the request names its ETag.
Response unless_known(const Attempt& attempt, Response response) {
  const auto known = attempt.headers.get("If-None-Match");
  if (!known || !names(*known, response.headers.get("ETag").value_or(""), true)) return response;
  response.status = 304;
  response.headers.erase("Content-Type");
  response.body.clear();
  return response;
}

/// The ETag of a page: it changes with the items, and with the links and totals.
std::string etag_of(const Response& page) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    hash *= 0x100000001b3;
  };
  for (const auto& [name, value] : page.headers) {
    add(name);
    add(value);
  }
  add(page.body);
  return fmt::format("W/\"{:016x}\"", hash);
}

}  // namespace

/// The collections by path, each with its members in order.
struct [[gnu::visibility("hidden")]] SimulatedService::Collections {
  explicit Collections(const ServiceOptions& service) : options(service) {}

  Member* find(std::string_view collection, std::string_view id) {
    const auto members = by_path.find(collection);
    if (members == by_path.end()) return nullptr;
    const auto found = std::find_if(members->second.begin(), members->second.end(),
                                    [&](const Member& member) { return member.id == id; });
    return found == members->second.end() ? nullptr : &*found;
  }
  SimulatedFeed& feed(std::string_view path) {
    const auto found = feeds.find(path);
    if (found == feeds.end())
      throw std::invalid_argument(fmt::format("SimulatedService: there is no feed at {}", path));
    return found->second;
  }
  Member& add(std::string_view collection, std::string_view id, Json json) {
    return by_path[std::string(collection)].emplace_back(Member{std::string(id), std::move(json), ++versions});
  }

  Response post(std::string_view collection, std::string_view body) {
    return operating.contains(collection) ? start_operation(collection, body) : create(collection, body);
  }
  Response start_operation(std::string_view collection, std::string_view body);
  Response poll(SimulatedOperation& operation);
  Response list(const Attempt& attempt, const std::vector<Member>& members) const;
  Response search(const Attempt& attempt, const std::vector<Member>& members) const;
  Response page(const Attempt& attempt, const std::vector<Member>& members, const Query& selection) const;
  Response create(std::string_view collection, std::string_view body);
  Response change(const Attempt& attempt, std::string_view collection, const std::string& id);
  Response represent(int status, const Member& member) const;
  Json member_in(std::string_view body) const;
  Json new_id(const std::vector<Member>& members) const;

  const ServiceOptions& options;
  std::map<std::string, std::vector<Member>, std::less<>> by_path = {};
  /// Of the collections in which a POST starts an operation.
  std::map<std::string, ServiceOperations, std::less<>> operating = {};
  /// By the path of the monitor.
  std::map<std::string, SimulatedOperation, std::less<>> operations = {};
  std::map<std::string, SimulatedFeed, std::less<>> feeds = {};
  std::uint64_t versions = 0;
};

Response SimulatedService::Collections::represent(int status, const Member& member) const {
  Response response{.status = status, .headers = {{"ETag", fmt::format("\"{}\"", member.version)}}};
  if (status == 204) return response;
  Json body = member.json;
  if (const auto& place = options.dialect.member.reply; !place.empty()) {
    body = Json();
    body[Json::json_pointer(place)] = member.json;
  }
  response.headers.add("Content-Type", "application/json");
  response.body = body.dump();
  return response;
}

/// The member inside a request's envelope; discarded if there is none.
Json SimulatedService::Collections::member_in(std::string_view body) const {
  auto json = read(body);
  const auto& place = options.dialect.member.request;
  if (place.empty() || json.is_array()) return json;
  const Json::json_pointer pointer(place);
  return json.contains(pointer) ? json[pointer] : Json(Json::value_t::discarded);
}

/// An id that no member has: a number, or text if the last member's id is text.
Json SimulatedService::Collections::new_id(const std::vector<Member>& members) const {
  auto number = members.size() + 1;
  const auto is_taken = [&] {
    return std::any_of(members.begin(), members.end(),
                       [&](const Member& each) { return each.id == std::to_string(number); });
  };
  while (is_taken()) ++number;
  const bool is_text = !members.empty() && members.back().json.is_object() &&
                       members.back().json.contains(options.id_member) &&
                       members.back().json[options.id_member].is_string();
  return is_text ? Json(std::to_string(number)) : Json(number);
}

Response SimulatedService::Collections::list(const Attempt& attempt, const std::vector<Member>& members) const {
  return page(attempt, members, wire::decoded_query(attempt.url));
}

Response SimulatedService::Collections::search(const Attempt& attempt, const std::vector<Member>& members) const {
  const auto body = read(attempt.body);
  if (!body.is_object()) return refuse(400, "the body of a QUERY is not a JSON object");
  auto selection = wire::decoded_query(attempt.url);
  for (const auto& [key, value] : body.items()) selection.add(key, text_of(value));
  return page(attempt, members, selection);
}

/// @param selection  of members, and the parameters of paging.
Response SimulatedService::Collections::page(const Attempt& attempt, const std::vector<Member>& members,
                                             const Query& selection) const {
  const auto& paging = options.dialect.paging;
  std::vector<const Json*> items;
  for (const auto& member : members) items.push_back(&member.json);
  for (const auto& [name, value] : selection) {
    const auto is_named = [&, &parameter = name](std::string_view known) { return known == parameter; };
    if (is_paging_parameter(paging, name) ||
        std::any_of(options.parameters.begin(), options.parameters.end(), is_named))
      continue;
    const auto has_key = [&, &key = name](const Member& member) {
      return member.json.is_object() && member.json.contains(key);
    };
    // Without members no key is known.
    if (!members.empty() && std::none_of(members.begin(), members.end(), has_key))
      return refuse(400, fmt::format("unknown parameter \"{}\"", name));
    std::erase_if(items, [&, &key = name, &wanted = value](const Json* item) {
      return !item->is_object() || !item->contains(key) || text_of((*item)[key]) != wanted;
    });
  }
  auto page = simulated_page(paging,
                             {.url = attempt.url,
                              .headers = attempt.headers,
                              .usual_size = options.page_size,
                              .largest_size = options.largest_page},
                             items);
  page.headers.add("ETag", etag_of(page));
  return unless_known(attempt, std::move(page));
}

Response SimulatedService::Collections::start_operation(std::string_view collection, std::string_view body) {
  const auto path =
      fmt::format("{}operations/{}", collection.substr(0, collection.rfind('/') + 1), operations.size() + 1);
  auto& operation = operations[path];
  operation = {.how = operating.find(collection)->second,
               .collection = std::string(collection),
               .body = std::string(body)};
  return accepted_response(options.dialect.polling, operation, path + (options.dialect.trailing_slash ? "/" : ""));
}

Response SimulatedService::Collections::poll(SimulatedOperation& operation) {
  const auto& how = operation.how;
  if (count_poll(operation) && !operation.is_created && !how.fails) {
    operation.created = create(operation.collection, operation.body);
    operation.is_created = true;
  }
  if (operation.created.status >= 400 && !how.forgets) return operation.created;
  return monitor_response(options.dialect.polling, operation);
}

Response SimulatedService::Collections::create(std::string_view collection, std::string_view body) {
  auto json = member_in(body);
  if (!json.is_object()) return refuse(400, "the body is not an object");
  if (!json.contains(options.id_member)) json[options.id_member] = new_id(by_path.find(collection)->second);
  const auto id = text_of(json[options.id_member]);
  if (find(collection, id) != nullptr) return refuse(409, fmt::format("{} already exists", id));
  auto response = represent(first_of(options.dialect.create_statuses, 201), add(collection, id, std::move(json)));
  std::string location(collection);
  location += '/';
  wire::append_segment(location, id);
  if (options.dialect.trailing_slash) location += '/';
  response.headers.add("Location", location);
  return response;
}

Response SimulatedService::Collections::change(const Attempt& attempt, std::string_view collection,
                                               const std::string& id) {
  auto* member = find(collection, id);
  const auto etag = member != nullptr ? fmt::format("\"{}\"", member->version) : std::string();
  if (const auto wanted = attempt.headers.get("If-Match"); wanted && !names(*wanted, etag, false))
    return refuse(412, "the item has another ETag");
  if (const auto known = attempt.headers.get("If-None-Match"); known && !reads(attempt) && names(*known, etag, true))
    return refuse(412, "the item exists");
  const auto& dialect = options.dialect;
  if (attempt.method == Method::put) {
    auto json = member_in(attempt.body);
    if (json.is_discarded()) return refuse(400, "the body is not JSON, or has no member");
    if (member == nullptr) return represent(201, add(collection, id, std::move(json)));
    *member = {id, std::move(json), ++versions};
    return represent(first_of(dialect.replace_statuses, 200), *member);
  }
  if (member == nullptr) return refuse(404, fmt::format("there is no {} in {}", id, collection));
  if (reads(attempt)) return unless_known(attempt, represent(first_of(dialect.get_statuses, 200), *member));
  if (attempt.method == Method::patch) {
    const auto patch = member_in(attempt.body);
    if (patch.is_discarded()) return refuse(400, "the body is not JSON, or has no member");
    member->json.merge_patch(patch);
    member->version = ++versions;
    return represent(first_of(dialect.update_statuses, 200), *member);
  }
  if (attempt.method != Method::delete_)
    return refuse(405, fmt::format("an item does not support {}", to_string(attempt.method)));
  std::erase_if(by_path.find(collection)->second, [&](const Member& other) { return other.id == id; });
  return {.status = first_of(dialect.remove_statuses, 204)};
}

SimulatedService::SimulatedService(std::shared_ptr<ManualClock> clock, ServiceOptions options)
    : clock_(clock ? std::move(clock) : std::make_shared<ManualClock>()),
      options_(std::move(options)),
      collections_(std::make_unique<Collections>(options_)) {
  options_.period = std::max(options_.period, Duration(1));
  options_.largest_page = std::max<std::size_t>(options_.largest_page, 1);
}

SimulatedService::~SimulatedService() = default;

void SimulatedService::add_json(std::string_view collection, std::string_view id, std::string_view json) {
  auto member = item_of(json);
  const std::lock_guard lock(mutex_);
  collections_->add(collection, id, std::move(member));
}

void SimulatedService::replace_json(std::string_view collection, std::string_view id, std::string_view json) {
  auto member = item_of(json);
  const std::lock_guard lock(mutex_);
  auto* const found = collections_->find(collection, id);
  if (found == nullptr)
    throw std::invalid_argument(fmt::format("SimulatedService: there is no {} in {}", id, collection));
  *found = {std::string(id), std::move(member), ++collections_->versions};
}

void SimulatedService::add_collection(std::string_view collection) {
  const std::lock_guard lock(mutex_);
  collections_->by_path[std::string(collection)];
}

void SimulatedService::run_operations(std::string_view collection, ServiceOperations how) {
  add_collection(collection);
  const std::lock_guard lock(mutex_);
  collections_->operating.insert_or_assign(std::string(collection), how);
}

void SimulatedService::run_feed(std::string_view path, ServiceFeed how) {
  const std::lock_guard lock(mutex_);
  collections_->feeds[std::string(path)].run(how);
}

void SimulatedService::publish_text(std::string_view path, std::string_view data, std::string_view type) {
  const std::lock_guard lock(mutex_);
  collections_->feed(path).publish(data, type);
}

void SimulatedService::drop_feed(std::string_view path) {
  const std::lock_guard lock(mutex_);
  collections_->feed(path).drop();
}

void SimulatedService::on_request(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::make_shared<Fault>(std::move(fault));
}

Result<Response> SimulatedService::send(const Attempt& attempt, const StopToken& stop) {
  if (stop.stop_requested()) return stopped_attempt(Sent::no);
  const auto number = count_request();
  const auto there = options_.latency / 2;
  clock_->advance(std::min(there, attempt.timeout));
  if (there > attempt.timeout) return late();
  const auto body = sent_body(attempt);
  if (!body) return body.error();
  auto received = attempt;
  received.body = *body;
  auto fault = fault_for(attempt, number);
  Response response;
  SimulatedFeed* feed = nullptr;
  if (!fault || fault->second != When::instead) {
    const std::lock_guard lock(mutex_);
    response = respond(received, clock_->now());
    const auto path = path_in(attempt.url, options_.dialect);
    // A feed is never removed.
    if (const auto found = collections_->feeds.find(path.value_or("")); found != collections_->feeds.end())
      feed = &found->second;
  }
  clock_->advance(std::min(options_.latency - there, attempt.timeout - there));
  if (options_.latency > attempt.timeout) return late();
  if (fault) {
    if (!fault->first) return std::move(fault->first);
    response = *std::move(fault->first);
    feed = nullptr;
  }
  if (attempt.method == Method::head) response.body.clear();
  if (feed != nullptr && response.status == 200 && attempt.method != Method::head)
    return feed->deliver(attempt, std::move(response), stop);
  return delivered(attempt, std::move(response));
}

std::size_t SimulatedService::count_request() {
  const std::lock_guard lock(mutex_);
  return ++requests_;
}

SimulatedService::Outcome SimulatedService::fault_for(const Attempt& attempt, std::size_t number) {
  const std::lock_guard one_at_a_time(fault_mutex_);
  std::shared_ptr<Fault> fault;
  {
    const std::lock_guard lock(mutex_);
    fault = fault_;
  }
  return fault && *fault ? (*fault)(attempt, number) : std::nullopt;
}

Response SimulatedService::respond(const Attempt& attempt, Now now) {
  const auto wall = now.wall + std::chrono::duration_cast<WallTime::duration>(options_.clock_offset);
  auto counted = count(wall);
  if (counted.admitted) {
    auto response = respond_admitted(attempt);
    if (response.status == 304 && options_.dialect.not_modified_cost == 0 && attempt.headers.contains("Authorization"))
      uncount(counted);
    return reporting(std::move(response), counted, wall);
  }
  ++rejected_;
  return reporting(refuse(first_of(options_.dialect.limited_statuses, 429), "the quota of this window is used up"),
                   counted, wall);
}

SimulatedService::Counted SimulatedService::count(WallTime at) {
  if (!options_.limit) return {};
  const auto since = std::chrono::duration_cast<Duration>(at.time_since_epoch()) - options_.phase;
  const auto into = (since % options_.period + options_.period) % options_.period;
  const auto window = at - std::chrono::duration_cast<WallTime::duration>(into);
  if (std::exchange(window_, window) != window) used_ = 0;
  const bool admitted = used_ < *options_.limit;
  if (admitted) ++used_;
  return {.admitted = admitted, .remaining = *options_.limit - used_, .resets_in = options_.period - into};
}

void SimulatedService::uncount(Counted& counted) {
  ++uncounted_;
  if (!options_.limit) return;
  --used_;
  ++counted.remaining;
}

/// Adds Date and the fields of the limit, with the dialect's names.
Response SimulatedService::reporting(Response response, const Counted& counted, WallTime at) const {
  using std::chrono::ceil;
  using std::chrono::seconds;
  const auto& dialect = options_.dialect;
  const auto add = [&](std::string_view name, FieldValue value) {
    if (!name.empty()) response.headers.add(name, std::move(value));
  };
  add("Date", wire::format_http_date(std::chrono::floor<seconds>(at)));
  if (options_.limit && options_.rate_headers) {
    const auto quota = dialect.quotas.empty() ? QuotaHeaders() : dialect.quotas.front();
    add(quota.limit, *options_.limit);
    add(quota.remaining, counted.remaining);
    if (const auto form = reset_form(options_, quota)) add(quota.reset, reset_text(*form, counted.resets_in, at));
  }
  if (!counted.admitted && options_.retry_after)
    add(dialect.retry_after, std::max<std::int64_t>(ceil<seconds>(counted.resets_in).count(), 1));
  return response;
}

Response SimulatedService::respond_admitted(const Attempt& attempt) {
  const auto found = path_in(attempt.url, options_.dialect);
  if (!found)
    return refuse(404, fmt::format("there is nothing at {}: its path ends with a slash",
                                   wire::split_url(attempt.url).path));
  const auto path = *found;
  if (const auto feed = collections_->feeds.find(path); feed != collections_->feeds.end())
    return reads(attempt) || queries(attempt) ? feed->second.head(attempt) : refuse(405, "a feed can only be read");
  if (const auto operation = collections_->operations.find(path); operation != collections_->operations.end())
    return reads(attempt) ? collections_->poll(operation->second) : refuse(405, "an operation can only be read");
  const auto parent = path.substr(0, path.rfind('/') + 1);
  const auto id = wire::percent_decode(path.substr(parent.size()));
  auto& collections = collections_->by_path;
  if (const auto members = collections.find(path); members != collections.end())
    return reads(attempt)                   ? collections_->list(attempt, members->second)
           : queries(attempt)               ? collections_->search(attempt, members->second)
           : attempt.method == Method::post ? collections_->post(path, attempt.body)
                                            : refuse(405, "a collection cannot be replaced, updated or removed");
  if (const auto collection = parent.substr(0, std::max<std::size_t>(parent.size(), 1) - 1);
      id && !id->empty() && collections.contains(collection))
    return collections_->change(attempt, collection, *id);
  return refuse(404, fmt::format("there is nothing at {}", path));
}

std::optional<std::string> SimulatedService::member(std::string_view collection, std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto* found = collections_->find(collection, id);
  return found == nullptr ? std::nullopt : std::optional(found->json.dump());
}

std::size_t SimulatedService::size(std::string_view collection) const {
  const std::lock_guard lock(mutex_);
  const auto members = collections_->by_path.find(collection);
  return members == collections_->by_path.end() ? 0 : members->second.size();
}

std::size_t SimulatedService::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t SimulatedService::uncounted() const {
  const std::lock_guard lock(mutex_);
  return uncounted_;
}

std::size_t SimulatedService::rejected() const {
  const std::lock_guard lock(mutex_);
  return rejected_;
}

}}}  // namespace noun::testing
