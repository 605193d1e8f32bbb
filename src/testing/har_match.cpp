#include "testing/har_match.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "call/redaction.hpp"
#include "vocabulary/json_pointer.hpp"
#include "wire/ascii.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using JsonValue = nlohmann::json;

/// How much each difference counts: another path is further away than another body.
constexpr std::size_t other_origin = 2000;
constexpr std::size_t other_method = 1000;
constexpr std::size_t other_segment = 300;
constexpr std::size_t other_parameter = 20;
constexpr std::size_t other_header = 10;
constexpr std::size_t other_body = 5;

constexpr std::size_t longest_excerpt = 100;

std::string excerpt(std::string_view text) { return wire::printable_excerpt(text, longest_excerpt); }

/// Whether the text is the pattern, in which `***` stands for any text.
bool has_pattern(std::string_view text, std::string_view pattern) {
  const auto first = pattern.find(hidden);
  if (first == std::string_view::npos) return text == pattern;
  if (text.substr(0, first) != pattern.substr(0, first)) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + hidden.size());
  for (auto next = pattern.find(hidden); next != std::string_view::npos; next = pattern.find(hidden)) {
    const auto at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + hidden.size());
  }
  return text.ends_with(pattern);
}

/// A program may also send what was hidden in a response: a cursor.
bool matches(std::string_view text, std::string_view recorded) {
  return has_pattern(text, recorded) || has_pattern(recorded, text);
}

void add(HarDifference& difference, std::size_t distance, std::string what) {
  difference.distance += distance;
  difference.what.push_back(std::move(what));
}

std::string decoded(std::string_view written) {
  std::string text(written);
  std::replace(text.begin(), text.end(), '+', ' ');
  return wire::percent_decode(text).value_or(text);
}

Query parameters_of(std::string_view query) {
  Query parameters;
  while (!query.empty()) {
    const auto [name, value] = wire::take_parameter(query);
    parameters.push_back({decoded(name), decoded(value)});
  }
  return parameters;
}

std::vector<std::string> values_of(const Query& parameters, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& each : parameters)
    if (each.name == name) values.push_back(each.value);
  return values;
}

/// Without a value that may be a secret: it was hidden in the recording.
std::string shown(std::string_view name, const std::vector<std::string>& values) {
  if (names_secret(name)) return std::string(hidden);
  return values.size() == 1 ? excerpt(values.front()) : fmt::format("{} values", values.size());
}

std::vector<std::string> names_of(const Query& left, const Query& right) {
  std::vector<std::string> names;
  for (const auto* parameters : {&left, &right})
    for (const auto& each : *parameters)
      if (std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
  return names;
}

/// @param kind  what has the names: `parameter`, `form field`.
void compare_parameters(std::string_view sent, std::string_view recorded, std::string_view kind,
                        HarDifference& difference) {
  if (sent == recorded) return;
  const auto ours = parameters_of(sent);
  const auto theirs = parameters_of(recorded);
  for (const auto& name : names_of(ours, theirs)) {
    const auto our = values_of(ours, name);
    const auto their = values_of(theirs, name);
    if (std::equal(our.begin(), our.end(), their.begin(), their.end(), matches)) continue;
    const auto printable = excerpt(name);
    if (their.empty())
      add(difference, other_parameter,
          fmt::format("the {} {} ({}) was not recorded", kind, printable, shown(name, our)));
    else if (our.empty())
      add(difference, other_parameter,
          fmt::format("the {} {} was recorded as {}, and is missing", kind, printable, shown(name, their)));
    else
      add(difference, other_parameter,
          fmt::format("the {} {} is {}, and was recorded as {}", kind, printable, shown(name, our),
                      shown(name, their)));
  }
}

std::vector<std::string> segments_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> segments;
  while (true) {
    const auto segment = path.substr(0, path.find('/'));
    segments.push_back(wire::percent_decode(segment).value_or(std::string(segment)));
    if (segment.size() == path.size()) return segments;
    path.remove_prefix(segment.size() + 1);
  }
}

void compare_paths(std::string_view sent, std::string_view recorded, HarDifference& difference) {
  if (sent == recorded) return;
  const auto ours = segments_of(sent);
  const auto theirs = segments_of(recorded);
  const auto common = std::min(ours.size(), theirs.size());
  auto differing = std::max(ours.size(), theirs.size()) - common;
  for (std::size_t i = 0; i < common; ++i)
    if (!matches(ours[i], theirs[i])) ++differing;
  if (differing > 0) add(difference, other_segment * differing, fmt::format("the path is {}", excerpt(sent)));
}

std::string origin_text(std::string_view url) {
  const auto origin = wire::origin_of(url);
  return origin ? to_string(*origin) : std::string(wire::written_origin(url));
}

void compare_urls(std::string_view sent, std::string_view recorded, HarDifference& difference) {
  if (sent == recorded) return;
  const auto ours = wire::split_url(sent);
  const auto theirs = wire::split_url(recorded);
  if (ours.scheme != theirs.scheme || ours.authority != theirs.authority)
    if (const auto origin = origin_text(sent); origin != origin_text(recorded))
      add(difference, other_origin, fmt::format("the origin is {}", excerpt(origin)));
  compare_paths(ours.path, theirs.path, difference);
  // What is far away has too many differences to list.
  if (difference.distance < other_segment) compare_parameters(ours.query, theirs.query, "parameter", difference);
}

/// Whether the connection, and not the program, decides about a header.
bool is_of_connection(std::string_view name) {
  constexpr std::array names{"host",       "connection", "content-length", "transfer-encoding", "te", "accept-encoding",
                             "user-agent", "cookie",     "priority"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return wire::same_ignoring_case(each, name); });
}

void compare_header(std::string_view name, const SentRequest& sent, const SentRequest& recorded,
                    HarDifference& difference) {
  const auto ours = sent.headers.values(name);
  const auto theirs = recorded.headers.values(name);
  if (std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), matches)) return;
  const auto value = [&](const auto& values) {
    return shown(name, std::vector<std::string>(values.begin(), values.end()));
  };
  if (theirs.empty())
    add(difference, other_header, fmt::format("the header {} ({}) was not recorded", name, value(ours)));
  else if (ours.empty())
    add(difference, other_header, fmt::format("the header {} was recorded as {}, and is missing", name, value(theirs)));
  else
    add(difference, other_header,
        fmt::format("the header {} is {}, and was recorded as {}", name, value(ours), value(theirs)));
}

void compare_headers(const SentRequest& sent, const SentRequest& recorded, const HarHeaders& headers,
                     HarDifference& difference) {
  std::vector<std::string> names;
  if (headers)
    names = *headers;
  else
    for (const auto& field : recorded.headers)
      if (!is_of_connection(field.name)) names.push_back(field.name);
  for (const auto& name : names) compare_header(name, sent, recorded, difference);
}

/// A body as JSON; nothing if it is none, or nested too deeply to be compared.
std::optional<JsonValue> json_of(std::string_view body) {
  constexpr std::size_t deepest = 128;
  JsonValue json;
  if (wire::json_shape(body).depth > deepest || detail::parse_json(body, json, detail::BeyondBits::rounded))
    return std::nullopt;
  return json;
}

/// A pointer to the first place where the value differs from the recorded one; nothing if there is none.
std::optional<std::string> first_difference(const JsonValue& sent, const JsonValue& recorded) {
  if (sent == hidden || recorded == hidden) return std::nullopt;
  if (sent.is_string() && recorded.is_string())
    return matches(sent.get_ref<const std::string&>(), recorded.get_ref<const std::string&>())
               ? std::nullopt
               : std::optional<std::string>("");
  const auto below = [](const std::string& step, std::optional<std::string> rest) {
    return rest ? std::optional(step + *rest) : std::nullopt;
  };
  if (sent.is_object() && recorded.is_object()) {
    for (const auto& [name, value] : sent.items())
      if (!recorded.contains(name)) return detail::pointer_to(name);
    for (const auto& [name, value] : recorded.items()) {
      if (!sent.contains(name)) return detail::pointer_to(name);
      if (auto found = below(detail::pointer_to(name), first_difference(sent.at(name), value))) return found;
    }
    return std::nullopt;
  }
  if (sent.is_array() && recorded.is_array()) {
    const auto common = std::min(sent.size(), recorded.size());
    for (std::size_t i = 0; i < common; ++i)
      if (auto found = below(fmt::format("/{}", i), first_difference(sent[i], recorded[i]))) return found;
    return sent.size() == recorded.size() ? std::nullopt : std::optional(fmt::format("/{}", common));
  }
  return sent == recorded ? std::nullopt : std::optional<std::string>("");
}

std::string_view type_of_body(const SentRequest& request) { return request.headers.get("Content-Type").value_or(""); }

/// A multipart body with the same delimiter in each request: a client draws another each time.
std::string with_one_boundary(const SentRequest& request) {
  constexpr std::string_view parameter = "boundary=";
  auto body = request.body;
  const auto type = type_of_body(request);
  const auto at = type.find(parameter);
  if (!type.starts_with("multipart/") || at == std::string_view::npos) return body;
  auto boundary = type.substr(at + parameter.size());
  boundary = boundary.substr(0, boundary.find(';'));
  if (boundary.size() > 1 && boundary.front() == '"') boundary = boundary.substr(1, boundary.size() - 2);
  if (boundary.empty()) return body;
  for (auto found = body.find(boundary); found != std::string::npos; found = body.find(boundary, found + 1))
    body.replace(found, boundary.size(), "-");
  return body;
}

/// At a place of two JSON values, what it is in one of them.
std::string json_excerpt(const JsonValue& json, const std::string& pointer) {
  const JsonValue::json_pointer place(pointer);
  if (!json.contains(place)) return "nothing";
  const auto name = pointer.substr(pointer.rfind('/') + 1);
  if (names_secret(name)) return std::string(hidden);
  return excerpt(json.at(place).dump(-1, ' ', false, JsonValue::error_handler_t::replace));
}

void compare_bodies(const SentRequest& sent, const HarExchange& exchange, HarDifference& difference) {
  const auto& recorded = exchange.request;
  if (sent.has_body != recorded.has_body) {
    // A browser writes no body as an empty one, and the other way round.
    if (sent.body.empty() && recorded.body.empty() && !exchange.lacks_request_body) return;
    return add(difference, other_body, sent.has_body ? "no body was recorded" : "the body is missing");
  }
  if (exchange.lacks_request_body || sent.body == recorded.body) return;
  if (type_of_body(recorded).starts_with("application/x-www-form-urlencoded"))
    return compare_parameters(sent.body, recorded.body, "form field", difference);
  const auto ours = json_of(sent.body);
  const auto theirs = json_of(recorded.body);
  if (ours && theirs) {
    const auto place = first_difference(*ours, *theirs);
    if (!place) return;
    return add(difference, other_body,
               fmt::format("the body has {} at '{}', and was recorded with {}", json_excerpt(*ours, *place),
                           excerpt(*place), json_excerpt(*theirs, *place)));
  }
  if (matches(with_one_boundary(sent), with_one_boundary(recorded))) return;
  add(difference, other_body,
      fmt::format("the body is {}, and was recorded as {}", excerpt(sent.body), excerpt(recorded.body)));
}

std::string name_of(const SentRequest& request) {
  return fmt::format("{} {}", to_string(request.method), excerpt(request.url));
}

/// The request without values that may be secrets.
std::string shown_name_of(const SentRequest& request) {
  static const KnownSecrets none;
  const Redaction redaction(request.url, {.headers = request.headers, .known = none});
  return fmt::format("{} {}", to_string(request.method), redaction.url());
}

}  // namespace

HarHeaders conditional_headers() {
  return std::vector<std::string>{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
                                  "If-Range", "Range"};
}

HarDifference difference(const SentRequest& sent, const HarExchange& recorded, const HarHeaders& headers) {
  HarDifference found;
  if (sent.method != recorded.request.method)
    add(found, other_method, fmt::format("the method is {}", to_string(sent.method)));
  compare_urls(sent.url, recorded.request.url, found);
  if (found.distance >= other_segment) return found;
  compare_headers(sent, recorded.request, headers, found);
  compare_bodies(sent, recorded, found);
  return found;
}

HarMatcher::HarMatcher(std::vector<HarExchange> exchanges, HarHeaders headers, std::string name)
    : exchanges_(std::move(exchanges)),
      headers_(std::move(headers)),
      name_(std::move(name)),
      taken_(exchanges_.size(), false) {}

Result<const HarExchange*> HarMatcher::take(const SentRequest& request) {
  for (auto at = first_; at < exchanges_.size(); ++at) {
    if (taken_[at] || difference(request, exchanges_[at], headers_).distance > 0) continue;
    taken_[at] = true;
    while (first_ < taken_.size() && taken_[first_]) ++first_;
    return &exchanges_[at];
  }
  auto complaint = complaint_about(request);
  if (complaint_.empty()) complaint_ = complaint;
  return Error(Errc::refused, std::move(complaint), "record it again, or fix the request", Sent::no);
}

std::string HarMatcher::complaint_about(const SentRequest& request) const {
  const auto sent = shown_name_of(request);
  const auto recording = wire::quoted_path(name_);
  std::optional<HarDifference> nearest;
  std::size_t place = 0;
  for (std::size_t at = 0; at < exchanges_.size(); ++at) {
    auto other = difference(request, exchanges_[at], headers_);
    if (nearest && nearest->distance <= other.distance) continue;
    nearest = std::move(other);
    place = at;
  }
  if (!nearest) return fmt::format("{} is not in the recording {}, which is empty", sent, recording);
  const auto& exchange = exchanges_[place];
  if (nearest->distance == 0)
    return fmt::format("{} was sent more often than the recording {} has it: log.entries[{}] was served", sent,
                       recording, exchange.entry);
  return fmt::format("{} is not in the recording {}: the nearest is log.entries[{}], {}; {}", sent, recording,
                     exchange.entry, name_of(exchange.request), fmt::join(nearest->what, ", "));
}

std::string HarMatcher::complaint() const {
  if (!complaint_.empty() || first_ == exchanges_.size()) return complaint_;
  return fmt::format("{} (log.entries[{}]) was not sent", name_of(exchanges_[first_].request),
                     exchanges_[first_].entry);
}

}}}  // namespace noun::testing
