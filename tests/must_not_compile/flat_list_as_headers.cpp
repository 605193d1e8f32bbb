// EXPECT: no matching|could not convert|no viable|cannot convert|from initializer list
// One field is a pair in braces of its own.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.send({.headers = {{"a", "b"}}}));
#else
  static_cast<void>(api.send({.headers = {"a", "b"}}));
#endif
}
