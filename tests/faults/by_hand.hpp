#pragma once
/// @file
/// libcurl as its examples use it, in front of the same faults.

#include <cstddef>
#include <string_view>

#include <noun/http.hpp>

#include "faults/fault.hpp"

namespace noun_test {

/// How a call by hand ended.
enum class ByHand {
  failed,          ///< with an error, as it should; or it succeeded where noun does
  silently_wrong,  ///< with what looks like a success
  sent_twice,      ///< the server received it more than once
  without_end,     ///< it has no limit of time
  without_bound,   ///< it has no limit of memory
  too_strict,      ///< with an error where noun succeeds
};

std::string_view to_string(ByHand verdict);

/// Makes the call with a new handle and no options but its URL, its method, its body and the codings it accepts.
ByHand run_by_hand(const Fault& fault, noun::Method method);

}  // namespace noun_test
