// EXPECT: no matching (member )?function
// Run-time text is a name only where the programmer says so.
#include <noun/noun.hpp>

const std::string text = "languages";
void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection(noun::runtime(text)));
#else
  static_cast<void>(api.collection(text));
#endif
}
