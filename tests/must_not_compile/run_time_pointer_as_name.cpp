// EXPECT: not a constant expression|not usable in a constant expression|call to consteval function
// Run-time text is a name only where the programmer says so.
#include <noun/noun.hpp>

extern const char* text;
void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection(noun::runtime(text)));
#else
  static_cast<void>(api.collection(text));
#endif
}
