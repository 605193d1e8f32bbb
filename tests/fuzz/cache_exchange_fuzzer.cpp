// Conversations of calls for one URL with a server, through what is stored between them. The input is how the server
// changes, what it says about its responses, and how much time passes. A server that keeps its own rules never makes a
// call use what it did not send, what is another request's, or what is too old. Another server, or a damaged store, only
// costs requests.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fuzzer/FuzzedDataProvider.h>

#include <fmt/format.h>

#include "cache/exchange.hpp"
#include "fuzz/invariant.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun;
using noun_fuzz::require;

constexpr std::string_view url = "https://api.example.com/things/1";
/// The longest that a response may be used without a request: the max-age of the server and what it adds.
constexpr Duration longest_use = 160s;

struct Origin {
  int version = 1;
  bool varies = false;
  /// Whether what it sends depends on who asks.
  bool is_personal = false;

  std::string text(const Headers& fields, const Headers& credentials) const {
    return fmt::format("version {}{}{}", version, varies ? fields.get("Accept-Language").value_or("-") : "",
                       is_personal ? credentials.get("Authorization").value_or("") : "");
  }
  /// Its response to a request that may have conditions.
  Response response(FuzzedDataProvider& input, const Headers& fields, const Headers& credentials) const {
    constexpr const char* rules[] = {"no-cache",
                                     "no-store",
                                     "max-age=60",
                                     "private, max-age=60, must-revalidate",
                                     "max-age=10, stale-while-revalidate=100",
                                     "max-age=10, stale-if-error=100"};
    const auto body = text(fields, credentials);
    const auto etag = fmt::format("{}\"{}\"", input.ConsumeBool() ? "W/" : "", body);
    Response response{.status = 200, .headers = {{"X-Version", std::to_string(version)}}, .body = body};
    if (input.ConsumeBool()) response.headers.add("Cache-Control", input.PickValueInArray(rules));
    if (varies) response.headers.add("Vary", "Accept-Language");
    const bool has_etag = input.ConsumeIntegralInRange(0, 3) > 0;
    if (has_etag) response.headers.add("ETag", etag);
    const auto conditions = fields.values("If-None-Match");
    const bool is_same = std::any_of(conditions.begin(), conditions.end(), [&](std::string_view one) {
      return one.find(fmt::format("\"{}\"", body)) != std::string_view::npos;
    });
    if (!is_same || !has_etag) return response;
    response.status = 304;
    response.body.clear();
    return response;
  }
};

Response any_response(FuzzedDataProvider& input) {
  constexpr int statuses[] = {200, 203, 204, 206, 301, 304, 404, 410, 500, 503};
  constexpr const char* names[] = {"ETag",          "Cache-Control", "Age",        "Date",           "Expires",
                                   "Last-Modified", "Vary",          "Connection", "Content-Length", "Warning"};
  Response response{.status = input.PickValueInArray(statuses)};
  while (input.ConsumeBool()) response.headers.add(input.PickValueInArray(names), input.ConsumeRandomLengthString(24));
  response.body = input.ConsumeRandomLengthString(64);
  return response;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const bool is_honest = input.ConsumeBool();
  Origin origin{.varies = input.ConsumeBool(), .is_personal = input.ConsumeBool()};
  const cache::Exchange::Settings settings{.mode = input.ConsumeBool() ? CacheMode::rfc9111 : CacheMode::validate,
                                           .by_credentials = origin.is_personal};
  cache::Bytes stored = std::make_shared<const std::string>();
  WallTime now(1'800'000'000s);
  std::map<std::string, WallTime> last_sent;
  while (input.remaining_bytes() > 0) {
    now += std::chrono::seconds(input.ConsumeIntegralInRange(0, 100));
    if (input.ConsumeBool()) ++origin.version;
    if (!is_honest && input.ConsumeBool())
      stored = std::make_shared<const std::string>(input.ConsumeRandomLengthString(200));
    const Headers credentials = {{"Authorization", input.ConsumeBool() ? "one" : "two"}};
    Headers fields = credentials;
    if (input.ConsumeBool()) fields.add("Accept-Language", input.ConsumeBool() ? "de" : "en");

    cache::Exchange exchange(settings, {}, stored);
    const auto is_whole = [&](const Response& response) {
      auto then = origin;
      then.version = std::stoi(std::string(response.headers.get("X-Version").value_or("0")));
      return response.body == then.text(fields, credentials);
    };
    if (const auto used = exchange.ready(url, {fields, credentials}, now)) {
      require(settings.mode == CacheMode::rfc9111, "without the rules of HTTP every use is validated");
      if (!is_honest) continue;
      require(is_whole(*used), "what is used was sent, and to such a request");
      require(now - last_sent.at(used->body) <= longest_use, "what is used is not too old");
      continue;
    }
    for (int sent = 0;; ++sent) {
      require(sent < 2, "at most one response is unexpected");
      Headers with_conditions = fields;
      exchange.add_fields(with_conditions, credentials);
      auto response = is_honest ? origin.response(input, with_conditions, credentials) : any_response(input);
      const int status = response.status;
      const auto answer = exchange.on_response(response, {fields, credentials}, {.took = 0s}, now);
      if (exchange.change()) stored = exchange.change();
      if (answer == cache::Answer::unexpected) {
        require(!is_honest, "a server that keeps the rules confirms what is stored");
        continue;
      }
      require((answer == cache::Answer::confirmed) <= (status == 304), "only a 304 confirms");
      if (!is_honest) break;
      require(response.status == 200 && response.body == origin.text(fields, credentials),
              "the response is the current one");
      require(is_whole(response), "fields and body are of one version");
      last_sent[response.body] = now;
      break;
    }
  }
  return 0;
}
