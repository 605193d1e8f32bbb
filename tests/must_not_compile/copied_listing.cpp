// EXPECT: deleted|implicitly-deleted
// A listing belongs to one place.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  auto one = api.collection("a").list();
  auto two = std::move(one);
  static_cast<void>(two);
#else
  auto one = api.collection("a").list();
  auto two = one;
  static_cast<void>(two);
#endif
}
