// EXPECT: this body cannot be written as JSON: give its type a to_json
// The first line says why.
#include <noun/noun.hpp>

struct Plain {
  int a = 0;
};
void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a").create(noun::Json{{"a", Plain{}.a}}));
#else
  static_cast<void>(api.collection("a").create(Plain{}));
#endif
}
