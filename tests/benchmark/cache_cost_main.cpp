// What a cache costs. Run by tests/benchmark/cache_cost.
//
//   cache_cost stores          what a hit takes of sqlite_cache() beside a plain SELECT of the same bytes from the same file,
//                              in turn, and of memory_cache(); exits 1 if the median of a hit in SQLite is over twice that
//                              of the SELECT, or over 40 microseconds
//   cache_cost WAY COUNT URL   that many GETs of WAY: plain (without a cache), miss, validated or fresh
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include <noun/noun.hpp>
#include <noun/sqlite_cache.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr double most_ratio = 2;
constexpr double most_microseconds = 40;

noun::CacheKey key_of(unsigned number) {
  return {fmt::format("{:016}", number), fmt::format("{:016x}", number * 0x9e3779b97f4a7c15U)};
}

void require(bool done, const char* what) {
  if (done) return;
  fmt::print(stderr, "cache_cost: {}\n", what);
  std::exit(2);
}

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <class Work>
double microseconds(Work work) {
  const auto start = Clock::now();
  work();
  return Microseconds(Clock::now() - start).count();
}

/// A connection of its own, with SQLite's own settings.
class PlainSelect {
 public:
  explicit PlainSelect(const std::string& path) {
    require(
        sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK,
        "cannot open the database");
    require(
        sqlite3_prepare_v2(database_, "SELECT bytes FROM entries WHERE id = ?1", -1, &select_, nullptr) == SQLITE_OK,
        "cannot select");
  }
  PlainSelect(const PlainSelect&) = delete;
  PlainSelect& operator=(const PlainSelect&) = delete;
  ~PlainSelect() {
    sqlite3_finalize(select_);
    sqlite3_close(database_);
  }

  std::string get(sqlite3_int64 id) {
    sqlite3_bind_int64(select_, 1, id);
    std::string bytes;
    if (sqlite3_step(select_) == SQLITE_ROW)
      bytes.assign(static_cast<const char*>(sqlite3_column_blob(select_, 0)),
                   static_cast<std::size_t>(sqlite3_column_bytes(select_, 0)));
    sqlite3_reset(select_);
    return bytes;
  }

  std::vector<sqlite3_int64> ids() {
    std::vector<sqlite3_int64> found;
    sqlite3_stmt* all = nullptr;
    require(sqlite3_prepare_v2(database_, "SELECT id FROM entries", -1, &all, nullptr) == SQLITE_OK, "cannot list");
    while (sqlite3_step(all) == SQLITE_ROW) found.push_back(sqlite3_column_int64(all, 0));
    sqlite3_finalize(all);
    return found;
  }

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

bool measure(const std::string& folder, std::size_t size, unsigned entries, unsigned hits) {
  const auto path = fmt::format("{}/{}.db", folder, size);
  const auto cache = noun::sqlite_cache(path).value();
  const auto memory = noun::memory_cache(std::size_t{1} << 30U);
  for (unsigned i = 0; i < entries; ++i) {
    const std::string bytes(size, static_cast<char>('a' + i % 26));
    require(cache->put(key_of(i), bytes).value() && memory->put(key_of(i), bytes).value(), "cannot put");
  }
  PlainSelect plain(path);
  const auto ids = plain.ids();
  require(ids.size() == entries, "not all entries are there");
  std::vector<double> hit;
  std::vector<double> select;
  std::vector<double> of_memory;
  unsigned chosen = 1;
  for (unsigned i = 0; i < hits + 100; ++i) {
    chosen = (chosen * 75 + 74) % 65537;
    const unsigned number = chosen % entries;
    const auto key = key_of(number);
    std::size_t found = 0;
    const auto of_cache = microseconds([&] { found = cache->get(key).value().value_or("").size(); });
    require(found == size, "a miss");
    const auto of_select = microseconds([&] { found = plain.get(ids[number]).size(); });
    require(found == size, "not selected");
    const auto in_memory = microseconds([&] { found = memory->get(key).value().value_or("").size(); });
    require(found == size, "a miss in memory");
    if (i < 100) continue;
    hit.push_back(of_cache);
    select.push_back(of_select);
    of_memory.push_back(in_memory);
  }
  const auto ratio = median(hit) / median(select);
  const bool fits = ratio <= most_ratio && median(hit) <= most_microseconds;
  fmt::print("{:>8} {:>12.1f} {:>12.1f} {:>8.2f} {:>12.2f}{}\n", size, median(hit), median(select), ratio,
             median(of_memory), fits ? "" : "  too slow");
  return fits;
}

/// Two URLs in turn, but for a miss always another one.
void call(std::string_view way, int count, const std::string& base_url) {
  noun::ClientOptions options{.quota = {.inference = noun::Inference::reported_only}};
  if (way != "plain") options.cache = noun::memory_cache();
  if (way == "fresh") options.cache_mode = noun::CacheMode::rfc9111;
  const noun::Client api(base_url, options);
  const auto items = api.collection("items");
  for (int number = 0; number < count; ++number) {
    const auto result = items[way == "miss" ? number : number % 2].get();
    require(result.has_value(), "a GET failed");
    if (number < 2 || way == "plain") continue;
    const auto cached = result.response()->cache;
    require(cached == (way == "fresh"       ? noun::CacheStatus::fresh
                       : way == "validated" ? noun::CacheStatus::validated
                                            : noun::CacheStatus::stored),
            "the cache did something else");
  }
}

int stores() {
  auto folder = (std::filesystem::temp_directory_path() / "noun-cache-cost-XXXXXX").string();
  require(::mkdtemp(folder.data()) != nullptr, "cannot make a folder");
  fmt::print("{:>8} {:>12} {:>12} {:>8} {:>12}\n", "bytes", "hit, us", "SELECT, us", "ratio", "memory, us");
  const bool small = measure(folder, 1'000, 2'000, 4'000);
  const bool large = measure(folder, 60'000, 500, 4'000);
  std::filesystem::remove_all(folder);
  return small && large ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"stores"}) return stores();
  require(words.size() == 3, "see the first lines of its source");
  call(words[0], std::stoi(words[1]), words[2]);
}
