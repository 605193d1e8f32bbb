#include "testing/har_match.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "call/redaction.hpp"
#include "testing/har_multipart.hpp"
#include "testing/har_redaction.hpp"
#include "vocabulary/json_pointer.hpp"
#include "wire/ascii.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using JsonValue = nlohmann::json;

/// How much each difference counts: another path is further away than another body, which counts by how much of it is
/// another one.
constexpr std::size_t other_origin = 200'000;
constexpr std::size_t other_method = 100'000;
constexpr std::size_t other_segment = 30'000;
constexpr std::size_t other_parameter = 2000;
constexpr std::size_t other_header = 1000;
constexpr std::size_t other_body = 999;

constexpr std::size_t longest_excerpt = 100;

std::string excerpt(std::string_view text) { return wire::printable_excerpt(text, longest_excerpt); }

/// The text around a place of it.
std::string excerpt_at(std::string_view text, std::size_t at) {
  constexpr std::size_t before = 30;
  if (text.size() <= longest_excerpt || at <= before) return excerpt(text);
  auto start = at - before;
  const auto is_inside_character = [&] { return (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80; };
  while (start < at && is_inside_character()) ++start;
  return "\u2026" + excerpt(text.substr(start));
}

std::size_t common_start(std::string_view left, std::string_view right) {
  const auto size = static_cast<std::ptrdiff_t>(std::min(left.size(), right.size()));
  return static_cast<std::size_t>(std::mismatch(left.begin(), left.begin() + size, right.begin()).first - left.begin());
}

std::size_t common_end(std::string_view left, std::string_view right) {
  const auto size = static_cast<std::ptrdiff_t>(std::min(left.size(), right.size()));
  return static_cast<std::size_t>(std::mismatch(left.rbegin(), left.rbegin() + size, right.rbegin()).first -
                                  left.rbegin());
}

/// Whether the text is the pattern, in which `***` stands for any text.
/// @param is_numbered  whether `***2` does too: it stood for something in a response.
bool has_pattern(std::string_view text, std::string_view pattern, bool is_numbered = false) {
  const auto skip_hidden = [&] {
    pattern.remove_prefix(hidden.size());
    while (is_numbered && !pattern.empty() && wire::is_digit(pattern.front())) pattern.remove_prefix(1);
  };
  const auto first = pattern.find(hidden);
  if (first == std::string_view::npos) return text == pattern;
  if (text.substr(0, first) != pattern.substr(0, first)) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first);
  skip_hidden();
  for (auto next = pattern.find(hidden); next != std::string_view::npos; next = pattern.find(hidden)) {
    const auto at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next);
    skip_hidden();
  }
  return text.ends_with(pattern);
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

std::vector<std::string> names_of(const Query& left, const Query& right) {
  std::vector<std::string> names;
  for (const auto* parameters : {&left, &right})
    for (const auto& each : *parameters)
      if (std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
  return names;
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

std::string origin_text(std::string_view url) {
  const auto origin = wire::origin_of(url);
  return origin ? to_string(*origin) : std::string(wire::written_origin(url));
}

/// Whether the connection, and not the program, decides about a header.
bool is_of_connection(std::string_view name) {
  constexpr std::array names{"host",       "connection", "content-length", "transfer-encoding", "te", "accept-encoding",
                             "user-agent", "cookie",     "priority"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return wire::same_ignoring_case(each, name); });
}

/// A body as JSON; nothing if it is none, nested too deeply to be compared, or has an integer beyond 64 bits, which
/// would be rounded.
std::optional<JsonValue> json_of(std::string_view body) {
  constexpr std::size_t deepest = 128;
  JsonValue json;
  if (wire::json_shape(body).depth > deepest || detail::parse_json(body, json, detail::BeyondBits::refused))
    return std::nullopt;
  return json;
}

std::string_view type_of_body(const SentRequest& request) { return request.headers.get("Content-Type").value_or(""); }

bool is_form(const SentRequest& request) {
  return wire::lowered(type_of_body(request)).starts_with("application/x-www-form-urlencoded");
}

bool may_be_json(const SentRequest& request) {
  const auto type = type_of_body(request);
  return type.empty() || wire::names_json(type);
}

/// Browsers may leave out the type of a body.
bool are_forms(const SentRequest& sent, const SentRequest& recorded) {
  return is_form(recorded) || (is_form(sent) && !recorded.headers.contains("Content-Type"));
}

/// A multipart body with the same delimiter in each request: a client draws another each time.
std::string with_one_boundary(const SentRequest& request) {
  const auto boundary = boundary_of(type_of_body(request));
  if (boundary.empty()) return request.body;
  std::string body;
  std::string_view rest = request.body;
  for (auto found = rest.find(boundary); found != std::string_view::npos; found = rest.find(boundary)) {
    body.append(rest.substr(0, found)).append("-");
    rest.remove_prefix(found + boundary.size());
  }
  return body.append(rest);
}

/// The named parts of a multipart body; none of another one.
Query parts_in(const SentRequest& request) {
  const auto boundary = boundary_of(type_of_body(request));
  Query parts;
  if (boundary.empty()) return parts;
  for (const auto& part : testing::parts_of(request.body, boundary))
    if (!part.name.empty()) parts.push_back({part.name, std::string(part.content)});
  return parts;
}

/// A text of a request that may not have been through a recording.
std::string without_secrets(std::string_view text) { return without_secret_members(text, {}, Side::request); }

/// Whether a name on the way to a place is one of secrets.
bool leads_into_secret(std::string_view pointer) {
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto name = pointer.substr(0, pointer.find('/'));
    if (names_secret(name)) return true;
    pointer.remove_prefix(name.size());
  }
  return false;
}

/// At a place of two JSON values, what it is in one of them.
std::string json_excerpt(const JsonValue& json, const JsonValue& other, const std::string& pointer) {
  const JsonValue::json_pointer place(pointer);
  if (!json.contains(place)) return "nothing";
  if (leads_into_secret(pointer)) return std::string(hidden);
  const auto text_at = [&](const JsonValue& value) {
    return without_secrets(value.at(place).dump(-1, ' ', false, JsonValue::error_handler_t::replace));
  };
  const auto text = text_at(json);
  return other.contains(place) ? excerpt_at(text, common_start(text, text_at(other))) : excerpt(text);
}

/// Compares one request with a recorded one.
class Comparison {
 public:
  Comparison(const SentRequest& sent, const HarExchange& exchange, bool may_send_hidden)
      : sent_(sent), exchange_(exchange), recorded_(exchange.request), may_send_hidden_(may_send_hidden) {}

  HarDifference run(const HarHeaders& headers) && {
    if (sent_.method != recorded_.method) add(other_method, fmt::format("the method is {}", to_string(sent_.method)));
    compare_urls();
    if (found_.distance >= other_segment) return std::move(found_);
    compare_headers(headers);
    compare_bodies();
    return std::move(found_);
  }

 private:
  /// How much of two values differs.
  struct Share {
    std::size_t differing = 0;
    std::size_t all = 0;
  };

  void add(std::size_t distance, std::string what) {
    found_.distance += distance;
    found_.what.push_back(std::move(what));
  }
  void add_body(const Share& share) {
    // In floating point: a body may have more bytes than fit.
    const auto part = static_cast<double>(share.differing) / static_cast<double>(std::max<std::size_t>(share.all, 1));
    found_.distance += 1 + static_cast<std::size_t>(part * (other_body - 1));
  }

  bool matches(std::string_view text, std::string_view recorded) const {
    return has_pattern(text, recorded) || (may_send_hidden_ && has_pattern(recorded, text, true));
  }

  /// Values without one that may be a secret: it was hidden in the recording.
  static std::string shown(std::string_view name, const std::vector<std::string>& values,
                           const std::vector<std::string>& others = {}) {
    if (names_secret(name) || names_credentials(name)) return std::string(hidden);
    if (values.size() != 1) return fmt::format("{} values", values.size());
    const auto value = without_secrets(values.front());
    const auto at = others.size() == 1 ? common_start(value, without_secrets(others.front())) : 0;
    return excerpt_at(value, at);
  }

  /// @param kind  what has the names: `parameter`, `form field`.
  Share compare_named(const Query& ours, const Query& theirs, std::string_view kind) {
    constexpr std::size_t most_described = 10;
    Share share;
    for (const auto& name : names_of(ours, theirs)) {
      ++share.all;
      const auto our = values_of(ours, name);
      const auto their = values_of(theirs, name);
      if (std::equal(our.begin(), our.end(), their.begin(), their.end(),
                     [&](const auto& left, const auto& right) { return matches(left, right); }))
        continue;
      if (++share.differing > most_described) continue;
      const auto printable = excerpt(name);
      if (their.empty())
        found_.what.push_back(fmt::format("the {} {} ({}) was not recorded", kind, printable, shown(name, our)));
      else if (our.empty())
        found_.what.push_back(
            fmt::format("the {} {} was recorded as {}, and is missing", kind, printable, shown(name, their)));
      else
        found_.what.push_back(fmt::format("the {} {} is {}, and was recorded as {}", kind, printable,
                                          shown(name, our, their), shown(name, their, our)));
    }
    if (share.differing > most_described)
      found_.what.push_back(fmt::format("and {} more", share.differing - most_described));
    return share;
  }

  void compare_paths(std::string_view sent, std::string_view recorded) {
    if (sent == recorded) return;
    const auto ours = segments_of(sent);
    const auto theirs = segments_of(recorded);
    const auto common = std::min(ours.size(), theirs.size());
    auto differing = std::max(ours.size(), theirs.size()) - common;
    for (std::size_t i = 0; i < common; ++i)
      if (!matches(ours[i], theirs[i])) ++differing;
    if (differing > 0) add(other_segment * differing, fmt::format("the path is {}", excerpt(sent)));
  }

  void compare_urls() {
    if (sent_.url == recorded_.url) return;
    const auto ours = wire::split_url(sent_.url);
    const auto theirs = wire::split_url(recorded_.url);
    if (ours.scheme != theirs.scheme || ours.authority != theirs.authority)
      if (const auto origin = origin_text(sent_.url); origin != origin_text(recorded_.url))
        add(other_origin, fmt::format("the origin is {}", excerpt(origin)));
    compare_paths(ours.path, theirs.path);
    // What is far away has too many differences to list.
    if (found_.distance >= other_segment) return;
    const auto share = compare_named(parameters_of(ours.query), parameters_of(theirs.query), "parameter");
    found_.distance += share.differing * other_parameter;
  }

  void compare_header(std::string_view name) {
    const auto texts = [](const auto& values) { return std::vector<std::string>(values.begin(), values.end()); };
    const auto ours = texts(sent_.headers.values(name));
    const auto theirs = texts(recorded_.headers.values(name));
    if (std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                   [&](const auto& left, const auto& right) { return matches(left, right); }))
      return;
    if (theirs.empty())
      add(other_header, fmt::format("the header {} ({}) was not recorded", name, shown(name, ours)));
    else if (ours.empty())
      add(other_header, fmt::format("the header {} was recorded as {}, and is missing", name, shown(name, theirs)));
    else
      add(other_header, fmt::format("the header {} is {}, and was recorded as {}", name, shown(name, ours, theirs),
                                    shown(name, theirs, ours)));
  }

  void compare_headers(const HarHeaders& headers) {
    std::vector<std::string> names;
    if (headers)
      names = *headers;
    else
      for (const auto& field : recorded_.headers)
        if (!is_of_connection(field.name)) names.push_back(field.name);
    for (const auto& name : names) compare_header(name);
  }

  /// Adds the scalars of two values, and those that differ.
  void compare_json(const JsonValue& sent, const JsonValue& recorded, std::string& place, Share& share,
                    std::optional<std::string>& first) const {
    const auto at = [&](const std::string& step, auto visit) {
      const auto size = place.size();
      place += step;
      visit();
      place.resize(size);
    };
    const auto differs = [&] {
      ++share.all;
      ++share.differing;
      if (!first) first = place;
    };
    if (sent.is_object() && recorded.is_object()) {
      for (const auto& [name, value] : sent.items())
        if (!recorded.contains(name)) at(detail::pointer_to(name), differs);
      for (const auto& [name, value] : recorded.items())
        at(detail::pointer_to(name), [&, &key = name, &theirs = value] {
          if (const auto ours = sent.find(key); ours != sent.end())
            compare_json(*ours, theirs, place, share, first);
          else
            differs();
        });
      return;
    }
    if (sent.is_array() && recorded.is_array()) {
      const auto common = std::min(sent.size(), recorded.size());
      for (std::size_t i = 0; i < std::max(sent.size(), recorded.size()); ++i)
        at(fmt::format("/{}", i), [&] {
          if (i < common)
            compare_json(sent[i], recorded[i], place, share, first);
          else
            differs();
        });
      return;
    }
    const bool are_texts = sent.is_string() && recorded.is_string();
    const bool match = recorded == hidden ||
                       (are_texts ? matches(sent.get_ref<const std::string&>(), recorded.get_ref<const std::string&>())
                                  : sent == recorded);
    if (!match) return differs();
    ++share.all;
  }

  void compare_bodies() {
    if (sent_.has_body != recorded_.has_body) {
      // A browser writes no body as an empty one, and the other way round.
      if (sent_.body.empty() && recorded_.body.empty() && !exchange_.lacks_request_body) return;
      return add(other_body, sent_.has_body ? "no body was recorded" : "the body is missing");
    }
    if (exchange_.lacks_request_body || sent_.body == recorded_.body) return;
    if (are_forms(sent_, recorded_)) {
      const auto share = compare_named(parameters_of(sent_.body), parameters_of(recorded_.body), "form field");
      if (share.differing > 0) add_body(share);
      return;
    }
    const bool are_json = may_be_json(sent_) && may_be_json(recorded_);
    const auto ours = are_json ? json_of(sent_.body) : std::nullopt;
    const auto theirs = are_json ? json_of(recorded_.body) : std::nullopt;
    if (ours && theirs)
      compare_json_bodies(*ours, *theirs);
    else
      compare_texts();
  }

  void compare_json_bodies(const JsonValue& ours, const JsonValue& theirs) {
    Share share;
    std::string place;
    std::optional<std::string> first;
    compare_json(ours, theirs, place, share, first);
    if (!first) return;
    add_body(share);
    add(0, fmt::format("the body has {} at '{}', and was recorded with {}", json_excerpt(ours, theirs, *first),
                       excerpt(*first), json_excerpt(theirs, ours, *first)));
  }

  void compare_texts() {
    const auto ours = with_one_boundary(sent_);
    const auto theirs = with_one_boundary(recorded_);
    if (matches(ours, theirs)) return;
    const auto our_parts = parts_in(sent_);
    const auto their_parts = parts_in(recorded_);
    if (!our_parts.empty() && !their_parts.empty())
      if (const auto share = compare_named(our_parts, their_parts, "part"); share.differing > 0) return add_body(share);
    const auto start = common_start(ours, theirs);
    const auto longest = std::max(ours.size(), theirs.size());
    const auto end = common_end(std::string_view(ours).substr(start), std::string_view(theirs).substr(start));
    add_body({longest - start - end, longest});
    const auto our_text = without_secrets(ours);
    const auto their_text = without_secrets(theirs);
    const auto first = common_start(our_text, their_text);
    add(0, fmt::format("the body is {}, and was recorded as {}", excerpt_at(our_text, first),
                       excerpt_at(their_text, first)));
  }

  const SentRequest& sent_;
  const HarExchange& exchange_;
  const SentRequest& recorded_;
  bool may_send_hidden_;
  HarDifference found_;
};

/// The recorded request, without values that are named like secrets: a browser's export has them.
std::string name_of(const SentRequest& request) {
  const KnownSecrets none;
  const Redaction redaction(request.url, {.headers = request.headers, .known = none});
  return fmt::format("{} {}", to_string(request.method), excerpt(redaction.url()));
}

/// What is said about the request, without values that may be secrets.
std::string complaint_of(const SentRequest& request, const KnownSecrets& known, std::string what) {
  const Redaction redaction(request.url, {.headers = request.headers, .known = known});
  return fmt::format("{} {}: {}", to_string(request.method), redaction.url(), redaction.scrubbed(std::move(what)));
}

bool has_hidden(std::string_view text) {
  return text.find(hidden) != std::string_view::npos || decoded(text).find(hidden) != std::string::npos;
}

/// The same of a body, in which asterisks may be escaped as in JSON.
bool has_hidden_in_body(const std::string& body) {
  if (has_hidden(body)) return true;
  if (body.find("\\u002") == std::string::npos) return false;
  const auto json = json_of(body);
  return json && json->dump(-1, ' ', false, JsonValue::error_handler_t::replace).find(hidden) != std::string::npos;
}

/// Whether a program may have been given what was hidden: a cursor.
bool has_hidden(const Response& response) {
  const auto is_in = [](const Field& field) { return field.value.find(hidden) != std::string::npos; };
  return response.body.find(hidden) != std::string::npos ||
         std::any_of(response.headers.begin(), response.headers.end(), is_in);
}

std::string text_of(const Query& parameters, const std::set<std::string>& left_out = {}) {
  std::vector<Field> sorted(parameters.begin(), parameters.end());
  std::erase_if(sorted, [&](const Field& each) { return left_out.contains(each.name); });
  // Those of equal names stay in their order.
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Field& left, const Field& right) { return left.name < right.name; });
  std::string text;
  for (const auto& [name, value] : sorted) text.append(name).append("=").append(value).append("&");
  return text;
}

/// Equal for requests whose methods, URLs and headers match, if it has nothing that was hidden.
/// @param left_out  names of parameters.
/// @param headers   those that must match.
std::string key_of(const SentRequest& request, const std::set<std::string>& left_out,
                   const std::vector<std::string>& headers) {
  const auto parts = wire::split_url(request.url);
  auto key = fmt::format("{} {}/{}?{}", to_string(request.method), origin_text(request.url),
                         fmt::join(segments_of(parts.path), "/"), text_of(parameters_of(parts.query), left_out));
  for (const auto& name : headers)
    for (const auto& value : request.headers.values(name)) key.append("\n").append(name).append(":").append(value);
  return key;
}

void make_numbers_equal(JsonValue& json) {
  // Of two zeros the negative one becomes the other.
  if (json.is_number()) json = json.get<double>() + 0.0;
  if (json.is_structured())
    for (auto& each : json) make_numbers_equal(each);
}

/// Hashes of which two requests have at least one in common if their bodies match and nothing was hidden in these: of
/// the body as text, as a form and as JSON.
std::vector<std::size_t> body_keys(const SentRequest& request) {
  const std::hash<std::string> hash;
  std::vector keys{hash(request.body), hash(with_one_boundary(request))};
  keys.push_back(hash(text_of(parameters_of(request.body))));
  if (auto json = json_of(request.body)) {
    make_numbers_equal(*json);
    keys.push_back(hash(json->dump(-1, ' ', false, JsonValue::error_handler_t::replace)));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

HarHeaders conditional_headers() {
  return std::vector<std::string>{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
                                  "If-Range", "Range"};
}

HarDifference difference(const SentRequest& sent, const HarExchange& recorded, const HarHeaders& headers,
                         bool may_send_hidden) {
  return Comparison(sent, recorded, may_send_hidden).run(headers);
}

HarMatcher::HarMatcher(std::vector<HarExchange> exchanges, HarHeaders headers, std::string name)
    : exchanges_(std::move(exchanges)),
      headers_(std::move(headers)),
      name_(std::move(name)),
      may_send_hidden_(std::any_of(exchanges_.begin(), exchanges_.end(), [](const HarExchange& each) {
        return has_hidden(each.response) ||
               std::any_of(each.pieces.begin(), each.pieces.end(),
                           [](const HarPiece& piece) { return piece.bytes.find(hidden) != std::string::npos; });
      })) {
  for (const auto& exchange : exchanges_)
    for (const auto& each : parameters_of(wire::split_url(exchange.request.url).query))
      if (each.value.find(hidden) != std::string::npos) hidden_parameters_.insert(each.name);
  if (headers_) key_headers_ = *headers_;
  std::erase_if(key_headers_, [&](const std::string& header) {
    return std::any_of(exchanges_.begin(), exchanges_.end(), [&](const HarExchange& exchange) {
      const auto values = exchange.request.headers.values(header);
      return std::any_of(values.begin(), values.end(),
                         [](std::string_view value) { return value.find(hidden) != std::string_view::npos; });
    });
  });
  for (std::size_t at = 0; at < exchanges_.size(); ++at) {
    left_.insert(left_.end(), at);
    for (auto* places : places_of(exchanges_[at])) places->insert(places->end(), at);
  }
}

/// The lists that have the exchange, beside the one of all.
std::vector<HarMatcher::Places*> HarMatcher::places_of(const HarExchange& exchange) {
  const auto& request = exchange.request;
  const auto key = key_of(request, hidden_parameters_, key_headers_);
  if (has_hidden(key)) return {&with_hidden_key_};
  auto& same_key = by_key_[key];
  std::vector<Places*> places{&same_key.all};
  const bool may_be_form = !request.body.empty() && !request.headers.contains("Content-Type");
  if (exchange.lacks_request_body || may_be_form || has_hidden_in_body(request.body))
    places.push_back(&same_key.with_open_body);
  else
    for (const auto body : body_keys(request)) places.push_back(&same_key.by_body[body]);
  return places;
}

/// Lists of which at least one has the first exchange that matches.
std::vector<const HarMatcher::Places*> HarMatcher::candidates(const SentRequest& request) const {
  const auto key = key_of(request, hidden_parameters_, key_headers_);
  if (may_send_hidden_ && has_hidden(key)) return {&left_};
  std::vector<const Places*> lists{&with_hidden_key_};
  const auto same_key = by_key_.find(key);
  if (same_key == by_key_.end()) return lists;
  if (may_send_hidden_ && has_hidden_in_body(request.body)) {
    lists.push_back(&same_key->second.all);
    return lists;
  }
  lists.push_back(&same_key->second.with_open_body);
  for (const auto body : body_keys(request))
    if (const auto same_body = same_key->second.by_body.find(body); same_body != same_key->second.by_body.end())
      lists.push_back(&same_body->second);
  return lists;
}

std::optional<std::size_t> HarMatcher::find(const SentRequest& request) const {
  const auto lists = candidates(request);
  for (std::size_t from = 0;;) {
    std::optional<std::size_t> next;
    for (const auto* list : lists)
      if (const auto place = list->lower_bound(from); place != list->end() && (!next || *place < *next)) next = *place;
    if (!next || difference(request, exchanges_[*next], headers_, may_send_hidden_).distance == 0) return next;
    from = *next + 1;
  }
}

Result<const HarExchange*> HarMatcher::take(const SentRequest& request, const KnownSecrets& known) {
  if (const auto at = find(request)) {
    left_.erase(*at);
    for (auto* places : places_of(exchanges_[*at])) places->erase(*at);
    return &exchanges_[*at];
  }
  auto what = complaint_about(request);
  if (complaint_.empty()) complaint_ = complaint_of(request, known, what);
  return Error(Errc::refused, std::move(what), "record it again, or fix the request", Sent::no);
}

std::string HarMatcher::complaint_about(const SentRequest& request) const {
  const auto recording = wire::quoted_path(name_);
  if (exchanges_.empty())
    return fmt::format(
        "not in the recording {}, which has no entry that can be replayed: one with an http or https URL, a method "
        "that noun has, in capitals, and a status of 200 to 599 or 0, which is no preflight",
        recording);
  std::optional<HarDifference> nearest;
  std::size_t place = 0;
  for (std::size_t at = 0; at < exchanges_.size(); ++at) {
    auto other = difference(request, exchanges_[at], headers_, may_send_hidden_);
    if (other.distance == 0)
      return fmt::format("sent more often than the recording {} has it: log.entries[{}] was served", recording,
                         exchanges_[at].entry);
    // One that was served is not what the program should have requested.
    const bool is_left = left_.contains(at);
    const bool was_left = left_.contains(place);
    if (nearest && (is_left == was_left ? nearest->distance <= other.distance : was_left)) continue;
    nearest = std::move(other);
    place = at;
  }
  const auto& exchange = exchanges_[place];
  return fmt::format("not in the recording {}: the nearest is log.entries[{}], {}; {}", recording, exchange.entry,
                     name_of(exchange.request), fmt::join(nearest->what, ", "));
}

std::string HarMatcher::complaint() const {
  if (!complaint_.empty() || left_.empty()) return complaint_;
  const auto& first = exchanges_[*left_.begin()];
  return fmt::format("{} (log.entries[{}]) was not sent", name_of(first.request), first.entry);
}

}}}  // namespace noun::testing
