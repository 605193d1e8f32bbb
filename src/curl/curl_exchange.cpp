#include "curl/curl_exchange.hpp"

#include <new>

#include "curl/curl_tls.hpp"
#include "os/sockets.hpp"
#include "wire/json_scan.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// Whether the text is one whole array or object, so that nothing can be missing.
bool is_json_container(std::string_view text) {
  const auto value = wire::json_at(text, "");
  if (!value || (value->front() != '[' && value->front() != '{')) return false;
  const auto end = static_cast<std::size_t>(value->data() - text.data()) + value->size();
  return text.find_first_not_of(" \t\r\n", end) == std::string_view::npos;
}

}  // namespace

bool Exchange::restart(const Attempt& attempt) {
  response_ = Response{};
  limits_ = &attempt.limits;
  sink_ = attempt.sink;
  head_.restart(attempt.method, attempt.limits, response_);
  fault_.reset();
  sendings_ = 0;
  opened_ = false;
  exhausted_ = false;
  unread_ = false;
  secure_ = wire::is_of_scheme(attempt.url, "https");
  connection_.restart();
  own_error_.reset();
  reader_.reset();
  if (attempt.source == nullptr) return true;
  auto opened = attempt.source->open();
  if (opened)
    reader_ = *std::move(opened);
  else
    own_error_ = std::move(opened).error();
  return reader_ != nullptr;
}

bool Exchange::take_head_line(std::string_view line) noexcept try {
  const bool was_complete = head_.complete();
  fault_ = head_.line(line);
  if (!fault_ && !was_complete && head_.complete()) {
    start_body();
    look_for_unread();
  }
  // Enables look_at_session().
  if (!was_complete && ends_with_session()) curl_easy_setopt(easy_, CURLOPT_NOPROGRESS, 0L);
  return !fault_ && !own_error_;
} catch (...) {
  exhausted_ = true;
  return false;
}

void Exchange::start_body() {
  auto taken = sink_ == nullptr ? Result<bool>(false) : sink_->begin(response_);
  if (!taken)
    own_error_ = std::move(taken).error();
  else if (*taken)
    body_.restart(head_.framing(), *limits_, *sink_);
  else
    fault_ = body_.restart(head_.framing(), *limits_, response_.body);
}

bool Exchange::take_body(std::string_view bytes) noexcept try {
  if (head_.complete())
    fault_ = body_.write(bytes);
  else
    fault_ = Fault{Errc::protocol, "a body without a head"};
  if (fault_ && body_.sink_error()) {
    own_error_ = body_.sink_error();
    fault_.reset();
  }
  look_for_unread();
  return !fault_ && !own_error_;
} catch (...) {
  exhausted_ = true;
  return false;
}

// libcurl asks the TLS library for no more than the length of the body. The rest of the record stays there, where no
// check of the idle connection sees it, and would begin the next response.
void Exchange::look_for_unread() noexcept {
  if (secure_ && !http2() && body_.complete()) unread_ = has_unread_bytes(easy_);
}

std::optional<std::size_t> Exchange::give_body(char* into, std::size_t at_most) noexcept try {
  if (!reader_) return 0;
  auto count = reader_->read(into, at_most);
  if (count) return *count;
  own_error_ = std::move(count).error();
  return std::nullopt;
} catch (...) {
  exhausted_ = true;
  return std::nullopt;
}

std::optional<bool> Exchange::uses_http2() const noexcept { return secure_ ? agreed_on_http2(easy_) : false; }

bool Exchange::start_sending(std::optional<bool> http2) noexcept {
  head_.expect_http2(http2.value_or(true));
  if (http2.value_or(false)) connection_.on_http2(easy_);
  return ++sendings_ == 1;
}

int Exchange::open_socket(const curl_sockaddr& address) noexcept {
  // libcurl opens a new connection after the request was sent on one that died: refuse, or it would be sent twice.
  if (sendings_ > 0) return -1;
  opened_ = true;
  return noun::open_socket(address.family, address.socktype, address.protocol, exhausted_);
}

Sent Exchange::sent() const noexcept {
  if (head_.complete()) return Sent::answered;
  return sendings_ > 0 ? Sent::maybe : Sent::no;
}

bool Exchange::ends_with_session() const noexcept {
  const auto& framing = head_.framing();
  return secure_ && head_.complete() && !framing.http2 && !framing.bodyless && !framing.chunked && !framing.length;
}

// Anyone on the way can end a connection, but not close its TLS session. The body of an error response is only shown.
bool Exchange::may_be_cut() const {
  const bool success = response_.status >= 200 && response_.status < 300;
  const bool ends_early = connection_.broken() || (ends_with_session() && !connection_.session_closed());
  return success && ends_early && !body_.delimited() && !is_json_container(response_.body);
}

std::optional<Fault> Exchange::read_trailers() {
  if (!head_.framing().chunked) return std::nullopt;
  std::string_view lines = body_.trailers();
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    if (auto fault = head_.trailer(lines.substr(0, end))) return fault;
    lines.remove_prefix(end + 1);
  }
  return std::nullopt;
}

void Exchange::finish() {
  if (fault_) return;
  if (!head_.complete()) {
    fault_ = Fault{Errc::truncated, "an incomplete head"};
    return;
  }
  fault_ = body_.finish();
  if (!fault_) fault_ = read_trailers();
  if (!fault_ && may_be_cut())
    fault_ =
        Fault{Errc::truncated, head_.framing().http2 ? "a body without a length, and broke the rules of HTTP/2 in it"
                                                     : "a body without a length, whose TLS session was not closed"};
  if (fault_ || head_.framing().bodyless || !body_.decoded()) return;
  response_.headers.erase("Content-Encoding");
  response_.headers.erase("Content-Length");
}

}}}  // namespace noun::curl
