// EXPECT: a_name_must_not_contain_a_query_a_fragment_a_percent_sign_a_backslash_a_space
// A name is written without spaces.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a-b"));
#else
  static_cast<void>(api.collection("a b"));
#endif
}
