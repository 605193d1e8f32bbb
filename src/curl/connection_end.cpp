#include "curl/connection_end.hpp"

#include <atomic>

#include "curl/curl_tls.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// Before 8.14 (the first that we tried), libcurl reports a success when it breaks an HTTP/2 connection off because of a
// fault of the server, even within a body.
bool hides_broken_connections() noexcept {
  static const bool hides = curl_version_info(CURLVERSION_NOW)->version_num < 0x080E00;
  return hides;
}

std::atomic<std::uint64_t> goaways = 0;

}  // namespace

void ConnectionEnd::restart() noexcept {
  session_closed_ = broken_ = false;
  goaways_.reset();
}

void ConnectionEnd::on_http2(CURL* easy) noexcept {
  if (!hides_broken_connections()) return;
  // Enables count_goaway().
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  goaways_ = goaways;
}

void ConnectionEnd::keep(CURL* easy, bool kept) noexcept {
  kept_ = kept;
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, kept ? 0L : 1L);
}

void ConnectionEnd::count_goaway() noexcept { ++goaways; }

void ConnectionEnd::look_at_session(CURL* easy) noexcept { session_closed_ = curl::session_closed(easy); }

// Requests that ended before the last one on the connection are not seen to be cut; nor is one during whose time any other
// connection received a GOAWAY.
void ConnectionEnd::look_at_connection(const Framing& framing, bool is_open) noexcept {
  const bool is_unframed = framing.http2 && !framing.bodyless && !framing.length;
  broken_ = !is_open && kept_ && is_unframed && goaways_ && *goaways_ == goaways;
}

}}}  // namespace noun::curl
