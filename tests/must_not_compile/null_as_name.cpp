// EXPECT: deleted|no matching (member )?function|ambiguous
// A null pointer constant is no name.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a"));
#else
  static_cast<void>(api.collection(nullptr));
#endif
}
