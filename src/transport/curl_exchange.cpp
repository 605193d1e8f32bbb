#include "transport/curl_exchange.hpp"

#include <cerrno>
#include <new>

#include <curl/curl.h>
#include <sys/socket.h>

namespace noun { inline namespace v0 { namespace curl {

void Exchange::restart(const Attempt& attempt) {
  response_ = Response{};
  limits_ = &attempt.limits;
  head_.restart(attempt.method, attempt.limits, response_);
  fault_.reset();
  sendings_ = 0;
  exhausted_ = false;
}

bool Exchange::take_head_line(std::string_view line) noexcept try {
  const bool was_complete = head_.complete();
  fault_ = head_.line(line);
  if (!fault_ && !was_complete && head_.complete()) fault_ = body_.restart(head_.framing(), *limits_, response_.body);
  return !fault_;
} catch (...) {
  exhausted_ = true;
  return false;
}

bool Exchange::take_body(std::string_view bytes) noexcept try {
  if (head_.complete())
    fault_ = body_.write(bytes);
  else
    fault_ = Fault{Errc::protocol, "a body without a head"};
  return !fault_;
} catch (...) {
  exhausted_ = true;
  return false;
}

bool Exchange::start_sending() noexcept { return ++sendings_ == 1; }

int Exchange::open_socket(const curl_sockaddr& address) noexcept {
  // libcurl opens a new connection after the request was sent on one that died: refuse, or it would be sent twice.
  if (sendings_ > 0) return -1;
  const int descriptor = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  exhausted_ = descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  return descriptor;
}

Sent Exchange::sent() const noexcept {
  if (head_.complete()) return Sent::answered;
  return sendings_ > 0 ? Sent::maybe : Sent::no;
}

void Exchange::finish() {
  if (fault_) return;
  if (!head_.complete()) {
    fault_ = Fault{Errc::truncated, "an incomplete head"};
    return;
  }
  fault_ = body_.finish();
  if (fault_ || head_.framing().bodyless || head_.framing().coding == Coding::identity) return;
  response_.headers.erase("Content-Encoding");
  response_.headers.erase("Content-Length");
}

}}}  // namespace noun::curl
