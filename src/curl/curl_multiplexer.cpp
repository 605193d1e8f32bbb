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
#include <system_error>
#include <unordered_map>
#include <utility>

#include "curl/curl_errors.hpp"
#include "curl/curl_global.hpp"
#include "curl/curl_handle.hpp"
#include "curl/curl_lane.hpp"
#include "curl/curl_shards.hpp"
#include "os/abandon.hpp"
#include "os/own_process.hpp"
#include "os/sigpipe.hpp"
#include "os/sockets.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

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

/// What takes long to destroy: a few at a time.
class Discarded {
 public:
  Discarded() = default;
  Discarded(const Discarded&) = delete;
  Discarded& operator=(const Discarded&) = delete;
  ~Discarded() {
    for (const auto socket : sockets_) close_socket(descriptor_of(socket));
  }

  /// Makes room; what there is no room for is destroyed at once.
  void reserve(std::size_t count) noexcept try {
    sockets_.reserve(sockets_.size() + count);
    lanes_.reserve(lanes_.size() + count);
  } catch (const std::bad_alloc&) {
  }
  void take(std::unique_ptr<Lane> lane) noexcept {
    if (lanes_.size() < lanes_.capacity()) lanes_.push_back(std::move(lane));
  }
  int take(curl_socket_t socket) noexcept {
    if (sockets_.size() == sockets_.capacity())
      close_socket(descriptor_of(socket));
    else
      sockets_.push_back(socket);
    return 0;
  }
  void destroy(std::size_t most) noexcept;
  bool empty() const noexcept { return lanes_.empty() && sockets_.empty(); }
  /// In a child of fork(): the lanes are the parent's.
  void abandon() noexcept {
    for (auto& lane : lanes_) noun::abandon(std::move(lane));
    sockets_.clear();
  }

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<curl_socket_t> sockets_;
};

void Discarded::destroy(std::size_t most) noexcept {
  lanes_.resize(lanes_.size() - std::min(lanes_.size(), most));
  for (auto left = std::min(sockets_.size(), most); left > 0; --left) {
    close_socket(descriptor_of(sockets_.back()));
    sockets_.pop_back();
  }
  if (lanes_.empty()) std::vector<std::unique_ptr<Lane>>().swap(lanes_);
  if (sockets_.empty()) std::vector<curl_socket_t>().swap(sockets_);
}

/// Lanes for later attempts: as many as ran at once a moment ago.
class SpareLanes {
 public:
  /// A lane, or null.
  std::unique_ptr<Lane> take() noexcept {
    if (lanes_.empty()) return nullptr;
    auto lane = std::move(lanes_.back());
    lanes_.pop_back();
    return lane;
  }
  void reserve(std::size_t count) { lanes_.reserve(lanes_.size() + count); }
  /// Keeps the lane, for which reserve() was called, if there are not enough yet.
  void keep(std::unique_ptr<Lane> lane, std::size_t least) noexcept {
    if (lanes_.size() < std::max({peak_, last_peak_, least})) lanes_.push_back(std::move(lane));
  }
  void note(std::size_t running) noexcept { peak_ = std::max(peak_, running); }
  /// Starts the next period.
  void trim(std::size_t running, std::size_t least) noexcept {
    last_peak_ = std::exchange(peak_, running);
    if (const auto most = std::max(last_peak_, running + least); lanes_.size() > most) lanes_.resize(most);
  }
  std::size_t size() const noexcept { return lanes_.size(); }
  void abandon() noexcept {
    for (auto& lane : lanes_) noun::abandon(std::move(lane));
  }

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  /// The most attempts at once in this period, and in the one before.
  std::size_t peak_ = 0;
  std::size_t last_peak_ = 0;
};

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

  static int on_close(void* self, curl_socket_t socket) noexcept;

  std::unique_ptr<Lane> take_lane();
  std::optional<Error> begin(Id id, const Attempt& attempt);
  bool add(Lane& lane) noexcept;
  void add_waiting();
  void end(Lane& lane, Ending ending);
  void take_events(std::span<const Readiness::Ready> ready);
  void run_due();
  void act(Shards::Number shard, curl_socket_t socket, int events);
  void finish_act(Shards::Number shard, bool succeeded);
  void nudge_connecting() noexcept;
  void finish_over();
  Ended outcome(Lane& lane);
  void leave(Lane& lane) noexcept;
  bool hurries() const noexcept;
  void leave_cut_short() noexcept;
  void restart(Lane& lane) noexcept;
  void tidy();
  void close_shut();
  Instant tidy_at() const noexcept;
  Instant next_event() const noexcept;

  const TransportOptions options_;
  const std::shared_ptr<TrustStore> trust_;
  const OwnProcess process_;
  Tracks tracks_;
  Shards shards_{tracks_};
  Instant nudged_ = Instant::min();
  Lanes running_;
  SpareLanes spare_;
  /// The lanes whose ending is known.
  std::vector<Lane*> over_;
  /// Thousands of attempts may be cut short at once. What takes longer than their outcomes follows later: libcurl has
  /// `cut_short_` until it runs next.
  std::vector<std::unique_ptr<Lane>> cut_short_;
  Instant cut_since_ = {};
  Discarded discarded_;
  std::vector<Ended> ended_;
  std::size_t idle_connections_ = 0;
  Duration idle_time_ = {};
  Instant tidied_ = Instant::min();
  bool secure_ = false;
};

bool CurlMultiplexer::open() { return tracks_.readiness.open() && shards_.open(); }

CurlMultiplexer::~CurlMultiplexer() {
  if (!process_.is_current()) {
    for (auto& [id, lane] : running_) abandon(std::move(lane));
    for (auto& lane : cut_short_) abandon(std::move(lane));
    spare_.abandon();
    discarded_.abandon();
    shards_.abandon();
    return;
  }
  const SigpipeGuard guard(secure_);
  leave_cut_short();
  for (const auto& [id, lane] : running_) Shards::remove(*lane);
  shards_.close();
}

// A connection outlives its transfer, so the close callback gets the multiplexer rather than the transfer.
int CurlMultiplexer::on_close(void* self, curl_socket_t socket) noexcept {
  auto& own = *static_cast<CurlMultiplexer*>(self);
  own.tracks_.readiness.forget(descriptor_of(socket));
  own.tracks_.sockets.closed(socket, own.tracks_.now);
  return own.discarded_.take(socket);
}

std::unique_ptr<Lane> CurlMultiplexer::take_lane() {
  if (auto lane = spare_.take()) return lane;
  auto lane = std::make_unique<Lane>(tracks_);
  const bool made = lane->open(options_, *trust_) && shards_.join(*lane) &&
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
  discarded_.destroy(1);
  auto lane = take_lane();
  if (!lane) return exhaustion(attempt, Sent::no);
  tracks_.now = steady_now();
  lane->id = id;
  lane->attempt.emplace(attempt);
  lane->deadline = after(tracks_.now, attempt.timeout);
  lane->stall = stall_of(attempt);
  lane->origin = &tracks_.ramp.origin(wire::written_origin(attempt.url));
  if (const auto code = lane->prepare(attempt.fresh_connection); code != CURLE_OK)
    return refusal(lane->transfer, code, attempt);
  secure_ = secure_ || wire::is_of_scheme(attempt.url, "https");
  idle_connections_ = attempt.limits.idle_connections;
  idle_time_ = attempt.limits.idle_time;
  over_.reserve(running_.size() + 1);
  lane->set_timer(lane->next_look());
  auto& added = *running_.emplace(id, std::move(lane)).first->second;
  spare_.note(running_.size());
  added.waits = !tracks_.ramp.start(*added.origin, id, tracks_.now);
  if (added.waits || add(added)) return std::nullopt;
  running_.erase(id);
  return exhaustion(attempt, Sent::no);
} catch (const std::bad_alloc&) {
  running_.erase(id);
  return exhaustion(attempt, Sent::no);
}

bool CurlMultiplexer::add(Lane& lane) noexcept {
  if (lane.origin->spread.any_silent()) {
    lane.fresh = true;
    curl_easy_setopt(lane.transfer.easy(), CURLOPT_FRESH_CONNECT, 1L);
  }
  const bool added = shards_.add(lane);
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
    discarded_.destroy(at_once);
  }
}

/// Whether what takes long is put off: of thousands of attempts that are being cut short, one was a moment ago.
bool CurlMultiplexer::hurries() const noexcept {
  constexpr auto moment = std::chrono::milliseconds(20);
  return !cut_short_.empty() && tracks_.now < after(cut_since_, moment);
}

void CurlMultiplexer::take_events(std::span<const Readiness::Ready> ready) {
  for (const auto [socket, events] : ready) {
    const bool broken = (events & socket_events::broken) != 0;
    if (tracks_.readiness.is_watched(socket)) {
      const int in = broken || (events & socket_events::readable) != 0 ? CURL_CSELECT_IN : 0;
      const int out = broken || (events & socket_events::writable) != 0 ? CURL_CSELECT_OUT : 0;
      act(shards_.of(socket), static_cast<curl_socket_t>(socket), in | out);
    } else {
      if (tracks_.sockets.keep_idle(socket, broken || (events & socket_events::ended) != 0, tracks_.now))
        tracks_.readiness.await_end(socket);
      else
        tracks_.readiness.forget(socket);
    }
  }
}

/// What is due by time: of libcurl, of the lanes and of the sockets.
void CurlMultiplexer::run_due() {
  add_waiting();
  bool acted = false;
  for (Shards::Number shard = 0; shard < shards_.size(); ++shard) {
    if (!shards_.take_due(shard)) continue;
    act(shard, CURL_SOCKET_TIMEOUT, 0);
    acted = true;
  }
  if (acted) add_waiting();
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

void CurlMultiplexer::act(Shards::Number shard, curl_socket_t socket, int events) {
  finish_act(shard, shards_.act(shard, socket, events));
}

/// Ends the attempts whose transfers libcurl has ended, or all of a handle that failed.
void CurlMultiplexer::finish_act(Shards::Number shard, bool succeeded) {
  if (!succeeded)
    for (auto& [id, lane] : running_)
      if (shards_.has(shard, *lane)) end(*lane, Ending::broken);
  while (auto* const lane = shards_.take_ended(shard)) end(*lane, Ending::done);
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
  spare_.reserve(over_.size());
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
    if (done) {
      lane.transfer.exchange().look_at_connection(tracks_.sockets.has(lane.socket));
      leave(lane);
    } else {
      cut_short_.push_back(std::move(node.mapped()));
    }
    lane.clear_timer();
    ended_.push_back(outcome(lane));
    lane.transfer.exchange().close_source();
    lane.attempt.reset();
    // An easy handle is reused only after a success.
    if (done && ended_.back().result) spare_.keep(std::move(node.mapped()), idle_connections_);
  }
}

Multiplexer::Ended CurlMultiplexer::outcome(Lane& lane) try {
  return {lane.id, outcome_of(lane.transfer, *lane.ending, *lane.attempt)};
} catch (const std::bad_alloc&) {
  return {lane.id, exhaustion(*lane.attempt, lane.transfer.exchange().sent())};
}

/// Takes the lane from libcurl.
void CurlMultiplexer::leave(Lane& lane) noexcept {
  Shards::remove(lane);
  lane.waits = false;
  if (lane.is_connecting()) tracks_.ramp.failed(*lane.origin);
  lane.stop_connecting();
  const auto socket = std::exchange(lane.socket, {});
  if (lane.ending == Ending::done && lane.transfer.code() != CURLE_OK && !lane.head_seen && socket.idle_after_first)
    lane.origin->persistence.ended(*socket.idle_after_first, tracks_.now);
  if (lane.silent())
    tracks_.sockets.release_silent(socket, lane.sent, tracks_.now);
  else
    tracks_.sockets.release(socket, tracks_.now, lane.transfer.exchange().keeps_connection());
}

/// Before libcurl runs: what the attempts were made of may be gone.
void CurlMultiplexer::leave_cut_short() noexcept {
  if (cut_short_.empty()) return;
  // libcurl looks for each connection in a list that begins with the oldest.
  std::sort(cut_short_.begin(), cut_short_.end(),
            [](const auto& left, const auto& right) { return left->socket.number < right->socket.number; });
  discarded_.reserve(cut_short_.size());
  for (auto& lane : cut_short_) {
    leave(*lane);
    discarded_.take(std::move(lane));
  }
  cut_short_.clear();
}

// The request was not sent, so it may start again, on a fresh connection.
void CurlMultiplexer::restart(Lane& lane) noexcept try {
  Shards::remove(lane);
  if (lane.prepare(true) != CURLE_OK || !shards_.add(lane)) lane.ending = Ending::broken;
} catch (const std::bad_alloc&) {
  lane.ending = Ending::broken;
}

/// Closes what is kept beyond the limits. As many connections stay as were in use at once a moment ago.
void CurlMultiplexer::tidy() {
  tidied_ = tracks_.now;
  spare_.trim(running_.size(), idle_connections_);
  auto& sockets = tracks_.sockets;
  const auto last_in_use = sockets.take_most_in_use();
  // An attempt that has no connection yet may take an idle one.
  const auto unsent = static_cast<std::size_t>(std::count_if(
      running_.begin(), running_.end(), [](const auto& entry) { return entry.second->sent == Instant::max(); }));
  sockets.trim(std::max(last_in_use - sockets.in_use(), idle_connections_ + unsent), tracks_.now - idle_time_);
  if (sockets.shut() > 0) close_shut();
  shards_.shrink();
  tracks_.ramp.forget_unused(tracks_.now);
}

void CurlMultiplexer::close_shut() {
  auto* const sweep = make_sweep();
  if (sweep == nullptr) return;
  for (Shards::Number shard = 0; shard < shards_.size(); ++shard) finish_act(shard, shards_.sweep(shard, sweep));
  curl_easy_cleanup(sweep);
}

Instant CurlMultiplexer::tidy_at() const noexcept {
  const auto& sockets = tracks_.sockets;
  constexpr auto period = std::chrono::seconds(1);
  if (sockets.shut() > 0 || sockets.idle() > idle_connections_ || spare_.size() > idle_connections_ ||
      shards_.has_surplus())
    return after(tidied_, period);
  const auto forgets = tracks_.ramp.is_empty() ? Instant::max() : after(tidied_, std::chrono::minutes(1));
  return std::max(after(tidied_, period), std::min(after(sockets.idle_since(), idle_time_), forgets));
}

Instant CurlMultiplexer::next_event() const noexcept {
  if (!discarded_.empty()) return tracks_.now;
  auto next = std::min({shards_.due(), tidy_at(), tracks_.ramp.next_at()});
  if (!tracks_.timers.empty()) next = std::min(next, tracks_.timers.begin()->when);
  if (!tracks_.connecting.empty()) next = std::min(next, after(nudged_, connect_poll));
  return next;
}

}  // namespace

std::unique_ptr<Multiplexer> make_multiplexer(const TransportOptions& options, std::shared_ptr<TrustStore> trust) {
  auto multiplexer = std::make_unique<CurlMultiplexer>(options, std::move(trust));
  // Not null, which would mean that the transport never has one.
  if (!multiplexer->open())
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "out of memory or file descriptors");
  return multiplexer;
}

}}}  // namespace noun::curl
