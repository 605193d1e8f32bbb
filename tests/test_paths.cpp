#include "test_paths.hpp"

namespace noun_test {

const char* const data_dir = NOUN_TEST_DATA_DIR;
const char* const source_dir = NOUN_SOURCE_DIR;

}  // namespace noun_test
