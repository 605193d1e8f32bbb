// Long-running operations: the input selects the dialect, and is the responses of a server.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>
#include <noun/polling.hpp>

#include "decision/poll.hpp"
#include "decision/poll_token.hpp"
#include "fuzz/invariant.hpp"
#include "wire/url.hpp"

namespace {

using namespace noun;
using noun_fuzz::require;

const std::string base = "https://api.example.com/v1";
const std::vector<wire::UrlOrigin> origins = {*wire::origin_of(base), *wire::origin_of("https://other.example.com")};
constexpr Polling (*presets[])() = {polling::plain, polling::azure, polling::google, polling::openai,
                                    polling::github_statistics};

void check_token(const PollPosition& position) {
  const PollToken token{.position = position, .base_url = base, .next = WallTime(std::chrono::seconds(5))};
  const auto read = read_poll_token(write_poll_token(token, "key"), "key");
  require(std::holds_alternative<PollToken>(read), "a written token is read");
  const auto& again = std::get<PollToken>(read).position;
  require(again.monitor == position.monitor && again.result == position.result, "with the same URLs");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Dialect dialect{.polling = input.PickValueInArray(presets)()};
  Poll poll(dialect, origins, base, input.ConsumeBool());
  const Now now{Instant(std::chrono::seconds(1000)), WallTime(std::chrono::seconds(1'800'000'000))};
  constexpr int statuses[] = {200, 201, 202, 204, 303};
  constexpr const char* fields[] = {"Location", "Operation-Location", "Retry-After", "Content-Location"};
  std::string url = base + "/things";
  while (poll.state() != PollState::ended && input.remaining_bytes() > 0) {
    Response response{.status = input.PickValueInArray(statuses)};
    if (input.ConsumeBool()) response.headers.add(input.PickValueInArray(fields), input.ConsumeRandomLengthString(64));
    response.body = input.ConsumeRandomLengthString(256);
    const auto step = poll.on_response(now, response, url);
    if (const auto* failed = std::get_if<PollFailed>(&step)) require(!failed->what.empty(), "a failure says why");
    require((poll.state() == PollState::ended) != std::holds_alternative<PollNext>(step), "an end has no request");
    const auto* next = std::get_if<PollNext>(&step);
    if (next == nullptr) return 0;
    const auto origin = wire::origin_of(next->url);
    require(origin && std::find(origins.begin(), origins.end(), *origin) != origins.end(),
            "no other origin is requested");
    if (poll.state() == PollState::polling) {
      require(next->at - now.steady >= std::chrono::milliseconds(250), "a poll waits");
      check_token(poll.position());
    }
    url = next->url;
  }
  return 0;
}
