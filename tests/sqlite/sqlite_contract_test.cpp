// The cache in an SQLite database: the contract of caches.

#include <noun/sqlite_cache.hpp>

#include "os/temporary_folder.hpp"
#include "stores/cache_contract.hpp"

namespace noun_test { namespace sqlite_contract_test {

struct InSqlite {
  static constexpr std::size_t small = 2 * 1024 * 1024;
  std::shared_ptr<noun::Cache> cache(std::size_t max_bytes) {
    return noun::sqlite_cache(folder.path("cache" + std::to_string(++made) + ".db"),
                              {.max_bytes = max_bytes, .busy_timeout = std::chrono::seconds(30)})
        .value();
  }

  TemporaryFolder folder;
  int made = 0;
};
INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, CacheContract, InSqlite);

}}  // namespace noun_test::sqlite_contract_test
