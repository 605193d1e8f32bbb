#include <noun/testing/simulated_service.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using Json = nlohmann::json;
using Member = std::pair<std::string, Json>;

std::string problem(int status, std::string_view detail) {
  // The detail may repeat an id that is not valid UTF-8.
  return Json{{"type", "about:blank"}, {"status", status}, {"detail", detail}}.dump(-1, ' ', false,
                                                                                    Json::error_handler_t::replace);
}

Response refuse(int status, std::string_view detail) {
  return {.status = status, .headers = {{"Content-Type", "application/problem+json"}}, .body = problem(status, detail)};
}

Response represent(int status, const Json& json) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = json.dump()};
}

/// A body as JSON; discarded if it is malformed, or nested so deeply that copying it could overflow the stack.
Json read(std::string_view text) {
  constexpr std::size_t deepest = 1000;
  return wire::json_depth(text, deepest + 1) > deepest ? Json(Json::value_t::discarded)
                                                       : Json::parse(text, nullptr, false);
}

std::size_t number_in(std::string_view query, std::string_view name, std::size_t otherwise) {
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (!pair.starts_with(name) || pair.substr(name.size(), 1) != "=") continue;
    std::size_t number = otherwise;
    std::from_chars(pair.data() + name.size() + 1, pair.data() + pair.size(), number);
    return number;
  }
  return otherwise;
}

Error late() { return Error(Errc::timeout, "no response within the attempt's time limit", Sent::maybe); }

SimulatedLimit limit_of(const ServiceOptions& options) {
  LimitOptions counting = options.counting;
  counting.limit = options.limit.value_or(0);
  counting.period = options.period;
  counting.phase = options.phase;
  return SimulatedLimit(counting);
}

}  // namespace

/// The collections by path, each with its members in order.
struct [[gnu::visibility("hidden")]] SimulatedService::Shelves {
  std::map<std::string, std::vector<Member>, std::less<>> collections;

  Member* find(std::string_view collection, std::string_view id) {
    const auto shelf = collections.find(collection);
    if (shelf == collections.end()) return nullptr;
    const auto found = std::find_if(shelf->second.begin(), shelf->second.end(),
                                    [&](const Member& member) { return member.first == id; });
    return found == shelf->second.end() ? nullptr : &*found;
  }

  Response list(std::string_view url, const wire::UrlParts& parts, const std::vector<Member>& members,
                const ServiceOptions& options) const;
  Response create(std::string_view collection, std::string_view body, const ServiceOptions& options);
  Response change(const Attempt& attempt, std::string_view collection, const std::string& id);
};

Response SimulatedService::Shelves::list(std::string_view url, const wire::UrlParts& parts,
                                         const std::vector<Member>& members, const ServiceOptions& options) const {
  const auto size =
      std::clamp<std::size_t>(number_in(parts.query, "per_page", options.page_size), 1, options.largest_page);
  const auto page = std::max<std::size_t>(number_in(parts.query, "page", 1), 1);
  const auto first = std::min((page - 1) * size, members.size());
  const auto last = std::min(first + size, members.size());
  Json items = Json::array();
  for (auto at = first; at < last; ++at) items.push_back(members[at].second);
  auto response = represent(200, items);
  response.headers.add("X-Total-Count", members.size());
  const auto pages = std::max<std::size_t>((members.size() + size - 1) / size, 1);
  const auto link = [&](std::size_t number, std::string_view relation) {
    const auto sized = wire::with_parameter(url, "per_page", std::to_string(size));
    return fmt::format("<{}>; rel=\"{}\"", wire::with_parameter(sized, "page", std::to_string(number)), relation);
  };
  auto links = link(pages, "last");
  if (page < pages) links = link(page + 1, "next") + ", " + links;
  response.headers.add("Link", links);
  return response;
}

Response SimulatedService::Shelves::create(std::string_view collection, std::string_view body,
                                           const ServiceOptions& options) {
  auto json = read(body);
  if (!json.is_object() || !json.contains(options.id_member))
    return refuse(400, fmt::format("the body needs a member \"{}\"", options.id_member));
  const auto& name = json[options.id_member];
  const auto id = name.is_string() ? name.get<std::string>() : name.dump();
  if (find(collection, id) != nullptr) return refuse(409, fmt::format("{} already exists", id));
  auto response = represent(201, json);
  std::string location(collection);
  location += '/';
  wire::append_segment(location, id);
  response.headers.add("Location", location);
  collections.find(collection)->second.emplace_back(id, std::move(json));
  return response;
}

Response SimulatedService::Shelves::change(const Attempt& attempt, std::string_view collection, const std::string& id) {
  auto& shelf = collections.find(collection)->second;
  auto* member = find(collection, id);
  if (attempt.method == Method::put) {
    auto json = read(attempt.body);
    if (json.is_discarded()) return refuse(400, "the body is not JSON");
    if (member == nullptr) return represent(201, shelf.emplace_back(id, std::move(json)).second);
    return represent(200, member->second = std::move(json));
  }
  if (member == nullptr) return refuse(404, fmt::format("there is no {} in {}", id, collection));
  if (attempt.method == Method::get || attempt.method == Method::head) return represent(200, member->second);
  if (attempt.method == Method::patch) {
    const auto patch = read(attempt.body);
    if (patch.is_discarded()) return refuse(400, "the body is not JSON");
    member->second.merge_patch(patch);
    return represent(200, member->second);
  }
  if (attempt.method != Method::delete_) return refuse(405, "an item does not support POST");
  std::erase_if(shelf, [&](const Member& other) { return other.first == id; });
  return {.status = 204};
}

SimulatedService::SimulatedService(std::shared_ptr<ManualClock> clock, ServiceOptions options)
    : clock_(clock ? std::move(clock) : std::make_shared<ManualClock>()),
      options_(std::move(options)),
      shelves_(std::make_unique<Shelves>()),
      limit_(limit_of(options_)) {
  options_.largest_page = std::max<std::size_t>(options_.largest_page, 1);
}

SimulatedService::~SimulatedService() = default;

void SimulatedService::add_json(std::string_view collection, std::string_view id, std::string_view json) {
  auto member = read(json);
  if (member.is_discarded())
    throw std::invalid_argument("SimulatedService: an item is not JSON, or is nested too deeply");
  const std::lock_guard lock(mutex_);
  shelves_->collections[std::string(collection)].emplace_back(id, std::move(member));
}

void SimulatedService::add_collection(std::string_view collection) {
  const std::lock_guard lock(mutex_);
  shelves_->collections[std::string(collection)];
}

void SimulatedService::on_request(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::make_shared<Fault>(std::move(fault));
}

Result<Response> SimulatedService::send(const Attempt& attempt, const std::stop_token& stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled by the caller", Sent::no);
  const auto number = count_request();
  const auto there = options_.latency / 2;
  clock_->advance(std::min(there, attempt.timeout));
  if (there > attempt.timeout) return late();
  auto fault = fault_for(attempt, number);
  Response response;
  if (!fault || fault->second != When::instead) {
    const std::lock_guard lock(mutex_);
    response = respond(attempt, clock_->now());
  }
  clock_->advance(std::min(options_.latency - there, attempt.timeout - there));
  if (options_.latency > attempt.timeout) return late();
  if (fault) return std::move(fault->first);
  if (attempt.method == Method::head) response.body.clear();
  return response;
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
  const auto verdict = options_.limit ? limit_.count(wall) : LimitVerdict{.admitted = true};
  const Headers fields = limit_fields(verdict, wall,
                                      {.reset = options_.reset,
                                       .counts = options_.limit && options_.rate_headers,
                                       .retry_after = options_.retry_after,
                                       .lie = options_.reset_lie,
                                       .seed = options_.counting.seed});
  Response response;
  if (verdict.admitted) {
    response = respond_admitted(attempt);
  } else {
    ++rejected_;
    response = refuse(429, "the quota of this window is used up");
  }
  for (const auto& field : fields) response.headers.push_back(field);
  return response;
}

Response SimulatedService::respond_admitted(const Attempt& attempt) {
  const auto parts = wire::split_url(attempt.url);
  const auto path = std::string(parts.path);
  auto& collections = shelves_->collections;
  const auto slash = path.rfind('/');
  const auto id = wire::percent_decode(std::string_view(path).substr(slash + 1));
  const bool reads = attempt.method == Method::get || attempt.method == Method::head;
  if (const auto shelf = collections.find(path); shelf != collections.end())
    return reads                            ? shelves_->list(attempt.url, parts, shelf->second, options_)
           : attempt.method == Method::post ? shelves_->create(path, attempt.body, options_)
                                            : refuse(405, "a collection cannot be replaced, updated or removed");
  if (id && !id->empty() && collections.contains(path.substr(0, slash)))
    return shelves_->change(attempt, path.substr(0, slash), *id);
  return refuse(404, fmt::format("there is nothing at {}", path));
}

std::optional<std::string> SimulatedService::member(std::string_view collection, std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto* found = shelves_->find(collection, id);
  return found == nullptr ? std::nullopt : std::optional(found->second.dump());
}

std::size_t SimulatedService::size(std::string_view collection) const {
  const std::lock_guard lock(mutex_);
  const auto shelf = shelves_->collections.find(collection);
  return shelf == shelves_->collections.end() ? 0 : shelf->second.size();
}

std::size_t SimulatedService::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t SimulatedService::rejected() const {
  const std::lock_guard lock(mutex_);
  return rejected_;
}

}}}  // namespace noun::testing
