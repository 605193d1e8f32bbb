#include "cookbook/recorded_service.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "test_paths.hpp"
#include "testing/har.hpp"
#include "wire/url.hpp"

namespace cookbook_test {
namespace {

using noun::Method;
using noun::testing::HarExchange;
using noun::testing::SentRequest;

/// The text before a separator; both are removed from it.
std::string_view take_until(std::string_view separator, std::string_view& text) {
  const auto size = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, size);
  text.remove_prefix(std::min(size + separator.size(), text.size()));
  return part;
}

SentRequest parse_request(std::string_view text, const std::string& origin) {
  auto head = take_until("\r\n\r\n", text);
  SentRequest request{.body = std::string(text), .has_body = !text.empty()};
  const auto method = take_until(" ", head);
  for (const auto each : {Method::post, Method::head, Method::put, Method::patch, Method::delete_})
    if (to_string(each) == method) request.method = each;
  request.url = origin + std::string(take_until(" ", head));
  take_until("\r\n", head);
  while (!head.empty()) {
    auto value = take_until("\r\n", head);
    const auto name = take_until(": ", value);
    request.headers.add(name, value);
  }
  return request;
}

std::string written(const HarExchange& exchange) {
  const auto& [status, headers, body, url, trailers, cache] = exchange.response;
  auto text = fmt::format("HTTP/1.1 {} Recorded\r\n", status);
  for (const auto& field : headers)
    if (!noun::same_name(field.name, "Content-Length")) text += fmt::format("{}: {}\r\n", field.name, field.value);
  if (status != 204 && status != 304) text += fmt::format("Content-Length: {}\r\n", body.size());
  return text + "\r\n" + body;
}

std::vector<HarExchange> recorded(const std::string& recording, const std::string& here) {
  auto exchanges = noun::testing::read_har(fmt::format("{}/cookbook/{}.har", noun_test::data_dir, recording)).value();
  std::set<std::string> origins;
  for (const auto& each : exchanges) origins.emplace(noun::wire::written_origin(each.request.url));
  std::vector<noun::testing::MovedOrigin> all_here;
  for (const auto& origin : origins) all_here.push_back({origin, here});
  return moved(std::move(exchanges), all_here);
}

}  // namespace

RecordedService::RecordedService(const std::string& recording)
    : server_([this](noun_test::RawServer::Peer& peer) {
        while (const auto request = peer.request())
          if (!peer.send(response_to(*request))) return;
      }) {
  matcher_.emplace(recorded(recording, url()), std::nullopt, recording + ".har");
}

std::string RecordedService::response_to(std::string_view request) {
  const std::lock_guard lock(mutex_);
  const auto exchange = matcher_->take(parse_request(request, url()));
  if (exchange) return written(**exchange);
  return noun_test::http_response(exchange.error().what(), "Content-Type: text/plain\r\n", "501 Not Recorded");
}

std::string RecordedService::printed_by(const std::string& program, const std::vector<std::string>& words,
                                        const std::map<std::string, std::string>& environment) const {
  const auto path = NOUN_COOKBOOK_PROGRAMS "/" + program;
  export_test::Process process(folder_.path, words, environment, {}, path.c_str());
  const auto status = process.wait();
  return status == 0 ? process.out() : fmt::format("{}status {}: {}", process.out(), status, process.err());
}

std::string RecordedService::complaint() {
  const std::lock_guard lock(mutex_);
  return matcher_->complaint();
}

}  // namespace cookbook_test
