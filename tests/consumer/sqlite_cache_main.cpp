// Links the component noun::sqlite.

#include <cstdio>

#include <noun/sqlite_cache.hpp>

int main(int, char** arguments) {
  const auto cache = noun::sqlite_cache(arguments[1]);
  if (!cache) return std::puts(cache.error().message().c_str()), 1;
  const noun::CacheKey key{"0123456789abcdef", "fedcba9876543210"};
  const bool stored = (*cache)->put(key, "bytes").value_or(false);
  return stored && (*cache)->get(key).value_or(std::nullopt) == "bytes" ? 0 : 1;
}
