#include "curl/curl_multiplexer.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <unistd.h>

#include "curl/connect_ramp.hpp"
#include "curl/curl_errors.hpp"
#include "curl/curl_global.hpp"
#include "curl/curl_handle.hpp"
#include "curl/curl_sigpipe.hpp"
#include "curl/curl_sockets.hpp"
#include "curl/curl_tls.hpp"
#include "curl/curl_transfer.hpp"
#include "os/own_process.hpp"
#include "os/readiness.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

Instant steady_now() noexcept { return std::chrono::steady_clock::now(); }

struct Lane;

/// When to look at a lane at the latest.
struct Timer {
  Instant when;
  Multiplexer::Id id;
  Lane* lane;

  friend bool operator<(const Timer& left, const Timer& right) noexcept {
    return left.when != right.when ? left.when < right.when : left.id < right.id;
  }
};
using Timers = std::set<Timer>;
using LanePlaces = std::list<Lane*>;

/// What the lanes of one multiplexer share.
struct Tracks {
  Readiness readiness;
  Sockets sockets;
  /// The time of the current round of events.
  Instant now = steady_now();
  Timers timers;
  /// The lanes that libcurl has, whose requests are not being sent yet.
  LanePlaces connecting;
  ConnectRamp ramp;
  Persistences persistences;
};

/// One attempt in progress. Its nodes in lists and sets are made once, and used again for later attempts.
struct Lane {
  explicit Lane(Tracks& all) : tracks(all), place{this} {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    clear_timer();
    stop_connecting();
  }

  bool open(const TransportOptions& options, TrustStore& trust);
  /// @param fresh  whether to open a connection.
  CURLcode prepare(bool fresh);
  void set_timer(Instant when);
  void clear_timer() noexcept;
  void connects() noexcept { tracks.connecting.splice(tracks.connecting.end(), place); }
  bool is_connecting() const noexcept { return place.empty(); }
  void stop_connecting() noexcept {
    if (is_connecting()) place.splice(place.end(), tracks.connecting, in_place);
  }
  Instant end() const noexcept { return std::min(deadline, after(moved, stall)); }
  /// Whether libcurl does not report how the body is being sent, so that its count is compared several times.
  bool is_counted() const noexcept { return attempt->has_body && attempt->source == nullptr; }
  Instant next_look() const noexcept;
  std::optional<Ending> overdue() noexcept;
  bool silent() const noexcept;

  Tracks& tracks;
  Transfer transfer;
  std::optional<Attempt> attempt;
  Multiplexer::Id id = 0;
  bool keep = true;
  ConnectRamp::Origin* origin = nullptr;
  Persistence* persistence = nullptr;
  bool waits = false;
  /// Whether it opened a connection.
  bool opened = false;
  Instant deadline = {};
  Duration stall = {};
  Instant sent = Instant::max();
  /// When the last byte went in either direction. Until the request is being sent, libcurl's connect timeout applies.
  Instant moved = Instant::max();
  curl_off_t uploaded = 0;
  SocketUse socket;
  /// The sockets that libcurl waits for while it connects.
  int watched = 0;
  /// Whether the connection that libcurl chose was found bad before anything was sent on it.
  bool unusable = false;
  bool head_seen = false;
  std::optional<Ending> ending;

  LanePlaces place;
  LanePlaces::iterator in_place = place.begin();
  Timers::node_type spare_timer;
  std::optional<Timers::iterator> timer;
};

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

// Forbids reuse of a connection in doubt. On HTTP/2, libcurl checks the framing itself.
void look_at(Lane& lane) noexcept {
  lane.moved = lane.tracks.now;
  auto& exchange = lane.transfer.exchange();
  if (!exchange.head_complete()) return;
  if (!std::exchange(lane.head_seen, true))
    lane.tracks.sockets.responded(lane.socket, exchange.http2(), exchange.reusable_for(), lane.tracks.now);
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
  if (exchange.sent() == Sent::no && !sockets.good(socket, one.tracks.now)) {
    one.unusable = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (!exchange.start_sending()) return CURL_PREREQFUNC_ABORT;
  if (one.is_connecting()) {
    using Connection = ConnectRamp::Connection;
    const auto connection = !one.opened                             ? Connection::kept
                            : agreed_on_http2(one.transfer.easy()) ? Connection::opened_to_share
                                                                    : Connection::opened;
    one.tracks.ramp.connected(*one.origin, connection, one.tracks.now);
  }
  one.stop_connecting();
  one.sent = one.moved = one.tracks.now;
  one.socket = sockets.take(socket, *one.persistence, one.tracks.now);
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
  ::close(socket);
  return CURL_SOCKET_BAD;
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

CURLcode Lane::prepare(bool fresh) {
  sent = moved = Instant::max();
  uploaded = 0;
  socket = {};
  watched = 0;
  unusable = opened = head_seen = false;
  ending.reset();
  const bool lasts = persistence->is_expected(tracks.now);
  const bool kept = keep && lasts && attempt->limits.idle_connections > 0;
  curl_easy_setopt(transfer.easy(), CURLOPT_FRESH_CONNECT, fresh || !lasts ? 1L : 0L);
  curl_easy_setopt(transfer.easy(), CURLOPT_FORBID_REUSE, kept ? 0L : 1L);
  return transfer.prepare(*attempt);
}

/// How many handles and sockets are destroyed between two rounds of events.
constexpr std::size_t at_once = 32;

/// Makes a transfer that is refused a socket: libcurl closes dead connections only when it looks for one.
CURL* make_sweep() noexcept {
  const auto lock = hold_off_fork();
  const auto no_socket = [](void*, curlsocktype, curl_sockaddr*) noexcept { return curl_socket_t{CURL_SOCKET_BAD}; };
  auto* const easy = curl_easy_init();
  if (easy == nullptr) return nullptr;
  curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1:1/");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, +no_socket);
  return easy;
}

class CurlMultiplexer final : public Multiplexer {
 public:
  CurlMultiplexer(const TransportOptions& options, std::shared_ptr<TrustStore> trust)
      : options_(options), trust_(std::move(trust)) {}
  ~CurlMultiplexer() override;
  bool open();

  void start(Id id, const Attempt& attempt) override;
  void cancel(Id id) override;
  std::vector<Ended> wait(Duration at_most) override;
  void wake() noexcept override { tracks_.readiness.wake(); }

 private:
  using Lanes = std::unordered_map<Id, std::unique_ptr<Lane>>;

  static int on_interest(CURL* easy, curl_socket_t socket, int what, void* self, void*) noexcept;
  static int on_timer(CURLM*, long milliseconds, void* self) noexcept;
  static int on_close(void* self, curl_socket_t socket) noexcept;

  std::unique_ptr<Lane> take_lane();
  std::optional<Error> begin(Id id, const Attempt& attempt);
  bool add(Lane& lane) noexcept;
  void add_waiting();
  void end(Lane& lane, Ending ending);
  void end_all(Ending ending);
  void take_events(std::span<const Readiness::Ready> ready);
  void run_due();
  void act(curl_socket_t socket, int events);
  void take_messages();
  void nudge_connecting() noexcept;
  void finish_over();
  Ended outcome(Lane& lane);
  void leave(Lane& lane) noexcept;
  bool hurries() const noexcept;
  void leave_cut_short() noexcept;
  void clear_away(std::size_t most) noexcept;
  void restart(Lane& lane) noexcept;
  void tidy();
  void close_shut();
  Instant tidy_at() const noexcept;
  Instant next_event() const noexcept;

  const TransportOptions options_;
  const std::shared_ptr<TrustStore> trust_;
  const OwnProcess process_;
  Tracks tracks_;
  CURLM* multi_ = nullptr;
  /// When libcurl wants to run.
  Instant due_ = Instant::max();
  Instant nudged_ = Instant::min();
  Lanes running_;
  std::vector<std::unique_ptr<Lane>> spare_;
  /// The lanes whose ending is known.
  std::vector<Lane*> over_;
  /// Thousands of attempts may be cut short at once. What takes longer than their outcomes follows later: libcurl has
  /// `cut_short_` until it runs next; `spent_` and `closing_` are destroyed a few at a time.
  std::vector<std::unique_ptr<Lane>> cut_short_;
  Instant cut_since_ = {};
  std::vector<std::unique_ptr<Lane>> spent_;
  std::vector<curl_socket_t> closing_;
  std::vector<Ended> ended_;
  std::size_t idle_connections_ = 0;
  Duration idle_time_ = {};
  /// The most attempts at once since the last tidying, and in the period before it.
  std::size_t peak_ = 0;
  std::size_t last_peak_ = 0;
  Instant tidied_ = Instant::min();
  bool secure_ = false;
};

bool CurlMultiplexer::open() {
  const auto lock = hold_off_fork();
  multi_ = curl_multi_init();
  const auto set = [this](CURLMoption option, auto value) {
    return curl_multi_setopt(multi_, option, value) == CURLM_OK;
  };
  // The number of connections is bounded here: libcurl would close idle ones while as many are about to be needed.
  return multi_ != nullptr && tracks_.readiness.open() &&
         set(CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX)) && set(CURLMOPT_MAXCONNECTS, 1'000'000L) &&
         set(CURLMOPT_SOCKETFUNCTION, &on_interest) &&
         set(CURLMOPT_SOCKETDATA, this) && set(CURLMOPT_TIMERFUNCTION, &on_timer) && set(CURLMOPT_TIMERDATA, this);
}

CurlMultiplexer::~CurlMultiplexer() {
  if (!process_.is_current()) {
    for (auto& [id, lane] : running_) (void)lane.release();
    for (auto* lanes : {&spare_, &cut_short_, &spent_})
      for (auto& lane : *lanes) (void)lane.release();
    return;
  }
  const SigpipeGuard guard(secure_);
  leave_cut_short();
  for (const auto& [id, lane] : running_)
    if (!lane->waits) curl_multi_remove_handle(multi_, lane->transfer.easy());
  curl_multi_cleanup(multi_);
  for (const auto socket : closing_) ::close(socket);
}

int CurlMultiplexer::on_interest(CURL* easy, curl_socket_t socket, int what, void* self, void*) noexcept {
  auto& own = *static_cast<CurlMultiplexer*>(self);
  Lane* lane = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &lane);
  const bool was_watched = own.tracks_.readiness.is_watched(socket);
  if (what == CURL_POLL_REMOVE) {
    if (lane != nullptr && was_watched) --lane->watched;
    // The end of an idle connection is an event, too.
    if (own.tracks_.sockets.was_used(socket))
      own.tracks_.readiness.rest(socket);
    else
      own.tracks_.readiness.forget(socket);
    return 0;
  }
  if (lane != nullptr && !was_watched) ++lane->watched;
  std::uint32_t events = 0;
  if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
  return own.tracks_.readiness.watch(socket, events) ? 0 : -1;
}

int CurlMultiplexer::on_timer(CURLM*, long milliseconds, void* self) noexcept {
  auto& own = *static_cast<CurlMultiplexer*>(self);
  const auto now = milliseconds == 0 ? own.tracks_.now : steady_now();
  own.due_ = milliseconds < 0 ? Instant::max() : after(now, std::chrono::milliseconds(milliseconds));
  return 0;
}

// A connection outlives its transfer, so the close callback gets the multiplexer rather than the transfer.
int CurlMultiplexer::on_close(void* self, curl_socket_t socket) noexcept {
  auto& own = *static_cast<CurlMultiplexer*>(self);
  own.tracks_.readiness.forget(socket);
  own.tracks_.sockets.closed(socket, own.tracks_.now);
  if (own.closing_.size() == own.closing_.capacity()) return ::close(socket);
  own.closing_.push_back(socket);
  return 0;
}

std::unique_ptr<Lane> CurlMultiplexer::take_lane() {
  if (!spare_.empty()) {
    auto lane = std::move(spare_.back());
    spare_.pop_back();
    return lane;
  }
  auto lane = std::make_unique<Lane>(tracks_);
  const bool made = lane->open(options_, *trust_) &&
                    curl_easy_setopt(lane->transfer.easy(), CURLOPT_CLOSESOCKETFUNCTION, &on_close) == CURLE_OK &&
                    curl_easy_setopt(lane->transfer.easy(), CURLOPT_CLOSESOCKETDATA, this) == CURLE_OK;
  return made ? std::move(lane) : nullptr;
}

void CurlMultiplexer::start(Id id, const Attempt& attempt) {
  ended_.reserve(ended_.size() + 1);
  if (auto error = begin(id, attempt)) ended_.push_back({id, *std::move(error)});
}

std::optional<Error> CurlMultiplexer::begin(Id id, const Attempt& attempt) try {
  if (!cut_short_.empty()) {
    const SigpipeGuard guard(secure_);
    leave_cut_short();
  }
  // So that no more is left to destroy than was once in use.
  clear_away(1);
  auto lane = take_lane();
  if (!lane) return exhaustion(attempt, Sent::no);
  tracks_.now = steady_now();
  lane->id = id;
  lane->attempt.emplace(attempt);
  lane->deadline = after(tracks_.now, attempt.timeout);
  lane->stall = stall_of(attempt);
  const auto name = origin_of(attempt.url);
  lane->origin = &tracks_.ramp.origin(name);
  lane->persistence = &tracks_.persistences[name];
  if (const auto code = lane->prepare(attempt.fresh_connection); code != CURLE_OK)
    return refusal(lane->transfer, code, attempt);
  secure_ = secure_ || attempt.url.starts_with("https:");
  idle_connections_ = attempt.limits.idle_connections;
  idle_time_ = attempt.limits.idle_time;
  over_.reserve(running_.size() + 1);
  lane->set_timer(lane->next_look());
  auto& added = *running_.emplace(id, std::move(lane)).first->second;
  peak_ = std::max(peak_, running_.size());
  added.waits = !tracks_.ramp.start(*added.origin, id, tracks_.now);
  if (added.waits || add(added)) return std::nullopt;
  running_.erase(id);
  return exhaustion(attempt, Sent::no);
} catch (const std::bad_alloc&) {
  running_.erase(id);
  return exhaustion(attempt, Sent::no);
}

bool CurlMultiplexer::add(Lane& lane) noexcept {
  if (tracks_.sockets.any_silent()) curl_easy_setopt(lane.transfer.easy(), CURLOPT_FRESH_CONNECT, 1L);
  const bool added = curl_multi_add_handle(multi_, lane.transfer.easy()) == CURLM_OK;
  if (added)
    lane.connects();
  else
    tracks_.ramp.failed(*lane.origin);
  return added;
}

void CurlMultiplexer::add_waiting() {
  while (const auto id = tracks_.ramp.next(tracks_.now)) {
    const auto found = running_.find(*id);
    if (found == running_.end() || !found->second->waits || found->second->ending) continue;
    found->second->waits = false;
    tracks_.ramp.started(*found->second->origin);
    if (!add(*found->second)) end(*found->second, Ending::broken);
  }
}

void CurlMultiplexer::cancel(Id id) {
  if (const auto found = running_.find(id); found != running_.end()) end(*found->second, Ending::cancelled);
}

void CurlMultiplexer::end(Lane& lane, Ending ending) {
  if (lane.ending) return;
  lane.ending = ending;
  over_.push_back(&lane);  // begin() has reserved
}

void CurlMultiplexer::end_all(Ending ending) {
  for (auto& [id, lane] : running_) end(*lane, ending);
}

std::vector<Multiplexer::Ended> CurlMultiplexer::wait(Duration at_most) {
  const SigpipeGuard guard(secure_);
  tracks_.now = steady_now();
  const auto until = after(tracks_.now, at_most);
  finish_over();
  if (!ended_.empty() || (hurries() && tracks_.readiness.take_wake())) return std::exchange(ended_, {});
  leave_cut_short();
  run_due();
  for (bool polled = false;; polled = true) {
    finish_over();
    const bool woken = tracks_.readiness.take_wake();
    if (!ended_.empty() || woken || (polled && tracks_.now >= until)) return std::exchange(ended_, {});
    const auto ready = tracks_.readiness.wait(std::min(next_event(), until) - tracks_.now);
    tracks_.now = steady_now();
    take_events(ready);
    run_due();
    clear_away(at_once);
  }
}

/// Whether what takes long is put off: of thousands of attempts that are being cut short, one was a moment ago.
bool CurlMultiplexer::hurries() const noexcept {
  constexpr auto moment = std::chrono::milliseconds(20);
  return !cut_short_.empty() && tracks_.now < after(cut_since_, moment);
}

void CurlMultiplexer::take_events(std::span<const Readiness::Ready> ready) {
  for (const auto [socket, events] : ready) {
    const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    if (tracks_.readiness.is_watched(socket)) {
      const int in = broken || (events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0;
      const int out = broken || (events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0;
      act(socket, in | out);
    } else {
      if (tracks_.sockets.keep_idle(socket, broken || (events & EPOLLRDHUP) != 0, tracks_.now))
        tracks_.readiness.await_end(socket);
      else
        tracks_.readiness.forget(socket);
    }
  }
}

/// What is due by time: of libcurl, of the lanes and of the sockets.
void CurlMultiplexer::run_due() {
  add_waiting();
  if (due_ <= tracks_.now) {
    due_ = Instant::max();
    act(CURL_SOCKET_TIMEOUT, 0);
    add_waiting();
  }
  if (!tracks_.connecting.empty() && after(nudged_, connect_poll) <= tracks_.now) nudge_connecting();
  while (!tracks_.timers.empty() && tracks_.timers.begin()->when <= tracks_.now) {
    auto& lane = *tracks_.timers.begin()->lane;
    if (const auto ending = lane.ending ? lane.ending : lane.overdue()) {
      lane.clear_timer();
      end(lane, *ending);
    } else {
      lane.set_timer(lane.next_look());
    }
  }
  if (tidy_at() <= tracks_.now) tidy();
}

void CurlMultiplexer::act(curl_socket_t socket, int events) {
  int count = 0;
  if (curl_multi_socket_action(multi_, socket, events, &count) != CURLM_OK) end_all(Ending::broken);
  take_messages();
}

void CurlMultiplexer::take_messages() {
  int count = 0;
  while (const auto* message = curl_multi_info_read(multi_, &count)) {
    if (message->msg != CURLMSG_DONE) continue;
    Lane* lane = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lane);
    if (lane == nullptr) continue;
    lane->transfer.ended(message->data.result);
    end(*lane, Ending::done);
  }
}

/// Runs the lanes that connect but wait for no socket: libcurl 7.88 gives up an address in one run, and tries the next
/// one in another, without a timer between them.
void CurlMultiplexer::nudge_connecting() noexcept {
  nudged_ = tracks_.now;
  for (auto* lane : tracks_.connecting) {
    if (lane->watched > 0 || lane->ending) continue;
    curl_easy_pause(lane->transfer.easy(), CURLPAUSE_SEND);
    curl_easy_pause(lane->transfer.easy(), CURLPAUSE_CONT);
  }
}

void CurlMultiplexer::finish_over() {
  if (over_.empty()) return;
  ended_.reserve(ended_.size() + over_.size());
  spare_.reserve(spare_.size() + over_.size());
  cut_short_.reserve(cut_short_.size() + over_.size());
  if (cut_short_.empty()) cut_since_ = tracks_.now;
  // Also if an outcome throws.
  struct Finished {
    ~Finished() { all.erase(all.begin(), all.begin() + count); }
    std::vector<Lane*>& all;
    std::ptrdiff_t count = 0;
  } finished{over_};
  while (static_cast<std::size_t>(finished.count) < over_.size()) {
    auto& lane = *over_[static_cast<std::size_t>(finished.count++)];
    if (lane.ending == Ending::done && lane.unusable) restart(lane);
    if (!lane.ending) continue;
    auto node = running_.extract(lane.id);
    const bool done = lane.ending == Ending::done;
    if (done)
      leave(lane);
    else
      cut_short_.push_back(std::move(node.mapped()));
    lane.clear_timer();
    ended_.push_back(outcome(lane));
    lane.transfer.exchange().close_source();
    lane.attempt.reset();
    // An easy handle is reused only after a success.
    if (done && ended_.back().result && spare_.size() < std::max({peak_, last_peak_, idle_connections_}))
      spare_.push_back(std::move(node.mapped()));
  }
}

Multiplexer::Ended CurlMultiplexer::outcome(Lane& lane) try {
  return {lane.id, outcome_of(lane.transfer, *lane.ending, *lane.attempt)};
} catch (const std::bad_alloc&) {
  return {lane.id, exhaustion(*lane.attempt, lane.transfer.exchange().sent())};
}

/// Takes the lane from libcurl.
void CurlMultiplexer::leave(Lane& lane) noexcept {
  if (!lane.waits) curl_multi_remove_handle(multi_, lane.transfer.easy());
  lane.waits = false;
  if (lane.is_connecting()) tracks_.ramp.failed(*lane.origin);
  lane.stop_connecting();
  const auto socket = std::exchange(lane.socket, {});
  if (lane.ending == Ending::done && lane.transfer.code() != CURLE_OK && !lane.head_seen && socket.idle_after_first)
    lane.persistence->ended(*socket.idle_after_first, tracks_.now);
  if (lane.silent())
    tracks_.sockets.release_silent(socket, lane.sent, tracks_.now);
  else
    tracks_.sockets.release(socket, tracks_.now);
}

/// Before libcurl runs: what the attempts were made of may be gone.
void CurlMultiplexer::leave_cut_short() noexcept {
  if (cut_short_.empty()) return;
  // libcurl looks for each connection in a list that begins with the oldest.
  std::sort(cut_short_.begin(), cut_short_.end(),
            [](const auto& left, const auto& right) { return left->socket.number < right->socket.number; });
  try {
    closing_.reserve(closing_.size() + cut_short_.size());
    spent_.reserve(spent_.size() + cut_short_.size());
  } catch (const std::bad_alloc&) {
  }
  for (auto& lane : cut_short_) {
    leave(*lane);
    if (spent_.size() < spent_.capacity()) spent_.push_back(std::move(lane));
  }
  cut_short_.clear();
}

void CurlMultiplexer::clear_away(std::size_t most) noexcept {
  spent_.resize(spent_.size() - std::min(spent_.size(), most));
  for (auto left = std::min(closing_.size(), most); left > 0; --left) {
    ::close(closing_.back());
    closing_.pop_back();
  }
  if (spent_.empty()) std::vector<std::unique_ptr<Lane>>().swap(spent_);
  if (closing_.empty()) std::vector<curl_socket_t>().swap(closing_);
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

/// Closes what is kept beyond the limits. As many connections stay as were in use at once a moment ago.
void CurlMultiplexer::tidy() {
  tidied_ = tracks_.now;
  last_peak_ = std::exchange(peak_, running_.size());
  auto& sockets = tracks_.sockets;
  const auto last_in_use = sockets.take_most_in_use();
  // An attempt that has no connection yet may take an idle one.
  const auto unsent = static_cast<std::size_t>(std::count_if(
      running_.begin(), running_.end(), [](const auto& entry) { return entry.second->sent == Instant::max(); }));
  sockets.trim(std::max(last_in_use - sockets.in_use(), idle_connections_ + unsent), tracks_.now - idle_time_);
  const auto most = std::max(last_peak_, running_.size() + idle_connections_);
  if (spare_.size() > most) spare_.resize(most);
  if (sockets.shut() > 0) close_shut();
}

void CurlMultiplexer::close_shut() {
  auto* const sweep = make_sweep();
  if (sweep == nullptr) return;
  if (curl_multi_add_handle(multi_, sweep) == CURLM_OK) {
    act(CURL_SOCKET_TIMEOUT, 0);
    curl_multi_remove_handle(multi_, sweep);
  }
  curl_easy_cleanup(sweep);
}

Instant CurlMultiplexer::tidy_at() const noexcept {
  const auto& sockets = tracks_.sockets;
  constexpr auto period = std::chrono::seconds(1);
  if (sockets.shut() > 0 || sockets.idle() > idle_connections_ || spare_.size() > idle_connections_)
    return after(tidied_, period);
  return std::max(after(tidied_, period), after(sockets.idle_since(), idle_time_));
}

Instant CurlMultiplexer::next_event() const noexcept {
  if (!spent_.empty() || !closing_.empty()) return tracks_.now;
  auto next = std::min({due_, tidy_at(), tracks_.ramp.next_at()});
  if (!tracks_.timers.empty()) next = std::min(next, tracks_.timers.begin()->when);
  if (!tracks_.connecting.empty()) next = std::min(next, after(nudged_, connect_poll));
  return next;
}

}  // namespace

std::unique_ptr<Multiplexer> make_multiplexer(const TransportOptions& options, std::shared_ptr<TrustStore> trust) {
  auto multiplexer = std::make_unique<CurlMultiplexer>(options, std::move(trust));
  if (!multiplexer->open()) return nullptr;
  return multiplexer;
}

}}}  // namespace noun::curl
