// EXPECT: cannot convert|no viable conversion|cannot initialize
// A result is not silently a bool.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  const bool ok = api.collection("a")[1].get().has_value();
  static_cast<void>(ok);
#else
  const bool ok = api.collection("a")[1].get();
  static_cast<void>(ok);
#endif
}
