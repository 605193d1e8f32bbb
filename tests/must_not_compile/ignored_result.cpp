// EXPECT: ignoring return(ed)? value|ignoring returned value
// A result that nobody looks at is an error that nobody sees.
#include <noun/noun.hpp>

#pragma GCC diagnostic error "-Wunused-result"

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].remove());
#else
  api.collection("a")[1].remove();
#endif
}
