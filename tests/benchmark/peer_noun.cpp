#include <algorithm>
#include <cstdio>
#include <ranges>
#include <string>

#include <noun/noun.hpp>

#include "benchmark/peer.hpp"

namespace noun_benchmark {
namespace {

noun::ClientOptions options_for(const Job& job) {
  noun::ClientOptions options;
  if (job.way == "sequential") return options;
  options.quota.in_flight_unknown = job.in_flight;
  options.limits.connections = std::max(job.in_flight, options.limits.connections);
  options.limits.idle_connections = job.in_flight;
  if (job.way == "pages")
    options.dialect.paging = {.style = noun::paging::PageNumber{},
                              .items = "/items",
                              .end = {.total = true},
                              .totals = {.items_pointer = "/total"}};
  return options;
}

}  // namespace

void run(const Job& job) {
  const noun::Client api(job.base_url, options_for(job));
  const auto languages = api.collection<Record>("languages");
  const auto get = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) check(languages["qkb"].get().value());
  };
  if (job.way == "sequential") {
    get(job.count);
  } else if (job.way == "concurrent") {
    const auto operations = std::views::iota(std::size_t{0}, job.count) |
                            std::views::transform([&](std::size_t) { return noun::op::get(languages["qkb"]); });
    for (const auto& record : api.run_all(operations, {.in_flight = job.in_flight})) check(record.value());
  } else if (job.way == "threads") {
    share(job, get);
  } else if (job.way == "pages") {
    std::size_t count = 0;
    for (const auto& record :
         api.collection<Record>("pages").list({.page_size = page_size, .prefetch = job.in_flight})) {
      check(record.value());
      ++count;
    }
    if (count != job.count * page_size) throw std::runtime_error("not all items");
  } else if (job.way == "store") {
    const auto record = one_kilobyte();
    languages["qkb"].replace(record).value();
    std::puts(nlohmann::json(record).dump().c_str());
  } else {
    refuse_way(job);
  }
}

}  // namespace noun_benchmark
