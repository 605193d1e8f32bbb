// What happened to other HTTP clients does not happen to noun: each CVE and GHSA by its number.
#include <algorithm>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "replays/replay.hpp"

namespace noun_test { namespace replays {

void PrintTo(const Replay& replay, std::ostream* out) { *out << replay.number << ": " << replay.happened; }

namespace cve_replays_test {

Replays every_replay() {
  Replays all;
  for (auto* lesson : {of_redirects, of_proxies, of_urls, of_injection, of_framing, of_limits, of_connections, of_tls,
                       of_cookies, of_output})
    for (auto& replay : lesson()) all.push_back(std::move(replay));
  return all;
}

std::string name_of(const TestParamInfo<Replay>& test) {
  auto name = test.param.number;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class CveReplays : public TestWithParam<Replay> {};
INSTANTIATE_TEST_SUITE_P(OtherClients, CveReplays, ValuesIn(every_replay()), name_of);

TEST_P(CveReplays, does_not_happen_to_noun) { GetParam().with_noun(); }

}
}}  // namespace noun_test::replays::cve_replays_test
