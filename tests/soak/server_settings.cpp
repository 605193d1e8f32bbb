#include "server_settings.hpp"

namespace soak {

using namespace std::chrono_literals;

std::string server_usage(const ServerSettings& usual) {
  return fmt::format(
      "  --faults SHARE     of requests, 0 to 1: a quarter each is reset, closed without a response, 503, and\n"
      "                     truncated ({})\n"
      "  --limit N          requests in a window ({})\n"
      "  --period MS        length of a window; 429s have Retry-After from 1000 on ({})\n"
      "  --seed N           of the faults and interruptions ({})\n",
      usual.faults, usual.limit, usual.period.count(), usual.seed);
}

bool set(ServerSettings& server, std::string_view name, std::string_view value) {
  if (name == "--faults") return set_number(server.faults, value), true;
  if (name == "--limit") return set_number(server.limit, value), true;
  if (name == "--seed") return set_number(server.seed, value), true;
  if (name != "--period") return false;
  std::chrono::milliseconds::rep period = 0;
  set_number(period, value);
  server.period = std::chrono::milliseconds(period);
  return true;
}

atlas::Options server_options(const ServerSettings& server, const std::string& data) {
  const auto share = server.faults / 4;
  // Retry-After has whole seconds, which are too long for short windows.
  return {.data = data,
          .limit = server.limit,
          .period = server.period,
          .reset = atlas::ResetForm::fractional,
          .retry_after = server.period >= 1s,
          .drop = share,
          .drop_after = share,
          .unavailable = share,
          .truncate = share,
          .seed = server.seed};
}

}  // namespace soak
