#include "wire/simdjson_parser.hpp"

namespace noun { inline namespace v0 {

bool wire::read_by_simdjson(std::string_view /*text*/, detail::JsonEvents& /*events*/) { return false; }

bool detail::read_by_layout(std::string_view /*text*/, const Layout& /*layout*/, void* /*value*/) { return false; }

}}  // namespace noun
