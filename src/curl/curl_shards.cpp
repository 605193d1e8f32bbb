#include "curl/curl_shards.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "curl/curl_global.hpp"
#include "os/abandon.hpp"
#include "os/steady_now.hpp"

namespace noun { inline namespace v0 { namespace curl {

Shards::~Shards() {
  close();
  curl_share_cleanup(addresses_);
}

bool Shards::open() {
  {
    const auto lock = hold_off_fork();
    addresses_ = curl_share_init();
  }
  return addresses_ != nullptr &&
         curl_share_setopt(addresses_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) == CURLSHE_OK && open_next();
}

bool Shards::open_next() noexcept try {
  shards_.reserve(shards_.size() + 1);
  due_.reserve(shards_.size() + 1);
  auto shard = std::make_unique<Shard>(*this, static_cast<Number>(shards_.size()));
  const auto lock = hold_off_fork();
  auto* const multi = curl_multi_init();
  const auto set = [&](CURLMoption option, auto value) { return curl_multi_setopt(multi, option, value) == CURLM_OK; };
  // The number of connections is bounded by the multiplexer: libcurl would close idle ones while as many are about to be
  // needed.
  if (multi == nullptr || !set(CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX)) ||
      !set(CURLMOPT_MAXCONNECTS, 1'000'000L) || !set(CURLMOPT_SOCKETFUNCTION, &on_interest) ||
      !set(CURLMOPT_SOCKETDATA, shard.get()) || !set(CURLMOPT_TIMERFUNCTION, &on_timer) ||
      !set(CURLMOPT_TIMERDATA, shard.get())) {
    curl_multi_cleanup(multi);
    return false;
  }
  shard->multi = multi;
  shards_.push_back(std::move(shard));
  due_.push_back(Instant::max());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool Shards::join(Lane& lane) noexcept {
  return curl_easy_setopt(lane.transfer.easy(), CURLOPT_SHARE, addresses_) == CURLE_OK;
}

bool Shards::add(Lane& lane) noexcept try {
  auto& spread = lane.origin->spread;
  auto number = spread.choose(lane.origin->use(), lane.fresh);
  // If no other handle can be made, the last one gets more connections.
  while (number >= shards_.size() && open_next()) {
  }
  number = std::min(number, shards_.size() - 1);
  auto& part = spread.part(number);
  auto& shard = *shards_[number];
  if (curl_multi_add_handle(shard.multi, lane.transfer.easy()) != CURLM_OK) return false;
  lane.shard = &shard;
  lane.part = &part;
  ++shard.transfers;
  ++part.attempts;
  if (!lane.fresh) ++part.unsent;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Shards::remove(Lane& lane) noexcept {
  if (lane.shard == nullptr) return;
  curl_multi_remove_handle(lane.shard->multi, lane.transfer.easy());
  --std::exchange(lane.shard, nullptr)->transfers;
  --lane.part->attempts;
  if (lane.sent == Instant::max() && !lane.fresh) --lane.part->unsent;
}

void Shards::shrink_to(std::size_t size) noexcept {
  for (; shards_.size() > size; shards_.pop_back(), due_.pop_back()) curl_multi_cleanup(shards_.back()->multi);
}

std::size_t Shards::needed() const noexcept {
  auto size = shards_.size();
  while (size > 1 && shards_[size - 1]->transfers == 0 && !tracks_.ramp.has_idle(size - 1)) --size;
  return size;
}

void Shards::abandon() noexcept {
  for (auto& shard : shards_) keep_reachable(shard->multi);
  keep_reachable(std::exchange(addresses_, nullptr));
  shards_.clear();
}

int Shards::on_interest(CURL* easy, curl_socket_t socket, int what, void* shard, void*) noexcept {
  const auto& own = *static_cast<Shard*>(shard);
  auto& tracks = own.all.tracks_;
  Lane* lane = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &lane);
  const int descriptor = descriptor_of(socket);
  const bool was_watched = tracks.readiness.is_watched(descriptor);
  if (what == CURL_POLL_REMOVE) {
    if (lane != nullptr && was_watched) --lane->watched;
    // The end of an idle connection is an event, too.
    if (tracks.sockets.was_used(socket))
      tracks.readiness.rest(descriptor);
    else
      tracks.readiness.forget(descriptor);
    return 0;
  }
  if (lane != nullptr && !was_watched) ++lane->watched;
  std::uint32_t events = 0;
  if ((what & CURL_POLL_IN) != 0) events |= socket_events::readable;
  if ((what & CURL_POLL_OUT) != 0) events |= socket_events::writable;
  // After -1 libcurl ends all transfers of the handle, and 7.88 crashes.
  if (!tracks.readiness.watch(descriptor, events, own.number) && lane != nullptr) lane->end_unwatched();
  return 0;
}

int Shards::on_timer(CURLM*, long milliseconds, void* shard) noexcept {
  const auto& own = *static_cast<Shard*>(shard);
  const auto now = milliseconds == 0 ? own.all.tracks_.now : steady_now();
  own.all.due_[own.number] =
      milliseconds < 0 ? Instant::max() : after(now, std::chrono::milliseconds(milliseconds));
  return 0;
}

Instant Shards::due() const noexcept { return *std::min_element(due_.begin(), due_.end()); }

bool Shards::take_due(Number number) noexcept {
  auto& due = due_[number];
  if (due > tracks_.now) return false;
  due = Instant::max();
  return true;
}

bool Shards::act(Number number, curl_socket_t socket, int events) noexcept {
  int count = 0;
  return curl_multi_socket_action(shards_[number]->multi, socket, events, &count) == CURLM_OK;
}

Lane* Shards::take_ended(Number number) noexcept {
  int count = 0;
  while (const auto* message = curl_multi_info_read(shards_[number]->multi, &count)) {
    if (message->msg != CURLMSG_DONE) continue;
    Lane* lane = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lane);
    if (lane == nullptr) continue;
    lane->transfer.ended(message->data.result);
    return lane;
  }
  return nullptr;
}

bool Shards::sweep(Number number, CURL* transfer) noexcept {
  auto* const multi = shards_[number]->multi;
  if (curl_multi_add_handle(multi, transfer) != CURLM_OK) return true;
  const bool succeeded = act(number, CURL_SOCKET_TIMEOUT, 0);
  curl_multi_remove_handle(multi, transfer);
  return succeeded;
}

}}}  // namespace noun::curl
