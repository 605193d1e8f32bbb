// EXPECT: (has )?no member (named )?.create
// An item is not posted to; a collection below it is.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].collection("b").create(noun::Json()));
#else
  static_cast<void>(api.collection("a")[1].create(noun::Json()));
#endif
}
