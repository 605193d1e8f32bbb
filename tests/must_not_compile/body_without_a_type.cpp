// EXPECT: no matching (member )?function
// A patch has no default type: {.views = 5} would be sent as 5.
#include <noun/noun.hpp>

struct Patch {
  int views = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patch, views)
void attempt(const noun::Client& api) {
#ifdef CONTROL
  static_cast<void>(api.collection("a")[1].update(Patch{.views = 5}));
#else
  static_cast<void>(api.collection("a")[1].update({.views = 5}));
#endif
}
