// Links the component noun::redis.

#include <cstdio>

#include <noun/redis_ledger.hpp>

int main() {
  // Not an error: an unreachable server is an unavailable store.
  const auto ledger = noun::redis_ledger("redis://127.0.0.1:1");
  if (ledger) return 0;
  return std::puts(ledger.error().message().c_str()), 1;
}
