#include "decision/poll_token.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "wire/integer.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view poll_token_kind = "nounpoll1";
using Milliseconds = std::chrono::milliseconds;
constexpr std::int64_t most = std::chrono::duration_cast<Milliseconds>(Duration::max()).count();

std::int64_t to_number(Duration span) {
  return std::min<std::int64_t>(std::chrono::ceil<Milliseconds>(span).count(), most);
}

}  // namespace

// No URL has a line feed.
std::string write_poll_token(const PollToken& token, std::string_view key) {
  const auto& position = token.position;
  return wire::seal(poll_token_kind,
                    fmt::format("{}\n{}\n{}\n{}\n{}\n{}", token.base_url, position.monitor, position.result,
                                to_number(position.wait.span), int{position.wait.is_reported},
                                to_number(token.next.time_since_epoch())),
                    key);
}

std::variant<PollToken, wire::SealFault> read_poll_token(std::string_view text, std::string_view key) {
  const auto unsealed = wire::unseal(poll_token_kind, text, key);
  if (const auto* fault = std::get_if<wire::SealFault>(&unsealed)) return *fault;
  std::vector<std::string_view> fields(1, std::get<std::string>(unsealed));
  for (std::size_t end = 0; (end = fields.back().find('\n')) != std::string_view::npos;) {
    const auto rest = fields.back().substr(end + 1);
    fields.back() = fields.back().substr(0, end);
    fields.push_back(rest);
  }
  constexpr std::size_t count = 6;
  if (fields.size() != count) return wire::SealFault::malformed;
  const auto wait = wire::read_integer<std::int64_t>(fields[3]);
  const auto is_reported = wire::read_integer<int>(fields[4]);
  const auto next = wire::read_integer<std::int64_t>(fields[5]);
  if (!wait || !is_reported || !next || *wait < 0 || *wait > most || *next < 0 || *next > most)
    return wire::SealFault::malformed;
  return PollToken{.position = {.monitor = std::string(fields[1]),
                                .result = std::string(fields[2]),
                                .wait = {.span = Milliseconds(*wait), .is_reported = *is_reported != 0}},
                   .base_url = std::string(fields[0]),
                   .next = WallTime(Milliseconds(*next))};
}

}}  // namespace noun
