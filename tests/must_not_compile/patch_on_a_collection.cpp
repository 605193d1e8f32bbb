// EXPECT: (has )?no member (named )?.update
// A whole collection cannot be updated.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].update(noun::Json()));
#else
  static_cast<void>(api.collection("a").update(noun::Json()));
#endif
}
