#pragma once
/// @file
/// What an answer means: to the call, and to the quota that it was sent on.

#include "call/call.hpp"

namespace noun { inline namespace v0 {

struct ResponseMeaning {
  Verdict verdict = Verdict::permanent;
  quota::Report report = {};
};

/// Of an answer in full; the context's `judge` has the last word.
ResponseMeaning meaning_of(const Response& response, const CallContext& context, bool has_key, WallTime now);
/// Of an answer of which the head alone came: whether it was rejected, and what the quota is.
quota::Report meaning_of_head(const Response& head, const CallContext& context, bool has_key, WallTime now);

}}  // namespace noun
