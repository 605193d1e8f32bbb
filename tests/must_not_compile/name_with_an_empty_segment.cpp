// EXPECT: a_name_must_not_have_an_empty_segment
// Two slashes make an empty segment.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a/b"));
#else
  static_cast<void>(api.collection("a//b"));
#endif
}
