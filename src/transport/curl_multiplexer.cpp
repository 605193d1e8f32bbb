#include "transport/curl_multiplexer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include <unistd.h>

#include "transport/curl_errors.hpp"
#include "transport/curl_global.hpp"
#include "transport/curl_sigpipe.hpp"
#include "transport/curl_sockets.hpp"
#include "transport/curl_transfer.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

Instant steady_now() noexcept { return std::chrono::steady_clock::now(); }

// One attempt in progress.
struct Lane {
  explicit Lane(Sockets& all) : sockets(all) {}

  bool open(const TransportOptions& options);
  CURLcode prepare(bool fresh);
  void note_progress(Instant now) noexcept;
  Instant end() const noexcept { return std::min(deadline, after(moved, stall)); }
  Ending overdue() const noexcept { return end() == deadline ? Ending::timed_out : Ending::stalled; }
  bool silent() const noexcept;

  Sockets& sockets;
  Transfer transfer;
  std::optional<Attempt> attempt;
  bool keep = true;
  Instant deadline = {};
  Duration stall = {};
  // Until the request is being sent, libcurl's own connect timeout applies.
  Instant moved = Instant::max();
  curl_off_t bytes = 0;
  curl_socket_t socket = CURL_SOCKET_BAD;
  // Whether the connection that libcurl chose was found bad before anything was sent on it.
  bool unusable = false;
  std::optional<Ending> ending;
};

// Forbids reuse of a connection in doubt. On HTTP/2, libcurl checks the framing itself.
void look_at(Lane& lane) noexcept {
  auto& exchange = lane.transfer.exchange();
  if (!exchange.head_complete()) return;
  lane.sockets.set_protocol(lane.socket, exchange.http2());
  if (!exchange.reusable() && !exchange.http2()) curl_easy_setopt(lane.transfer.easy(), CURLOPT_FORBID_REUSE, 1L);
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

int on_lane_sending(void* lane, char* remote_address, char*, int remote_port, int local_port) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  auto& exchange = one.transfer.exchange();
  const auto socket = one.sockets.find(remote_address, remote_port, local_port);
  if (exchange.sent() == Sent::no && !one.sockets.good(socket)) {
    one.unusable = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (!exchange.start_sending()) return CURL_PREREQFUNC_ABORT;
  one.socket = socket;
  one.sockets.take(socket);
  return CURL_PREREQFUNC_OK;
}

curl_socket_t on_lane_socket(void* lane, curlsocktype, curl_sockaddr* address) noexcept {
  auto& one = *static_cast<Lane*>(lane);
  const auto socket = one.transfer.exchange().open_socket(*address);
  if (socket < 0) return CURL_SOCKET_BAD;
  try {
    one.sockets.opened(socket);
  } catch (const std::bad_alloc&) {
    ::close(socket);
    return CURL_SOCKET_BAD;
  }
  return socket;
}

// A connection outlives its transfer, so the close callback gets the sockets rather than the transfer.
int on_close(void* sockets, curl_socket_t socket) noexcept {
  static_cast<Sockets*>(sockets)->closed(socket);
  return ::close(socket);
}

bool Lane::open(const TransportOptions& options) {
  const auto lock = hold_off_fork();
  if (!transfer.open(options)) return false;
  keep = options.unix_socket.empty();
  auto* const easy = transfer.easy();
  const auto set = [easy](CURLoption option, auto value) { return curl_easy_setopt(easy, option, value) == CURLE_OK; };
  return set(CURLOPT_HEADERFUNCTION, &on_lane_header) && set(CURLOPT_HEADERDATA, this) &&
         set(CURLOPT_WRITEFUNCTION, &on_lane_body) && set(CURLOPT_WRITEDATA, this) &&
         set(CURLOPT_PREREQFUNCTION, &on_lane_sending) && set(CURLOPT_PREREQDATA, this) &&
         set(CURLOPT_OPENSOCKETFUNCTION, &on_lane_socket) && set(CURLOPT_OPENSOCKETDATA, this) &&
         set(CURLOPT_CLOSESOCKETFUNCTION, &on_close) && set(CURLOPT_CLOSESOCKETDATA, &sockets) &&
         set(CURLOPT_PRIVATE, this);
}

CURLcode Lane::prepare(bool fresh) {
  moved = Instant::max();
  bytes = 0;
  socket = CURL_SOCKET_BAD;
  unusable = false;
  ending.reset();
  const bool kept = keep && attempt->limits.idle_connections > 0;
  curl_easy_setopt(transfer.easy(), CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
  curl_easy_setopt(transfer.easy(), CURLOPT_FORBID_REUSE, kept ? 0L : 1L);
  return transfer.prepare(*attempt);
}

void Lane::note_progress(Instant now) noexcept {
  if (transfer.exchange().sent() == Sent::no) return;
  long head = 0;
  curl_off_t down = 0;
  curl_off_t up = 0;
  curl_easy_getinfo(transfer.easy(), CURLINFO_HEADER_SIZE, &head);
  curl_easy_getinfo(transfer.easy(), CURLINFO_SIZE_DOWNLOAD_T, &down);
  curl_easy_getinfo(transfer.easy(), CURLINFO_SIZE_UPLOAD_T, &up);
  if (moved == Instant::max() || head + down + up != bytes) moved = now;
  bytes = head + down + up;
}

bool Lane::silent() const noexcept {
  return *ending == Ending::timed_out || *ending == Ending::stalled ||
         (*ending == Ending::done && transfer.code() == CURLE_OPERATION_TIMEDOUT);
}

class CurlMultiplexer final : public Multiplexer {
 public:
  explicit CurlMultiplexer(const TransportOptions& options) : options_(options) {}
  ~CurlMultiplexer() override;
  bool open();

  void start(Id id, const Attempt& attempt) override;
  void cancel(Id id) override;
  std::vector<Ended> wait(Duration at_most) override;
  void wake() noexcept override;

 private:
  using Lanes = std::unordered_map<Id, std::unique_ptr<Lane>>;

  std::unique_ptr<Lane> take_lane();
  std::optional<Error> begin(Id id, const Attempt& attempt);
  void carry();
  Instant finish_ended(Instant now);
  Ended outcome(Id id, Lane& lane);
  void restart(Lane& lane) noexcept;
  void bound_connections() noexcept;

  const TransportOptions options_;
  const pid_t process_ = ::getpid();
  Sockets sockets_;
  CURLM* multi_ = nullptr;
  Lanes running_;
  std::vector<std::unique_ptr<Lane>> spare_;
  std::vector<Ended> ended_;
  std::size_t idle_connections_ = 0;
  bool secure_ = false;
  std::atomic<bool> woken_ = false;
};

bool CurlMultiplexer::open() {
  const auto lock = hold_off_fork();
  multi_ = curl_multi_init();
  // Without descriptors libcurl makes a multi handle that cannot be woken.
  return multi_ != nullptr && curl_multi_wakeup(multi_) == CURLM_OK &&
         curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX)) == CURLM_OK;
}

CurlMultiplexer::~CurlMultiplexer() {
  if (process_ != ::getpid()) {
    for (auto& [id, lane] : running_) (void)lane.release();
    for (auto& lane : spare_) (void)lane.release();
    return;
  }
  const SigpipeGuard guard(secure_);
  for (const auto& [id, lane] : running_) curl_multi_remove_handle(multi_, lane->transfer.easy());
  curl_multi_cleanup(multi_);
}

std::unique_ptr<Lane> CurlMultiplexer::take_lane() {
  if (!spare_.empty()) {
    auto lane = std::move(spare_.back());
    spare_.pop_back();
    return lane;
  }
  auto lane = std::make_unique<Lane>(sockets_);
  return lane->open(options_) ? std::move(lane) : nullptr;
}

void CurlMultiplexer::start(Id id, const Attempt& attempt) {
  ended_.reserve(ended_.size() + 1);
  if (auto error = begin(id, attempt)) ended_.push_back({id, *std::move(error)});
}

std::optional<Error> CurlMultiplexer::begin(Id id, const Attempt& attempt) try {
  auto lane = take_lane();
  if (!lane) return exhaustion(attempt, Sent::no);
  lane->attempt.emplace(attempt);
  lane->deadline = after(steady_now(), attempt.timeout);
  lane->stall = stall_of(attempt);
  if (const auto code = lane->prepare(attempt.fresh_connection || sockets_.any_silent()); code != CURLE_OK)
    return refusal(lane->transfer, code, attempt);
  secure_ = secure_ || attempt.url.starts_with("https:");
  idle_connections_ = attempt.limits.idle_connections;
  const auto place = running_.emplace(id, std::move(lane)).first;
  if (curl_multi_add_handle(multi_, place->second->transfer.easy()) == CURLM_OK) return std::nullopt;
  running_.erase(place);
  return exhaustion(attempt, Sent::no);
} catch (const std::bad_alloc&) {
  return exhaustion(attempt, Sent::no);
}

void CurlMultiplexer::cancel(Id id) {
  const auto found = running_.find(id);
  if (found != running_.end() && !found->second->ending) found->second->ending = Ending::cancelled;
}

std::vector<Multiplexer::Ended> CurlMultiplexer::wait(Duration at_most) {
  const SigpipeGuard guard(secure_);
  const auto until = after(steady_now(), at_most);
  for (;;) {
    carry();
    const auto now = steady_now();
    const auto next = std::min(finish_ended(now), until);
    const bool woken = woken_.exchange(false);
    if (!ended_.empty() || woken || now >= until) return std::exchange(ended_, {});
    if (curl_multi_poll(multi_, nullptr, 0, poll_time(std::max(next - now, Duration::zero())), nullptr) != CURLM_OK)
      for (auto& [id, lane] : running_) lane->ending = Ending::broken;
  }
}

void CurlMultiplexer::wake() noexcept {
  woken_ = true;
  curl_multi_wakeup(multi_);
}

void CurlMultiplexer::carry() {
  bound_connections();
  int count = 0;
  if (curl_multi_perform(multi_, &count) != CURLM_OK)
    for (auto& [id, lane] : running_) lane->ending = Ending::broken;
  while (const auto* message = curl_multi_info_read(multi_, &count)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto code = message->data.result;
    Lane* lane = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lane);
    lane->transfer.ended(code);
    if (!lane->ending) lane->ending = Ending::done;
  }
}

// libcurl closes the oldest idle connection above this number. It must not count those in use and those shut.
void CurlMultiplexer::bound_connections() noexcept {
  if (running_.empty() || idle_connections_ == 0) return;
  const auto most = std::min<std::size_t>(running_.size() - 1 + sockets_.shut() + idle_connections_, 1'000'000);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(most));
}

// Finishes the attempts that are over. Returns the time at which libcurl must run again at the latest.
Instant CurlMultiplexer::finish_ended(Instant now) {
  auto next = Instant::max();
  for (auto at = running_.begin(); at != running_.end();) {
    auto& lane = *at->second;
    if (!lane.ending) lane.note_progress(now);
    if (!lane.ending && now >= lane.end()) lane.ending = lane.overdue();
    if (lane.ending == Ending::done && lane.unusable) restart(lane);
    if (!lane.ending) {
      next = std::min({next, lane.end(), lane.moved == Instant::max() ? after(now, connect_poll) : Instant::max()});
      ++at;
      continue;
    }
    ended_.reserve(ended_.size() + 1);
    ended_.push_back(outcome(at->first, lane));
    // An easy handle is reused only after a success.
    const auto most = lane.attempt->limits.idle_connections;
    lane.attempt.reset();
    if (ended_.back().result && spare_.size() < most) spare_.push_back(std::move(at->second));
    at = running_.erase(at);
  }
  sockets_.trim(idle_connections_);
  return next;
}

Multiplexer::Ended CurlMultiplexer::outcome(Id id, Lane& lane) try {
  curl_multi_remove_handle(multi_, lane.transfer.easy());
  sockets_.release(std::exchange(lane.socket, CURL_SOCKET_BAD), lane.silent());
  return {id, outcome_of(lane.transfer, *lane.ending, *lane.attempt)};
} catch (const std::bad_alloc&) {
  return {id, exhaustion(*lane.attempt, lane.transfer.exchange().sent())};
}

// The request was not sent, so it may start again, on a fresh connection.
void CurlMultiplexer::restart(Lane& lane) noexcept try {
  curl_multi_remove_handle(multi_, lane.transfer.easy());
  const bool started =
      lane.prepare(true) == CURLE_OK && curl_multi_add_handle(multi_, lane.transfer.easy()) == CURLM_OK;
  if (!started) lane.ending = Ending::broken;
} catch (const std::bad_alloc&) {
  lane.ending = Ending::broken;
}

}  // namespace

std::unique_ptr<Multiplexer> make_multiplexer(const TransportOptions& options) {
  auto multiplexer = std::make_unique<CurlMultiplexer>(options);
  if (!multiplexer->open()) return nullptr;
  return multiplexer;
}

}}}  // namespace noun::curl
