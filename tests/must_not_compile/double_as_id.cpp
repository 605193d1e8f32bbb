// EXPECT: no match|no viable|invalid conversion|cannot convert|no matching
// A number with a fraction is no id.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1]);
#else
  static_cast<void>(api.collection("a")[1.0]);
#endif
}
