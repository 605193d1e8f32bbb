// EXPECT: a_name_must_not_have_a_dot_segment
// A name does not leave its parent.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.singleton("..x"));
#else
  static_cast<void>(api.singleton("../x"));
#endif
}
