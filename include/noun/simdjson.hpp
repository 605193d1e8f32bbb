#pragma once
/// @file
/// JSON is parsed by simdjson. Include this header in one source of the program and link noun::simdjson: every
/// noun::Codec of the program then uses it, if it is not specialized. Structs with NOUN_DESCRIBE, and std::vectors of
/// them, are read directly; other types by their from_json. Values and errors are those of nlohmann, which reads again
/// what simdjson refuses, with two exceptions: in a noun::Json `-0` is an unsigned 0; and a std::vector is read element
/// by element, also if the program specializes nlohmann::adl_serializer for it.

#include <noun/json.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Installs the decoder. Again: changes nothing.
NOUN_API bool install_simdjson() noexcept;
/// Installs the decoder before main().
inline const bool simdjson_is_installed = install_simdjson();

}}}  // namespace noun::detail
