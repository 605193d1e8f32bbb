#include "decoders.hpp"

bool other_source_reads_by_simdjson(std::string_view text) { return reads_by_simdjson(text); }
