// EXPECT: (has )?no member (named )?.replace
// A whole collection cannot be replaced.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].replace(noun::Json()));
#else
  static_cast<void>(api.collection("a").replace(noun::Json()));
#endif
}
