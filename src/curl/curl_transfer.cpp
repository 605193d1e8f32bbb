#include "curl/curl_transfer.hpp"

#include "curl/curl_errors.hpp"
#include "curl/curl_setup.hpp"
#include "curl/curl_tls.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {

bool Transfer::open(const TransportOptions& options, TrustStore& trust) {
  trust_ = &trust;
  // libcurl's default port of a proxy.
  if (!options.proxy.empty()) {
    proxy_ = peer_of(options.proxy, ":1080");
    options_.use_proxy();
  }
  unix_socket_ = options.unix_socket;
  easy_ = curl_easy_init();
  return easy_ != nullptr && curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, words_) == CURLE_OK &&
         set_up(easy_, options, exchange_);
}

Transfer::~Transfer() { curl_easy_cleanup(easy_); }

CURLcode Transfer::prepare(const Attempt& attempt) {
  code_ = CURLE_OK;
  words_[0] = '\0';
  curl_easy_setopt(easy_, CURLOPT_NOPROGRESS, 1L);
  curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);
  // Without TLS nothing is read.
  if (!shares_trust_ && wire::is_of_scheme(attempt.url, "https")) shares_trust_ = share_trust(easy_, *trust_);
  if (!exchange_.restart(attempt)) return CURLE_READ_ERROR;
  return options_.apply(easy_, attempt);
}

int Transfer::number_of(CURLINFO info) const noexcept {
  long number = 0;
  curl_easy_getinfo(easy_, info, &number);
  return static_cast<int>(number);
}

}}}  // namespace noun::curl
