// EXPECT: discards qualifiers|is an rvalue
// An iterator points into its range, which a temporary ends at the semicolon.
#include <noun/noun.hpp>

void attempt(const noun::Client& api) {
#ifdef CONTROL
  auto listing = api.collection("a").list();
  auto pages = listing.pages();
  auto at = pages.begin();
  static_cast<void>(at);
#else
  auto listing = api.collection("a").list();
  auto at = listing.pages().begin();
  static_cast<void>(at);
#endif
}
