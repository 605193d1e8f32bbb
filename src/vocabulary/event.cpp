#include <noun/event.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::sent: return "sent";
    case EventKind::attempt_ended: return "attempt_ended";
    case EventKind::holding: return "holding";
    case EventKind::retrying: return "retrying";
    case EventKind::cached: return "cached";
    case EventKind::redirected: return "redirected";
    case EventKind::page_delivered: return "page_delivered";
    case EventKind::polling: return "polling";
    case EventKind::progress: return "progress";
    case EventKind::ended: return "ended";
    case EventKind::notice: return "notice";
  }
  return "?";
}

std::string_view to_string(WaitReason reason) noexcept {
  switch (reason) {
    case WaitReason::none: return "no wait";
    case WaitReason::quota: return "the quota is used up";
    case WaitReason::reset_probe: return "one request is held back to measure when the quota resets";
    case WaitReason::first_response: return "the quota is unknown until the first response";
    case WaitReason::probe: return "one request probes the quota first";
    case WaitReason::share: return "a share of the quota is requested";
    case WaitReason::same_request: return "an identical request is in flight";
    case WaitReason::concurrency: return "the concurrency limit is reached";
    case WaitReason::rejected: return "the server rejected a request";
    case WaitReason::retry_after: return "the server reported how long to wait";
    case WaitReason::backoff: return "backoff after a fault";
  }
  return "?";
}

std::string_view name_of(WaitReason reason) noexcept {
  switch (reason) {
    case WaitReason::none: return "none";
    case WaitReason::quota: return "quota";
    case WaitReason::reset_probe: return "reset_probe";
    case WaitReason::first_response: return "first_response";
    case WaitReason::probe: return "probe";
    case WaitReason::concurrency: return "concurrency";
    case WaitReason::rejected: return "rejected";
    case WaitReason::retry_after: return "retry_after";
    case WaitReason::backoff: return "backoff";
    case WaitReason::share: return "share";
    case WaitReason::same_request: return "same_request";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, EventKind kind) { return out << to_string(kind); }
std::ostream& operator<<(std::ostream& out, WaitReason reason) { return out << to_string(reason); }

}}  // namespace noun
