// EXPECT: a_name_must_not_be_empty
// The reason is in the compiler's message.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a"));
#else
  static_cast<void>(api.collection(""));
#endif
}
