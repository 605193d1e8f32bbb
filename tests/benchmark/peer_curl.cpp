// The floor: libcurl by hand, with one handle for each request in flight.
#include <memory>
#include <vector>

#include "benchmark/curl_exchange.hpp"

namespace noun_benchmark {
namespace {

void get_on_one_handle(const Job& job, std::size_t count) {
  CurlExchange exchange;
  for (std::size_t i = 0; i < count; ++i) {
    exchange.begin(job.base_url);
    exchange.finish(curl_easy_perform(exchange.handle()));
  }
}

void get_on_one_multi_handle(const Job& job) {
  const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(), curl_multi_cleanup);
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(job.in_flight));
  std::vector<std::unique_ptr<CurlExchange>> exchanges;
  std::size_t started = 0;
  const auto start = [&](CurlExchange& exchange) {
    ++started;
    exchange.begin(job.base_url);
    curl_multi_add_handle(multi.get(), exchange.handle());
  };
  while (started < job.count && started < job.in_flight)
    start(*exchanges.emplace_back(std::make_unique<CurlExchange>()));
  for (std::size_t ended = 0; ended < job.count;) {
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi.get(), &left)) {
      const auto result = message->data.result;
      CurlExchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      curl_multi_remove_handle(multi.get(), exchange->handle());
      exchange->finish(result);
      ++ended;
      if (started < job.count) start(*exchange);
    }
    if (ended < job.count) curl_multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
  }
}

}  // namespace

void run(const Job& job) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (job.way == "sequential")
    get_on_one_handle(job, job.count);
  else if (job.way == "concurrent")
    get_on_one_multi_handle(job);
  else if (job.way == "threads")
    share(job, [&](std::size_t count) { get_on_one_handle(job, count); });
  else
    refuse_way(job);
}

}  // namespace noun_benchmark
