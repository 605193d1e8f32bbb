#include <atomic>
#include <exception>
#include <string>

#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include "benchmark/peer.hpp"

namespace noun_benchmark {
namespace {

using web::http::client::http_client;

pplx::task<void> get_one(http_client& client) {
  web::http::http_request request(web::http::methods::GET);
  request.headers().add("Accept", "application/json");
  request.headers().add("User-Agent", "by-hand/1.0");
  request.set_request_uri(web::uri(std::string(record_path)));
  return client.request(request).then([](const web::http::http_response& response) {
    return response.extract_utf8string(true).then(
        [status = response.status_code()](const std::string& body) { check(status, body); });
  });
}

/// As many chains of tasks as are in flight; each call starts the next one.
class Chains {
 public:
  Chains(http_client& client, const Job& job)
      : client_(client), left_(static_cast<long>(job.count)), ended_(job.count) {}

  void run(std::size_t in_flight) {
    for (std::size_t i = 0; i < in_flight; ++i) start_next();
    pplx::create_task(all_ended_).get();
  }

 private:
  void start_next() {
    if (--left_ < 0) return;
    // The copy is used when this object may be gone.
    get_one(client_).then([this, all_ended = all_ended_](const pplx::task<void>& call) {
      try {
        call.get();
      } catch (...) {
        all_ended.set_exception(std::current_exception());
        return;
      }
      start_next();
      if (--ended_ == 0) all_ended.set();
    });
  }

  http_client& client_;
  std::atomic<long> left_;
  std::atomic<std::size_t> ended_;
  pplx::task_completion_event<void> all_ended_;
};

}  // namespace

void run(const Job& job) {
  if (job.way == "concurrent") crossplat::threadpool::initialize_with_threads(1);
  http_client client(job.base_url);
  if (job.way == "sequential")
    for (std::size_t i = 0; i < job.count; ++i) get_one(client).get();
  else if (job.way == "concurrent")
    Chains(client, job).run(job.in_flight);
  else
    refuse_way(job);
}

}  // namespace noun_benchmark
