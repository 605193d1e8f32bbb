// EXPECT: deleted
// A null pointer constant is no id.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")["b"]);
#else
  static_cast<void>(api.collection("a")[nullptr]);
#endif
}
