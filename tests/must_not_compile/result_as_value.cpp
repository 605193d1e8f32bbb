// EXPECT: cannot convert|no viable conversion|no matching function
// A result is not its value: it has to be asked first.
#include <noun/result.hpp>

#include <utility>

int answer(noun::Result<int> result) {
#ifdef CONTROL
  return std::move(result).value();
#else
  return result;
#endif
}
