// EXPECT: (has )?no member (named )?.remove
// A whole collection cannot be deleted.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].remove());
#else
  static_cast<void>(api.collection("a").remove());
#endif
}
