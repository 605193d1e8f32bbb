#include <stdexcept>
#include <string>

#include <httplib.h>

#include "benchmark/peer.hpp"

namespace noun_benchmark {

void run(const Job& job) {
  const auto target = target_of(job);
  const auto get = [&](std::size_t count) {
    httplib::Client client(target.host, target.port);
    client.set_keep_alive(true);
    const httplib::Headers headers{{"Accept", "application/json"}, {"User-Agent", "by-hand/1.0"}};
    for (std::size_t i = 0; i < count; ++i) {
      const auto result = client.Get(target.path, headers);
      if (!result) throw std::runtime_error(httplib::to_string(result.error()));
      check(static_cast<unsigned>(result->status), result->body);
    }
  };
  if (job.way == "sequential")
    get(job.count);
  else
    refuse_way(job);
}

}  // namespace noun_benchmark
