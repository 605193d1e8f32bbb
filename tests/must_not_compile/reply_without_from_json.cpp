// EXPECT: noun: this type cannot be read from JSON: give it a from_json
// A type that nlohmann cannot read.
#include <noun/noun.hpp>

struct Country {
  int population = 0;
#ifdef CONTROL
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Country, population)
#endif
};

void attempt(const noun::Client& api) { static_cast<void>(api.collection<Country>("countries")["IS"].get()); }
