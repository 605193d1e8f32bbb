#include "testing/har.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "curl/content_decoder.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/http_date.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using Json = nlohmann::json;
/// As it is written: a member's place is part of what people read.
using Written = nlohmann::ordered_json;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// What is wrong, and with which member.
struct HarFault {
  std::string where;
  std::string what;
};

/// A value of a recording, and its place in it.
class HarValue {
 public:
  HarValue(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view what) const { throw HarFault{where_, std::string(what)}; }

  /// A member that must be there.
  HarValue operator[](const char* name) const {
    auto member = find(name);
    if (!member) fail(fmt::format("the member {} is missing", name));
    return *std::move(member);
  }
  /// A member; null counts as none.
  std::optional<HarValue> find(const char* name) const {
    if (!json_->is_object()) fail_expecting("object");
    const auto member = json_->find(name);
    if (member == json_->end() || member->is_null()) return std::nullopt;
    return HarValue(*member, where_.empty() ? name : fmt::format("{}.{}", where_, name));
  }
  /// Calls `visit` with each element.
  template <class Visit>
  void for_each(Visit visit) const {
    if (!json_->is_array()) fail_expecting("array");
    std::size_t index = 0;
    for (const auto& element : *json_) visit(HarValue(element, fmt::format("{}[{}]", where_, index++)));
  }
  std::string text() const {
    if (!json_->is_string()) fail_expecting("string");
    return json_->get<std::string>();
  }
  double number() const {
    if (!json_->is_number()) fail_expecting("number");
    return json_->get<double>();
  }
  bool flag() const { return json_->is_boolean() && json_->get<bool>(); }
  /// A span in milliseconds; one that is unknown, which is negative, is none.
  Duration span() const {
    constexpr double longest = 1e12;
    return std::chrono::round<Duration>(Milliseconds(std::clamp(number(), 0.0, longest)));
  }

 private:
  [[noreturn]] void fail_expecting(std::string_view expected) const {
    fail(fmt::format("{} expected, {} found", expected, json_->type_name()));
  }

  const Json* json_;
  std::string where_;
};

std::string text_or(const HarValue& object, const char* name, std::string_view otherwise = {}) {
  const auto member = object.find(name);
  return member ? member->text() : std::string(otherwise);
}
double number_or(const HarValue& object, const char* name, double otherwise) {
  const auto member = object.find(name);
  return member ? member->number() : otherwise;
}

/// By the text that to_string() writes.
template <class Enumerator>
std::optional<Enumerator> enumerator(std::string_view text, Enumerator last) {
  for (int value = 0; value <= static_cast<int>(last); ++value)
    if (to_string(static_cast<Enumerator>(value)) == text) return static_cast<Enumerator>(value);
  return std::nullopt;
}
template <class Enumerator>
Enumerator enumerator_of(const HarValue& value, Enumerator last) {
  const auto found = enumerator(value.text(), last);
  if (!found) value.fail(fmt::format("'{}' is not known", wire::printable_excerpt(value.text(), 40)));
  return *found;
}

/// Without the pseudo-headers of HTTP/2. Browsers join the lines of equal names by line feeds.
Headers read_headers(const HarValue& message, const char* name) {
  Headers headers;
  const auto list = message.find(name);
  if (!list) return headers;
  list->for_each([&](const HarValue& field) {
    const auto key = field["name"].text();
    const auto value = field["value"].text();
    if (key.empty() || key.front() == ':') return;
    std::string_view rest = value;
    do headers.push_back({key, std::string(wire::take_element(rest, "\n"))});
    while (!rest.empty());
  });
  return headers;
}

std::string form_of(const HarValue& params) {
  std::string form;
  params.for_each([&](const HarValue& field) {
    if (!form.empty()) form += '&';
    wire::append_query(form, field["name"].text());
    wire::append_query(form += '=', text_or(field, "value"));
  });
  return form;
}

/// The text of a body, of which some are base64; nothing if it was not recorded.
std::optional<std::string> body_text(const HarValue& body) {
  const auto text = body.find("text");
  if (!text) return std::nullopt;
  auto encoding = body.find("encoding");
  if (!encoding) encoding = body.find("_encoding");
  if (!encoding || encoding->text().empty()) return text->text();
  if (!wire::same_ignoring_case(encoding->text(), "base64")) encoding->fail("only base64 can be read");
  auto bytes = wire::base64_decode(text->text());
  if (!bytes) text->fail("it is not base64");
  return bytes;
}

void read_request_body(const HarValue& request, HarExchange& exchange) {
  const auto data = request.find("postData");
  exchange.request.has_body = data.has_value();
  if (!data) {
    exchange.request.has_body = exchange.lacks_request_body = number_or(request, "bodySize", -1) > 0;
    return;
  }
  auto text = body_text(*data);
  const auto params = data->find("params");
  const bool is_form = text_or(*data, "mimeType").starts_with("application/x-www-form-urlencoded");
  if ((!text || text->empty()) && params && is_form) text = form_of(*params);
  exchange.lacks_request_body = !text;
  exchange.request.body = std::move(text).value_or("");
}

/// The content of a body that some proxies export as it was sent; the same body if it is not coded.
std::string without_coding(std::string body, const Headers& headers) {
  constexpr std::size_t largest = std::size_t{256} << 20;
  constexpr std::size_t highest_ratio = 2000;
  const auto coding = decoded_coding(headers.get("Content-Encoding").value_or("identity"));
  if (!coding || *coding == Coding::identity || wire::valid_utf8(body)) return body;
  ContentDecoder decoder(*coding, largest, highest_ratio);
  std::string decoded;
  const bool is_coded = decoder.write(body, decoded) == ContentDecoder::Fault::none && decoder.ended();
  return is_coded ? decoded : body;
}

void read_content(const HarValue& response, HarExchange& exchange) {
  const auto content = response.find("content");
  if (!content) return;
  auto text = body_text(*content);
  const auto status = exchange.response.status;
  const bool has_none = exchange.request.method == Method::head || status == 204 || status == 304 || status == 0;
  // A size of -1 is unknown: Firefox has it where bodies are left out.
  exchange.lacks_body = !text && !has_none && number_or(*content, "size", 0) != 0;
  exchange.response.body = std::move(text).value_or("");
  const auto pieces = content->find("_pieces");
  if (!pieces) exchange.response.body = without_coding(std::move(exchange.response.body), exchange.response.headers);
  if (!pieces) return;
  std::string_view rest = exchange.response.body;
  pieces->for_each([&](const HarValue& piece) {
    const auto size = piece["size"].number();
    if (!(size >= 0 && size <= static_cast<double>(rest.size())))
      piece.fail("it is longer than what is left of the text");
    const auto bytes = rest.substr(0, static_cast<std::size_t>(size));
    exchange.pieces.push_back({std::string(bytes), piece["after"].span()});
    rest.remove_prefix(bytes.size());
  });
  if (!rest.empty()) pieces->fail("they are shorter than the text");
  if (!exchange.pieces.empty()) exchange.response.body.clear();
}

/// What the errors of browsers mean; by a part of their names.
struct BrowserError {
  std::string_view part;
  Errc code;
  Sent sent;
};
constexpr std::array browser_errors{
    BrowserError{"NAME_", Errc::resolve, Sent::no},
    BrowserError{"CONNECTION_REFUSED", Errc::connect, Sent::no},
    BrowserError{"CONNECTION_TIMED", Errc::connect, Sent::no},
    BrowserError{"ADDRESS_", Errc::connect, Sent::no},
    BrowserError{"DISCONNECTED", Errc::connect, Sent::no},
    BrowserError{"BLOCKED", Errc::connect, Sent::no},
    BrowserError{"CERT_", Errc::tls, Sent::no},
    BrowserError{"SSL_", Errc::tls, Sent::no},
    BrowserError{"TIMED_OUT", Errc::timeout, Sent::maybe},
    BrowserError{"ABORTED", Errc::cancelled, Sent::maybe},
    BrowserError{"CONTENT_LENGTH", Errc::truncated, Sent::answered},
    BrowserError{"INCOMPLETE_CHUNKED", Errc::truncated, Sent::answered},
};

/// How an attempt failed, in noun's own members, or else as a browser has it.
std::optional<Error> read_failure(const HarValue& response, int status) {
  const auto text = response.find("_error");
  const auto code = response.find("_errorCode");
  if (!text && !code && status != 0) return std::nullopt;
  ErrorDetails details{.code = Errc::send, .what = "the recorded attempt got no response", .sent = Sent::maybe};
  if (text && !text->text().empty()) details.what = text->text();
  if (code) {
    details.code = enumerator_of(*code, Errc::resource);
    details.advice = text_or(response, "_errorAdvice");
    if (const auto sent = response.find("_errorSent")) details.sent = enumerator_of(*sent, Sent::answered);
    if (const auto again = response.find("_errorRetryable")) details.retryable = enumerator_of(*again, Retryable::yes);
    return Error(std::move(details));
  }
  const auto known = std::find_if(browser_errors.begin(), browser_errors.end(), [&](const BrowserError& each) {
    return details.what.find(each.part) != std::string::npos;
  });
  if (known != browser_errors.end()) details.code = known->code, details.sent = known->sent;
  return Error(std::move(details));
}

void read_response(const HarValue& response, HarExchange& exchange) {
  auto& read = exchange.response;
  read.status = static_cast<int>(number_or(response, "status", 0));
  read.headers = read_headers(response, "headers");
  read.trailers = read_headers(response, "_trailers");
  const auto location = text_or(response, "redirectURL");
  if (!location.empty() && !read.headers.contains("Location")) read.headers.add("Location", location);
  read_content(response, exchange);
  exchange.failure = read_failure(response, read.status);
}

Duration total_of(const HarValue& entry) {
  if (const auto time = entry.find("time")) return time->span();
  const auto timings = entry.find("timings");
  auto total = Duration::zero();
  if (!timings) return total;
  // The time of ssl is in that of connect.
  for (const auto* phase : {"blocked", "dns", "connect", "send", "wait", "receive"})
    if (const auto span = timings->find(phase)) total += span->span();
  return total;
}

/// Whether an attempt of noun may end so: with a final response, or with 0 for none. After a 101 it is no HTTP.
bool may_have(double status) {
  return status == 0 || (status == std::floor(status) && status >= 200 && status <= 599);
}

bool is_preflight(const SentRequest& request) {
  return request.method == Method::options && request.headers.contains("Access-Control-Request-Method");
}

/// The exchange; nothing for one that noun never has.
std::optional<HarExchange> read_entry(const HarValue& entry, std::size_t index) {
  const auto request = entry["request"];
  const auto response = entry["response"];
  HarExchange exchange{.entry = index};
  exchange.request.url = request["url"].text();
  const auto scheme = wire::lowered(wire::split_url(exchange.request.url).scheme);
  const auto method = enumerator(request["method"].text(), Method::query);
  if ((scheme != "http" && scheme != "https") || !method || !may_have(number_or(response, "status", 0)))
    return std::nullopt;
  exchange.request.url.resize(std::min(exchange.request.url.find('#'), exchange.request.url.size()));
  exchange.request.method = *method;
  exchange.request.headers = read_headers(request, "headers");
  if (is_preflight(exchange.request)) return std::nullopt;
  const auto started = entry["startedDateTime"];
  const auto instant = wire::parse_rfc3339(started.text());
  constexpr WallTime latest = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);
  if (!instant || *instant < WallTime() || *instant >= latest)
    started.fail("it is no date and time of RFC 3339, from 1970 to 2199");
  exchange.started = *instant;
  read_request_body(request, exchange);
  read_response(response, exchange);
  exchange.latency = total_of(entry);
  for (auto& piece : exchange.pieces) {
    piece.after = std::min(piece.after, exchange.latency);
    exchange.latency -= piece.after;
  }
  return exchange;
}

std::vector<HarExchange> read_log(const Json& json) {
  std::vector<HarExchange> exchanges;
  std::size_t index = 0;
  HarValue(json, "")["log"]["entries"].for_each([&](const HarValue& entry) {
    if (auto exchange = read_entry(entry, index++)) exchanges.push_back(*std::move(exchange));
  });
  std::stable_sort(exchanges.begin(), exchanges.end(),
                   [](const HarExchange& left, const HarExchange& right) { return left.started < right.started; });
  return exchanges;
}

Error unreadable(std::string_view name, std::string_view what) {
  return Error(Errc::decode, fmt::format("the recording {} cannot be read: {}", wire::quoted_path(name), what),
               "record it again, or fix the file");
}

double milliseconds(Duration span) { return Milliseconds(span).count(); }

Written headers_json(const Headers& headers) {
  auto list = Written::array();
  for (const auto& [name, value] : headers) list.push_back({{"name", name}, {"value", value}});
  return list;
}

Written query_json(std::string_view url) {
  auto list = Written::array();
  const auto shown = wire::decoded_query(url);
  for (const auto& [name, value] : shown) list.push_back({{"name", name}, {"value", value}});
  return list;
}

/// Adds the text of a body: as it is if JSON can have it.
/// @param encoding  the member's name: HAR 1.2 has one for responses alone.
void add_text(Written& body, std::string_view bytes, const char* encoding) {
  const bool is_text = wire::valid_utf8(bytes);
  body["text"] = is_text ? std::string(bytes) : wire::base64_encode(bytes);
  if (!is_text) body[encoding] = "base64";
}

std::string type_of(const Headers& headers) { return std::string(headers.get("Content-Type").value_or("")); }

Written request_json(const HarExchange& exchange) {
  const auto& request = exchange.request;
  Written json{{"method", to_string(request.method)},
               {"url", request.url},
               {"httpVersion", "unknown"},
               {"cookies", Written::array()},
               {"headers", headers_json(request.headers)},
               {"queryString", query_json(request.url)},
               {"headersSize", -1},
               {"bodySize", request.body.size()}};
  if (!request.has_body) return json;
  json["postData"] = {{"mimeType", type_of(request.headers)}};
  if (!exchange.lacks_request_body) add_text(json["postData"], request.body, "_encoding");
  return json;
}

Written content_json(const HarExchange& exchange) {
  auto body = exchange.response.body;
  auto pieces = Written::array();
  for (const auto& [bytes, after] : exchange.pieces) {
    body += bytes;
    pieces.push_back({{"size", bytes.size()}, {"after", milliseconds(after)}});
  }
  Written json{{"size", body.size()}, {"mimeType", type_of(exchange.response.headers)}};
  if (exchange.lacks_body)
    json["size"] = -1;
  else
    add_text(json, body, "encoding");
  if (!pieces.empty()) json["_pieces"] = std::move(pieces);
  return json;
}

Written response_json(const HarExchange& exchange) {
  const auto& response = exchange.response;
  Written json{{"status", response.status},
               {"statusText", ""},
               {"httpVersion", "unknown"},
               {"cookies", Written::array()},
               {"headers", headers_json(response.headers)},
               {"content", content_json(exchange)},
               {"redirectURL", response.headers.get("Location").value_or("")},
               {"headersSize", -1},
               {"bodySize", -1}};
  if (!response.trailers.empty()) json["_trailers"] = headers_json(response.trailers);
  if (!exchange.failure) return json;
  const auto& failure = *exchange.failure;
  json["_error"] = failure.what();
  json["_errorCode"] = to_string(failure.code());
  json["_errorSent"] = to_string(failure.sent());
  if (!failure.advice().empty()) json["_errorAdvice"] = failure.advice();
  if (failure.details().retryable != Retryable::by_code)
    json["_errorRetryable"] = to_string(failure.details().retryable);
  return json;
}

/// One origin in place of another, in one spelling.
struct Move {
  std::string from;
  std::string to;
};

/// An origin in the spellings of URLs, of JSON that escapes slashes, and of queries.
std::vector<std::string> spellings(std::string_view origin) {
  std::string escaped;
  for (const char c : origin) (c == '/' ? escaped += '\\' : escaped) += c;
  std::string encoded;
  wire::append_query(encoded, origin);
  return {std::string(origin), escaped, encoded, wire::lowered(encoded)};
}

std::vector<Move> moves_of(const std::vector<MovedOrigin>& origins) {
  std::vector<Move> moves;
  for (const auto& [from, to] : origins) {
    auto here = spellings(from);
    auto there = spellings(to);
    for (std::size_t spelling = 0; spelling < here.size(); ++spelling)
      moves.push_back({std::move(here[spelling]), std::move(there[spelling])});
  }
  return moves;
}

/// Whether the host or the port goes on after an origin: then it is another one.
bool goes_on(std::string_view rest) {
  if (rest.empty()) return false;
  const char c = rest.front();
  return wire::is_alpha(c) || wire::is_digit(c) || c == '.' || c == '-' || c == ':' || rest.starts_with("%3A") ||
         rest.starts_with("%3a");
}

/// Moves all origins at once, so that what was moved stays.
void move_origins(std::string& text, const std::vector<Move>& moves) {
  std::vector<std::size_t> next;
  for (const auto& move : moves) next.push_back(text.find(move.from));
  std::string moved;
  std::size_t at = 0;
  while (true) {
    auto first = std::string::npos;
    const Move* move = nullptr;
    for (std::size_t each = 0; each < moves.size(); ++each) {
      const auto& from = moves[each].from;
      auto& found = next[each];
      if (found < at) found = text.find(from, at);
      while (found != std::string::npos && goes_on(std::string_view(text).substr(found + from.size())))
        found = text.find(from, found + from.size());
      if (found < first) {
        first = found;
        move = &moves[each];
      }
    }
    if (move == nullptr) break;
    moved.append(text, at, first - at).append(move->to);
    at = first + move->from.size();
  }
  if (at > 0) text = moved.append(text, at);
}

std::string joined(std::span<const HarPiece> pieces) {
  std::string all;
  for (const auto& piece : pieces) all += piece.bytes;
  return all;
}

/// Changes the pieces of one body.
class PieceChange {
 public:
  explicit PieceChange(const std::function<std::string(const std::string&)>& change) : change_(change) {}

  std::vector<HarPiece> run(std::span<const HarPiece> pieces) && {
    const auto all = joined(pieces);
    std::vector<std::string> apart;
    apart.reserve(pieces.size());
    for (const auto& piece : pieces) apart.push_back(change_(piece.bytes));
    constexpr std::size_t most_times = 8;
    work_left_ = most_times * all.size();
    change(pieces, apart, change_(all));
    return std::move(changed_);
  }

 private:
  /// @param apart    each piece, changed alone.
  /// @param changed  all of them, changed together.
  void change(std::span<const HarPiece> pieces, std::span<const std::string> apart, std::string_view changed) {
    std::size_t first = 0;
    for (; first < pieces.size() && changed.starts_with(apart[first]); ++first) {
      changed_.push_back({apart[first], pieces[first].after});
      changed.remove_prefix(apart[first].size());
    }
    auto last = pieces.size();
    for (; last > first && changed.ends_with(apart[last - 1]); --last) changed.remove_suffix(apart[last - 1].size());
    split(pieces.subspan(first, last - first), apart.subspan(first, last - first), changed);
    for (; last < pieces.size(); ++last) changed_.push_back({apart[last], pieces[last].after});
  }

  /// In two parts, if there is a place near the middle that nothing to change spans; or else as one piece.
  void split(std::span<const HarPiece> pieces, std::span<const std::string> apart, std::string_view changed) {
    constexpr std::size_t most_tried = 6;
    const auto from = std::max<std::size_t>(pieces.size() / 2, 1);
    for (auto at = from; at < std::min(from + most_tried, pieces.size()); ++at) {
      const auto left_bytes = joined(pieces.first(at));
      const auto right_bytes = joined(pieces.subspan(at));
      if (left_bytes.size() + right_bytes.size() > work_left_) break;
      work_left_ -= left_bytes.size() + right_bytes.size();
      const auto left = change_(left_bytes);
      const auto right = change_(right_bytes);
      if (left + right != changed) continue;
      change(pieces.first(at), apart.first(at), left);
      return change(pieces.subspan(at), apart.subspan(at), right);
    }
    if (pieces.empty() && changed.empty()) return;
    auto span = Duration::zero();
    for (const auto& piece : pieces) span += piece.after;
    changed_.push_back({std::string(changed), span});
  }

  const std::function<std::string(const std::string&)>& change_;
  std::size_t work_left_ = 0;  // in bytes to change: pieces may be many, and their secrets too
  std::vector<HarPiece> changed_;
};

}  // namespace

const std::string_view har_start =
    "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"noun\",\"version\":\"" NOUN_VERSION "\"},\"entries\":[\n";
const std::string_view har_end = "\n]}}\n";

Result<std::vector<HarExchange>> parse_har(std::string_view text, std::string_view name) try {
  constexpr std::size_t deepest = 128;
  if (wire::json_shape(text).depth > deepest) return unreadable(name, "it is nested deeper than 128 levels");
  Json json;
  if (const auto wrong = detail::parse_json(text, json, detail::BeyondBits::rounded)) return unreadable(name, *wrong);
  return read_log(json);
} catch (const HarFault& fault) {
  return unreadable(name, fault.where.empty() ? fault.what : fmt::format("{}: {}", fault.where, fault.what));
}

Result<std::vector<HarExchange>> read_har(const std::string& path) {
  const auto name = std::filesystem::path(std::u8string(path.begin(), path.end()));
  std::error_code fault;
  const bool is_file = std::filesystem::is_regular_file(name, fault);
  std::ifstream file(name, std::ios::binary);
  if (!file || !is_file)
    return Error(Errc::invalid_argument, fmt::format("the recording {} cannot be opened", wire::quoted_path(path)),
                 "check its path and its permissions");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_har(text, path);
}

std::string har_entry(const HarExchange& exchange) {
  auto received = Duration::zero();
  for (const auto& piece : exchange.pieces) received += piece.after;
  Written entry{
      {"startedDateTime", wire::format_rfc3339_exactly(exchange.started)},
      {"time", milliseconds(exchange.latency + received)},
      {"request", request_json(exchange)},
      {"response", response_json(exchange)},
      {"cache", Written::object()},
      {"timings", {{"send", 0}, {"wait", milliseconds(exchange.latency)}, {"receive", milliseconds(received)}}}};
  if (!exchange.hidden_names.empty()) entry["_hidden"] = exchange.hidden_names;
  return entry.dump(1, ' ', false, Written::error_handler_t::replace);
}

void change_pieces(std::vector<HarPiece>& pieces, const std::function<std::string(const std::string&)>& change) {
  pieces = PieceChange(change).run(pieces);
}

std::vector<HarExchange> moved(std::vector<HarExchange> exchanges, const std::vector<MovedOrigin>& origins) {
  const auto moves = moves_of(origins);
  const auto move = [&](std::string& text) { move_origins(text, moves); };
  const auto move_headers = [&](Headers& headers) {
    Headers there;
    for (auto field : headers) {
      move(field.value);
      there.push_back(std::move(field));
    }
    headers = std::move(there);
  };
  for (auto& exchange : exchanges) {
    move(exchange.request.url);
    move(exchange.request.body);
    move_headers(exchange.request.headers);
    move(exchange.response.body);
    move_headers(exchange.response.headers);
    move_headers(exchange.response.trailers);
    change_pieces(exchange.pieces, [&](std::string bytes) {
      move(bytes);
      return bytes;
    });
  }
  return exchanges;
}

}}}  // namespace noun::testing
