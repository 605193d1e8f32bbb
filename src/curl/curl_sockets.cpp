#include "curl/curl_sockets.hpp"

#include <algorithm>
#include <utility>

#include "os/sockets.hpp"

namespace noun { inline namespace v0 { namespace curl {

void Sockets::opened(curl_socket_t socket) {
  closed(socket, Instant::min());
  // Allocate first.
  Descriptors one{socket};
  ByPort port{{SocketEnd::unknown_port, socket}};
  auto& added = open_[socket];
  added.number = ++opened_;
  added.list = &busy_;
  added.in_list = one.begin();
  busy_.splice(busy_.end(), one);
  added.by_port = by_local_port_.insert(port.extract(port.begin()));
}

/// Records that the server ended the connection of an idle socket.
void Sockets::ended(const Socket& idle, Instant now) noexcept {
  if (idle.requests == 1 && idle.protocol == Protocol::http1) idle.persistence->ended(now - idle.idle_since, now);
}

void Sockets::closed(curl_socket_t socket, Instant now) noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end()) return;
  auto& one = found->second;
  set_silent(one, false);
  if (one.part != nullptr) --one.part->open;
  if (one.users > 0) --in_use_;
  if (one.list == &idle_) {
    ended(one, now);
    --one.part->idle;
  }
  one.list->erase(one.in_list);
  by_local_port_.erase(one.by_port);
  open_.erase(found);
}

/// Reads the local port of each socket, once it has one.
void Sockets::learn_ports() noexcept {
  for (auto at = by_local_port_.lower_bound(SocketEnd::unknown_port);
       at != by_local_port_.end() && at->first == SocketEnd::unknown_port;) {
    const auto here = at++;
    const auto port = local_end(descriptor_of(here->second)).port;
    if (port == SocketEnd::unknown_port) continue;
    auto& socket = open_.at(here->second);
    auto node = by_local_port_.extract(here);
    node.key() = port;
    socket.by_port = by_local_port_.insert(std::move(node));
  }
}

curl_socket_t Sockets::find(std::string_view remote_address, int remote_port, int local_port) noexcept {
  if (local_port <= SocketEnd::unknown_port) return CURL_SOCKET_BAD;
  learn_ports();
  const auto [begin, end] = by_local_port_.equal_range(local_port);
  for (auto at = begin; at != end; ++at) {
    auto& socket = open_.at(at->second);
    if (socket.list == &shut_) continue;
    if (socket.remote.port == SocketEnd::unknown_port) socket.remote = remote_end(descriptor_of(at->second));
    if (socket.remote.port == remote_port && socket.remote.address.data() == remote_address) return at->second;
  }
  return CURL_SOCKET_BAD;
}

bool Sockets::good(curl_socket_t socket, bool http1, Instant now) const noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end()) return true;
  const auto& kept = found->second;
  // libcurl may reuse a connection before release().
  if (http1 && kept.users > 0 && kept.unanswered) return false;
  if (kept.requests == 0 || kept.protocol == Protocol::http2) return true;
  // Several requests before the first response: possible only on HTTP/2.
  if (kept.users > 0 && kept.protocol == Protocol::unknown) return true;
  if (kept.users == 0 && now >= after(kept.idle_since, kept.reusable_for)) return false;
  return !is_readable(descriptor_of(socket));
}

bool Sockets::was_used(curl_socket_t socket) const noexcept {
  const auto found = open_.find(socket);
  return found != open_.end() && found->second.requests > 0;
}

/// The socket, if it is still the same.
Sockets::Socket* Sockets::socket_of(const SocketUse& use) noexcept {
  const auto found = open_.find(use.socket);
  return found != open_.end() && found->second.number == use.number ? &found->second : nullptr;
}

bool Sockets::has(const SocketUse& use) const noexcept {
  const auto found = open_.find(use.socket);
  return found != open_.end() && found->second.number == use.number;
}

SocketUse Sockets::take(curl_socket_t socket, Persistence& persistence, Spread::Part& part, Instant now) noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end()) return {};
  auto& one = found->second;
  SocketUse use{socket, one.number};
  if (++one.requests == 2 && one.protocol == Protocol::http1) use.idle_after_first = now - one.idle_since;
  if (++one.users == 1) most_in_use_ = std::max(most_in_use_, ++in_use_);
  if (one.list == &idle_) move_to(busy_, one);
  one.unanswered = true;
  const bool was_silent = one.silent;
  set_silent(one, false);
  if (one.part != nullptr) --one.part->open;
  ++part.open;
  one.persistence = &persistence;
  one.part = &part;
  set_silent(one, was_silent);
  return use;
}

void Sockets::set_silent(Socket& socket, bool silent) noexcept {
  if (std::exchange(socket.silent, silent) == silent) return;
  if (silent)
    ++socket.part->silent;
  else
    --socket.part->silent;
}

void Sockets::responded(const SocketUse& use, bool http2, Duration reusable_for, Instant now) noexcept {
  auto* const one = socket_of(use);
  if (one == nullptr) return;
  one->protocol = http2 ? Protocol::http2 : Protocol::http1;
  one->responded = now;
  one->unanswered = false;
  if (one->requests > 1) one->persistence->lasted();
  one->reusable_for = reusable_for;
  set_silent(*one, false);
}

void Sockets::release(const SocketUse& use, Instant now, bool kept) noexcept {
  auto* const one = socket_of(use);
  if (one == nullptr || --one->users > 0) return;
  --in_use_;
  if (one->list == &shut_) return;
  if (one->silent) return shut_down(use.socket, *one);
  if (!kept) return;
  one->idle_since = now;
  move_to(idle_, *one);
}

void Sockets::release_silent(const SocketUse& use, Instant sent, Instant now) noexcept {
  auto* const one = socket_of(use);
  if (one != nullptr && one->list != &shut_ && one->responded < sent) set_silent(*one, true);
  release(use, now);
}

bool Sockets::keep_idle(curl_socket_t socket, bool has_ended, Instant now) noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end() || found->second.list != &idle_) return false;
  const auto found_there = has_ended ? Incoming::end : incoming(descriptor_of(socket));
  if (found_there == Incoming::nothing) return true;
  if (found_there == Incoming::bytes && found->second.protocol == Protocol::http2) return true;
  ended(found->second, now);
  shut_down(socket, found->second);
  return false;
}

void Sockets::trim(std::size_t left, Instant oldest) noexcept {
  while (!idle_.empty() && (idle_.size() > left || idle_since() <= oldest))
    shut_down(idle_.front(), open_.at(idle_.front()));
}

Instant Sockets::idle_since() const noexcept {
  return idle_.empty() ? Instant::max() : open_.at(idle_.front()).idle_since;
}

void Sockets::move_to(Descriptors& list, Socket& socket) noexcept {
  if (socket.list == &idle_) --socket.part->idle;
  if (&list == &idle_) ++socket.part->idle;
  list.splice(list.end(), *std::exchange(socket.list, &list), socket.in_list);
}

void Sockets::shut_down(curl_socket_t descriptor, Socket& socket) noexcept {
  set_silent(socket, false);
  move_to(shut_, socket);
  noun::shut_down(descriptor_of(descriptor));
}

}}}  // namespace noun::curl
