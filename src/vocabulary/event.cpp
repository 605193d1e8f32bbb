#include <noun/event.hpp>

namespace noun { inline namespace v0 {

std::string_view to_string(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::sent: return "sent";
    case EventKind::attempt_ended: return "answered";
    case EventKind::holding: return "holding";
    case EventKind::retrying: return "retrying";
    case EventKind::redirected: return "redirected";
    case EventKind::page_delivered: return "page delivered";
    case EventKind::notice: return "notice";
  }
  return "?";
}

std::string_view to_string(WaitReason reason) noexcept {
  switch (reason) {
    case WaitReason::none: return "no wait";
    case WaitReason::quota: return "nothing is left of the quota";
    case WaitReason::reset_probe: return "a kept request will tell when the quota resets";
    case WaitReason::first_response: return "the first answer will tell the quota";
    case WaitReason::probe: return "one request probes the new quota";
    case WaitReason::concurrency: return "as many requests are in flight as may be";
    case WaitReason::rejected: return "the service rejected a request";
    case WaitReason::retry_after: return "the service said how long";
    case WaitReason::backoff: return "trying again after a fault";
  }
  return "?";
}

}}  // namespace noun
