// EXPECT: deleted
// A null pointer constant is no token; a null const char* from the environment is refused by the client.
#include <cstdlib>

#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api), static_cast<void>(noun::bearer(std::getenv("TOKEN")));
#else
  static_cast<void>(api), static_cast<void>(noun::bearer(nullptr));
#endif
}
