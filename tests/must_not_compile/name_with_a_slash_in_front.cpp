// EXPECT: a_name_must_not_have_an_empty_segment_or_a_slash_at_an_end
// A name is relative.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a"));
#else
  static_cast<void>(api.collection("/a"));
#endif
}
