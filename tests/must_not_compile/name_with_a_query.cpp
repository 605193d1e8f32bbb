// EXPECT: a_name_must_not_contain_a_query
// Queries are options.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a"));
#else
  static_cast<void>(api.collection("a?b"));
#endif
}
