// The floor: libcurl by hand, with one handle for each request in flight.
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include "benchmark/peer.hpp"

namespace noun_benchmark {
namespace {

/// A handle and its response: two request headers, response headers stored, the body collected.
class CurlExchange {
 public:
  CurlExchange() {
    auto* fields = curl_slist_append(nullptr, "Accept: application/json");
    fields_.reset(curl_slist_append(fields, "User-Agent: by-hand/1.0"));
    set(CURLOPT_HTTPHEADER, fields_.get());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_HEADERFUNCTION, store_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, store_body);
    set(CURLOPT_WRITEDATA, this);
  }
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  ~CurlExchange() = default;

  CURL* handle() const { return handle_.get(); }
  /// Prepares the next request.
  void begin(const std::string& url) {
    headers_ = {};
    body_ = {};
    set(CURLOPT_URL, url.c_str());
  }
  /// Decodes the response.
  void finish(CURLcode result) const { check(status(result), body_); }
  std::size_t finish_page(CURLcode result) const { return check_page(status(result), body_); }

 private:
  unsigned status(CURLcode result) const {
    if (result != CURLE_OK) throw std::runtime_error(curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<unsigned>(status);
  }
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(handle_.get(), option, value);
  }
  static std::size_t store_header(char* data, std::size_t, std::size_t size, void* exchange) {
    std::string_view line(data, size);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      auto value = line.substr(colon + 1);
      while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
      static_cast<CurlExchange*>(exchange)->headers_.emplace_back(line.substr(0, colon), value);
    }
    return size;
  }
  static std::size_t store_body(char* data, std::size_t, std::size_t size, void* exchange) {
    static_cast<CurlExchange*>(exchange)->body_.append(data, size);
    return size;
  }

  struct Free {
    void operator()(curl_slist* fields) const { curl_slist_free_all(fields); }
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  std::unique_ptr<curl_slist, Free> fields_;
  std::unique_ptr<CURL, Free> handle_{curl_easy_init()};
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string body_;
};

std::string record_url(const Job& job) { return job.base_url + std::string(record_path); }

void get_on_one_handle(const Job& job, std::size_t count) {
  CurlExchange exchange;
  for (std::size_t i = 0; i < count; ++i) {
    exchange.begin(record_url(job));
    exchange.finish(curl_easy_perform(exchange.handle()));
  }
}

/// @param url_of  of each request, by its number from 0.
/// @param finish  takes each response, in any order.
template <class UrlOf, class Finish>
void get_on_one_multi_handle(std::size_t count, std::size_t in_flight, UrlOf url_of, Finish finish) {
  const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(), curl_multi_cleanup);
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(in_flight));
  std::vector<std::unique_ptr<CurlExchange>> exchanges;
  std::size_t started = 0;
  const auto start = [&](CurlExchange& exchange) {
    exchange.begin(url_of(started++));
    curl_multi_add_handle(multi.get(), exchange.handle());
  };
  while (started < count && started < in_flight)
    start(*exchanges.emplace_back(std::make_unique<CurlExchange>()));
  for (std::size_t ended = 0; ended < count;) {
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi.get(), &left)) {
      const auto result = message->data.result;
      CurlExchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      curl_multi_remove_handle(multi.get(), exchange->handle());
      finish(*exchange, result);
      ++ended;
      if (started < count) start(*exchange);
    }
    if (ended < count) curl_multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
  }
}

/// The first page says how many there are.
void get_pages(const Job& job) {
  const auto url = [&](std::size_t page) {
    return job.base_url + std::string(pages_path) + "?page=" + std::to_string(page);
  };
  CurlExchange first;
  first.begin(url(1));
  const auto total = first.finish_page(curl_easy_perform(first.handle()));
  if (total != job.count * page_size) throw std::runtime_error("not all items");
  get_on_one_multi_handle(
      job.count - 1, job.in_flight, [&](std::size_t number) { return url(number + 2); },
      [](const CurlExchange& exchange, CURLcode result) { exchange.finish_page(result); });
}

}  // namespace

void run(const Job& job) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (job.way == "sequential")
    get_on_one_handle(job, job.count);
  else if (job.way == "concurrent")
    get_on_one_multi_handle(
        job.count, job.in_flight, [url = record_url(job)](std::size_t) { return url; },
        [](const CurlExchange& exchange, CURLcode result) { exchange.finish(result); });
  else if (job.way == "pages")
    get_pages(job);
  else if (job.way == "threads")
    share(job, [&](std::size_t count) { get_on_one_handle(job, count); });
  else
    refuse_way(job);
}

}  // namespace noun_benchmark
