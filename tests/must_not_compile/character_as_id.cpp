// EXPECT: no match|no viable|invalid conversion|cannot convert|no matching
// A character may be meant as a number or as text.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")["b"]);
#else
  static_cast<void>(api.collection("a")['b']);
#endif
}
