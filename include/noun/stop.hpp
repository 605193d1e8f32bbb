#pragma once
/// @file
/// Stop tokens. They are the standard library's own types where it has them (libc++ since version 20), except with
/// libstdc++ where there is no futex, as on Windows: there the destructor of a std::stop_callback can miss the end of
/// the callback, and then never returns.

// First, as it refuses a mode before C++20.
#include <noun/version.hpp>

#include <version>

#if defined(__cpp_lib_jthread) && (!defined(__GLIBCXX__) || defined(_GLIBCXX_HAVE_LINUX_FUTEX))
#define NOUN_HAS_STD_STOP_TOKEN
#include <stop_token>
#else
#include <noun/detail/own_stop.hpp>
#endif

namespace noun { inline namespace v0 {

#ifdef NOUN_HAS_STD_STOP_TOKEN
/// Tells whether stop was requested. It is std::stop_token where that is sound (see this file), and else a type with the
/// same members.
/// @threadsafety Safe, as std::stop_token is.
using StopToken = std::stop_token;
/// Requests a stop. It is std::stop_source where StopToken is std::stop_token, and else a type
/// with the same members.
/// @threadsafety Safe, as std::stop_source is.
using StopSource = std::stop_source;
/// The type of no_stop_state: std::nostopstate_t where StopToken is std::stop_token.
using NoStopState = std::nostopstate_t;
/// Calls a function when stop is requested. It is std::stop_callback where StopToken is std::stop_token, and else a type
/// with the same members.
/// @threadsafety Safe, as std::stop_callback is.
template <class F>
using StopCallback = std::stop_callback<F>;
#else
using StopToken = detail::own_stop::StopToken;
using StopSource = detail::own_stop::StopSource;
using NoStopState = detail::own_stop::NoStopState;
template <class F>
using StopCallback = detail::own_stop::StopCallback<F>;
#endif

/// Constructs a StopSource that cannot request a stop; std::nostopstate.
inline constexpr NoStopState no_stop_state{};

}}  // namespace noun
