#include <stdexcept>

#include <cpr/cpr.h>

#include "benchmark/peer.hpp"

namespace noun_benchmark {

void run(const Job& job) {
  if (job.way != "sequential") refuse_way(job);
  cpr::Session session;
  session.SetHeader({{"Accept", "application/json"}, {"User-Agent", "by-hand/1.0"}});
  for (std::size_t i = 0; i < job.count; ++i) {
    session.SetUrl(cpr::Url(job.base_url + std::string(record_path)));
    const auto response = session.Get();
    if (response.error) throw std::runtime_error(response.error.message);
    check(static_cast<unsigned>(response.status_code), response.text);
  }
}

}  // namespace noun_benchmark
