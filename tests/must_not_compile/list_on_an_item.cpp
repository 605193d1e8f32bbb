// EXPECT: (has )?no member (named )?.list
// An item is not listed; a collection below it is.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].collection("b").list());
#else
  static_cast<void>(api.collection("a")[1].list());
#endif
}
