#include "curl/curl_lane.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "curl/curl_global.hpp"
#include "curl/curl_tls.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// Forbids reuse of a connection in doubt, and of one that ends. On HTTP/2, libcurl checks the framing itself.
void look_at(Lane& lane) noexcept {
  lane.moved = lane.tracks.now;
  auto& exchange = lane.transfer.exchange();
  if (!exchange.head_complete()) return;
  if (!std::exchange(lane.head_seen, true))
    lane.tracks.sockets.responded(lane.socket, exchange.http2(), exchange.reusable_for(), lane.tracks.now);
  if (!exchange.keeps_connection()) curl_easy_setopt(lane.transfer.easy(), CURLOPT_FORBID_REUSE, 1L);
}

std::size_t on_lane_header(char* data, std::size_t size, std::size_t count, void* lane) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  const bool taken = one.transfer.exchange().take_head_line({data, size * count});
  look_at(one);
  return taken ? size * count : 0;
}

std::size_t on_lane_body(char* data, std::size_t size, std::size_t count, void* lane) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  const bool taken = one.transfer.exchange().take_body({data, size * count});
  look_at(one);
  return taken ? size * count : 0;
}

std::size_t on_lane_read(char* into, std::size_t size, std::size_t count, void* lane) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  one.moved = one.tracks.now;
  return one.transfer.exchange().give_body(into, size * count).value_or(CURL_READFUNC_ABORT);
}

int on_lane_sending(void* lane, char* remote_address, char*, int remote_port, int local_port) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  auto& exchange = one.transfer.exchange();
  auto& sockets = one.tracks.sockets;
  const auto socket = sockets.find(remote_address, remote_port, local_port);
  const auto agreed = exchange.uses_http2();
  const bool http2 = agreed.value_or(false);
  if (exchange.sent() == Sent::no && !sockets.good(socket, agreed && !http2, one.tracks.now)) {
    one.unusable = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (!exchange.start_sending(agreed)) return CURL_PREREQFUNC_ABORT;
  if (one.is_connecting()) {
    using Connection = ConnectRamp::Connection;
    const auto connection = !one.opened ? Connection::kept : http2 ? Connection::opened_to_share : Connection::opened;
    one.tracks.ramp.connected(*one.origin, connection, one.tracks.now);
  }
  one.stop_connecting();
  if (!one.fresh) --one.part->unsent;
  one.sent = one.moved = one.tracks.now;
  one.socket = sockets.take(socket, one.origin->persistence, *one.part, one.tracks.now);
  return CURL_PREREQFUNC_OK;
}

curl_socket_t on_lane_socket(void* lane, curlsocktype, curl_sockaddr* address) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  const auto socket = one.transfer.exchange().open_socket(*address);
  if (socket < 0) return CURL_SOCKET_BAD;
  one.opened = true;
  try {
    one.tracks.sockets.opened(socket);
    // libcurl 7.88 closes a socket that did not connect without a callback.
    if (one.tracks.readiness.renew(socket)) return socket;
    one.tracks.sockets.closed(socket, one.tracks.now);
  } catch (const std::bad_alloc&) {
  }
  close_socket(descriptor_of(socket));
  return CURL_SOCKET_BAD;
}

}  // namespace

void Lane::set_timer(Instant when) {
  if (timer) {
    spare_timer = tracks.timers.extract(*timer);
    timer.reset();
  }
  if (spare_timer.empty()) {
    timer = tracks.timers.insert({when, id, this}).first;
    return;
  }
  spare_timer.value() = {when, id, this};
  timer = tracks.timers.insert(std::move(spare_timer)).position;
}

void Lane::clear_timer() noexcept {
  if (timer) spare_timer = tracks.timers.extract(*timer);
  timer.reset();
}

Instant Lane::next_look() const noexcept {
  return std::min(end(), after(tracks.now, is_counted() ? stall / 4 : stall));
}

std::optional<Ending> Lane::overdue() noexcept {
  if (unwatched) return Ending::broken;
  curl_off_t up = 0;
  if (is_counted() && moved != Instant::max()) {
    curl_easy_getinfo(transfer.easy(), CURLINFO_SIZE_UPLOAD_T, &up);
    if (std::exchange(uploaded, up) != up) moved = tracks.now;
  }
  if (tracks.now < end()) return std::nullopt;
  return end() == deadline ? Ending::timed_out : Ending::stalled;
}

bool Lane::silent() const noexcept {
  return *ending == Ending::timed_out || *ending == Ending::stalled ||
         (*ending == Ending::done && transfer.code() == CURLE_OPERATION_TIMEDOUT);
}

bool Lane::open(const TransportOptions& options, TrustStore& trust) {
  const auto lock = hold_off_fork();
  if (!transfer.open(options, trust)) return false;
  keep = options.unix_socket.empty();
  auto* const easy = transfer.easy();
  const auto set = [easy](CURLoption option, auto value) { return curl_easy_setopt(easy, option, value) == CURLE_OK; };
  return set(CURLOPT_HEADERFUNCTION, &on_lane_header) && set(CURLOPT_HEADERDATA, this) &&
         set(CURLOPT_WRITEFUNCTION, &on_lane_body) && set(CURLOPT_WRITEDATA, this) &&
         set(CURLOPT_READFUNCTION, &on_lane_read) && set(CURLOPT_READDATA, this) &&
         set(CURLOPT_PREREQFUNCTION, &on_lane_sending) && set(CURLOPT_PREREQDATA, this) &&
         set(CURLOPT_OPENSOCKETFUNCTION, &on_lane_socket) && set(CURLOPT_OPENSOCKETDATA, this) &&
         set(CURLOPT_PRIVATE, this);
}

CURLcode Lane::prepare(bool must_connect) {
  static_cast<LaneProgress&>(*this) = {};
  const bool lasts = origin->persistence.is_expected(tracks.now);
  const bool kept = keep && lasts && attempt->limits.idle_connections > 0;
  fresh = must_connect || !lasts;
  curl_easy_setopt(transfer.easy(), CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
  transfer.exchange().keep_connection(kept);
  return transfer.prepare(*attempt);
}

}}}  // namespace noun::curl
