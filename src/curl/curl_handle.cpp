#include "curl/curl_handle.hpp"

#include <algorithm>
#include <chrono>


#include "curl/curl_global.hpp"
#include "os/sigpipe.hpp"
#include "os/sockets.hpp"
#include "os/steady_now.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {

std::unique_ptr<Handle> Handle::make(const TransportOptions& options, TrustStore& trust) {
  std::unique_ptr<Handle> handle(new Handle);
  if (!handle->open(options, trust)) return nullptr;
  return handle;
}

bool Handle::open(const TransportOptions& options, TrustStore& trust) {
  const auto lock = hold_off_fork();
  multi_ = curl_multi_init();
  if (multi_ == nullptr) return false;
  // One connection per handle, so that the socket that is checked before reuse is the one that is reused.
  if (curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 1L) != CURLM_OK) return false;
  // Without descriptors libcurl makes a multi handle that cannot be woken.
  if (curl_multi_wakeup(multi_) != CURLM_OK) return false;
  return transfer_.open(options, trust);
}

Handle::~Handle() {
  const SigpipeGuard guard(secure_);
  if (multi_ != nullptr && transfer_.easy() != nullptr) curl_multi_remove_handle(multi_, transfer_.easy());
  curl_multi_cleanup(multi_);
}

CURLcode Handle::prepare(const Attempt& attempt) {
  if (!wire::leads_to(attempt.url, origin_)) origin_ = wire::written_origin(attempt.url);
  secure_ = secure_ || wire::is_of_scheme(attempt.url, "https");
  return transfer_.prepare(attempt);
}

Ending Handle::run(Instant deadline, Duration stall, const Stops& stops) {
  const SigpipeGuard guard(secure_);
  socket_ = CURL_SOCKET_BAD;
  if (curl_multi_add_handle(multi_, transfer_.easy()) != CURLM_OK) return Ending::broken;
  const auto ending = loop(deadline, stall, stops);
  if (ending == Ending::done && transfer_.code() == CURLE_OK) remember_connection();
  curl_multi_remove_handle(multi_, transfer_.easy());
  return ending;
}

Ending Handle::loop(Instant deadline, Duration stall, const Stops& stops) {
  // Their destructors wait for a running wake-up, so that none happens after the handle is given back.
  const auto wake = [this] { curl_multi_wakeup(multi_); };
  const StopCallback<decltype(wake)&> wake_for_caller(stops.caller, wake);
  const StopCallback<decltype(wake)&> wake_at_exit(stops.at_exit, wake);
  // Until the request is being sent, libcurl's own connect timeout applies.
  auto moved = Instant::max();
  int active = 0;
  while (!stops.caller.stop_requested() && !stops.at_exit.stop_requested()) {
    int running = 0;
    if (curl_multi_perform(multi_, &running) != CURLM_OK) return Ending::broken;
    if (running == 0) {
      int queued = 0;
      const auto* message = curl_multi_info_read(multi_, &queued);
      if (message == nullptr) return Ending::broken;
      transfer_.ended(message->data.result);
      return Ending::done;
    }
    const auto now = steady_now();
    if (active > 0 || (moved == Instant::max() && transfer_.exchange().sent() != Sent::no)) moved = now;
    const auto end = std::min(deadline, after(moved, stall));
    if (now >= end) return end == deadline ? Ending::timed_out : Ending::stalled;
    const auto most = transfer_.exchange().sent() == Sent::no ? std::min(end - now, connect_poll) : end - now;
    // `active` counts the ready sockets: bytes arrived, or the peer acknowledged sent ones.
    if (curl_multi_poll(multi_, nullptr, 0, poll_time(most), &active) != CURLM_OK) return Ending::broken;
  }
  return Ending::cancelled;
}

// libcurl reports the socket only while the handle is attached to its multi handle.
void Handle::remember_connection() noexcept {
  curl_easy_getinfo(transfer_.easy(), CURLINFO_ACTIVESOCKET, &socket_);
  transfer_.exchange().look_at_connection(socket_ != CURL_SOCKET_BAD);
  served_ = transfer_.exchange().on_kept_connection() ? served_ + 1 : 1;
}

bool Handle::unusable(Instant now) noexcept {
  // On HTTP/2 the server may send at any time, and libcurl separates control frames from responses.
  if (!connected() || transfer_.exchange().http2()) return false;
  if (now >= after(idle_since_, transfer_.exchange().reusable_for())) return true;
  return is_readable(static_cast<int>(socket_));
}

}}}  // namespace noun::curl
