// EXPECT: deleted|no viable|could not convert|no matching|ambiguous
// A null pointer constant is no value.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a").list({.query = {{"b", "c"}}}));
#else
  static_cast<void>(api.collection("a").list({.query = {{"b", nullptr}}}));
#endif
}
