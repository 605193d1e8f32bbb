// JSON text as a body: its values and errors are those of nlohmann, as a noun::Json and as described structs.
#include <string_view>
#include <vector>

#include "fuzz/invariant.hpp"
#include "resource/json_reference.hpp"

namespace {

template <class T>
void check(std::string_view text) {
  noun_fuzz::require(noun_test::outcome(noun_test::by_codec<T>(text)) ==
                         noun_test::outcome(noun_test::by_nlohmann<T>(text)),
                     "the outcome is that of nlohmann");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = noun_fuzz::text_of(data, size);
  check<noun_test::Json>(text);
  check<noun_test::Tag>(text);
  check<std::vector<noun_test::Entry>>(text);
  return 0;
}
