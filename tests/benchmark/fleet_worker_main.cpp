// One of many processes that share a quota, for a test or a benchmark that starts, measures or kills it:
//
//   fleet_worker URL LEDGER items|pages PATH COUNT IN_FLIGHT [LEASE_MS]
//
// It sends COUNT requests for the item at PATH, so many in flight at a time, or drains the listing at PATH, which has
// COUNT items. LEDGER is a directory, the URL of a Redis server, or `none`. It prints "first response" after the first
// success, and at its end what was sent, rejected and failed, the operations of the store, and the first error.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/shared_quota.hpp>

#include "stores/file_store.hpp"
#ifdef NOUN_FLEET_REDIS
#include "redis/redis_store.hpp"
#endif

namespace {

using namespace std::chrono_literals;
using noun::QuotaStore;

/// Longer than any run takes on a machine under load.
constexpr auto patience = 2min;

struct Settings {
  std::string url, ledger, shape, path;
  std::size_t count = 0;
  std::size_t in_flight = 0;
  noun::SharingOptions sharing = {};
};

/// What happened. Each is written by one thread: the loop's, the ledger's, or main's. Both are joined with the client.
struct Counts {
  std::size_t sent = 0;
  std::size_t rejected = 0;
  std::size_t reads = 0;
  std::size_t swaps = 0;
  std::size_t good = 0;
  std::string first_error = {};

  template <class T>
  void add(const noun::Result<T>& result) {
    if (!result) {
      if (first_error.empty()) first_error = result.error().message();
    } else if (good++ == 0) {
      fmt::print("first response\n");
      std::fflush(stdout);
    }
  }
};

/// Counts what goes to the store.
class CountingStore final : public QuotaStore {
 public:
  CountingStore(std::unique_ptr<QuotaStore> store, Counts& counts) : store_(std::move(store)), counts_(counts) {}

  noun::Result<Stored> read(const std::string& key) override {
    ++counts_.reads;
    return store_->read(key);
  }
  noun::Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version,
                                         const std::string& bytes) override {
    ++counts_.swaps;
    return store_->compare_and_swap(key, version, bytes);
  }
  noun::Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched,
                                                         noun::Instant until) override {
    return store_->wait_for_change(watched, until);
  }
  void limit_operations(noun::Duration most) noexcept override { store_->limit_operations(most); }
  void interrupt() noexcept override { store_->interrupt(); }

 private:
  const std::unique_ptr<QuotaStore> store_;
  Counts& counts_;
};

std::unique_ptr<QuotaStore> store_of(const Settings& settings) {
  if (!settings.ledger.starts_with("redis"))
    return std::make_unique<noun::FileStore>(settings.ledger, settings.sharing.slow_after);
#ifdef NOUN_FLEET_REDIS
  return std::make_unique<noun::RedisStore>(noun::parse_redis_url(settings.ledger).value(),
                                            settings.sharing.slow_after);
#else
  throw std::runtime_error("built without NOUN_REDIS");
#endif
}

noun::Client client_of(const Settings& settings, Counts& counts) {
  noun::ClientOptions options{.identity = "fleet"};
  options.observer = [&counts](const noun::Event& event) {
    if (event.kind != noun::EventKind::attempt_ended) return;
    ++counts.sent;
    if (event.status == 429) ++counts.rejected;
  };
  if (settings.ledger != "none")
    options.quota_ledger =
        noun::shared_ledger(std::make_unique<CountingStore>(store_of(settings), counts), settings.sharing).value();
  return noun::Client(settings.url, std::move(options));
}

void send_all(const noun::Client& api, const Settings& settings, Counts& counts) {
  const auto request = noun::op::send(api, {.path = settings.path}, {.deadline = patience});
  for (const auto& response : api.run_all(std::vector(settings.count, request), {.in_flight = settings.in_flight}))
    counts.add(response);
}

void list_all(const noun::Client& api, const Settings& settings, Counts& counts) {
  for (const auto& item : api.collection(noun::runtime(settings.path)).list({.deadline = patience})) counts.add(item);
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end)
    throw std::runtime_error(fmt::format("\"{}\" is not a number", text));
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 7) throw std::runtime_error("usage: fleet_worker URL LEDGER items|pages PATH COUNT IN_FLIGHT [LEASE_MS]");
  Settings settings{argv[1], argv[2], argv[3], argv[4], number(argv[5]), number(argv[6])};
  if (argc > 7) settings.sharing.lease = std::chrono::milliseconds(number(argv[7]));
  Counts counts;
  {
    const auto api = client_of(settings, counts);
    if (settings.shape == "pages")
      list_all(api, settings, counts);
    else
      send_all(api, settings, counts);
  }
  fmt::print("sent {} rejected {} failed {} reads {} swaps {} {}\n", counts.sent, counts.rejected,
             settings.count - counts.good, counts.reads, counts.swaps,
             counts.first_error);
} catch (const std::exception& failure) {
  return fmt::print(stderr, "fleet_worker: {}\n", failure.what()), 1;
}
