// EXPECT: a_name_must_not_contain_a_query_a_fragment_a_percent_sign
// A name is not encoded twice.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a/b"));
#else
  static_cast<void>(api.collection("a%2fb"));
#endif
}
