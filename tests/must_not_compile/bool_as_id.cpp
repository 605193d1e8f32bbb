// EXPECT: no match|no viable|invalid conversion|cannot convert|no matching
// true is no id.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1]);
#else
  static_cast<void>(api.collection("a")[true]);
#endif
}
