#pragma once
/// @file
/// A call of a concurrent driver.

#include <cstdint>
#include <utility>

#include "call/call.hpp"

namespace noun { inline namespace v0 {

/// A call together with its request, to which the call holds a reference.
class CallJob {
 public:
  /// Parameters as for Call; `context` must outlive the job.
  CallJob(const CallContext& context, CallRequest request, std::uint64_t id, std::uint64_t seed)
      : request_(std::move(request)), call_(context, request_, id, seed) {}
  CallJob(const CallJob&) = delete;
  CallJob& operator=(const CallJob&) = delete;

  const CallRequest& request() const noexcept { return request_; }
  Call& call() noexcept { return call_; }

 private:
  const CallRequest request_;
  Call call_;
};

}}  // namespace noun
