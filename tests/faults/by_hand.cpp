#include "faults/by_hand.hpp"

#include <memory>
#include <string>

#include <curl/curl.h>
#include <nlohmann/json.hpp>

#include "curl/caller.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

constexpr long patience_ms = 2000;
constexpr std::size_t most_bytes = std::size_t{32} << 20;

std::size_t write(char* bytes, std::size_t, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + count > most_bytes) return 0;
  text.append(bytes, count);
  return count;
}

}  // namespace

std::string_view to_string(ByHand verdict) {
  constexpr std::string_view names[] = {"failed",      "silently wrong", "sent twice",
                                        "without end", "without bound",  "too strict"};
  return names[static_cast<std::size_t>(verdict)];
}

ByHand run_by_hand(const Fault& fault, noun::Method method) {
  const auto site = site_of(fault, fault.reused ? http_response("[]") : "");
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), curl_easy_cleanup);
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> fields(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  std::string received;
  const std::string sent(usual_body(method).value_or(""));
  auto* const one = handle.get();
  curl_easy_setopt(one, CURLOPT_URL, site.url.c_str());
  curl_easy_setopt(one, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, write);
  curl_easy_setopt(one, CURLOPT_WRITEDATA, &received);
  // For the measurement only: without it there is no limit.
  curl_easy_setopt(one, CURLOPT_TIMEOUT_MS, patience_ms);
  curl_easy_setopt(one, CURLOPT_NOSIGNAL, 1L);
  if (fault.tls.spoken) curl_easy_setopt(one, CURLOPT_CAINFO, trusted_authority().c_str());
  std::size_t expected = 1;
  if (fault.reused) {
    curl_easy_perform(one);
    received.clear();
    ++expected;
  }
  if (method == noun::Method::head) {
    curl_easy_setopt(one, CURLOPT_NOBODY, 1L);
  } else if (method != noun::Method::get) {
    curl_easy_setopt(one, CURLOPT_CUSTOMREQUEST, std::string(to_string(method)).c_str());
    if (!sent.empty()) {
      curl_easy_setopt(one, CURLOPT_COPYPOSTFIELDS, sent.c_str());
      curl_easy_setopt(one, CURLOPT_HTTPHEADER, fields.get());
    }
  }
  const auto code = curl_easy_perform(one);
  long status = 0;
  curl_easy_getinfo(one, CURLINFO_RESPONSE_CODE, &status);
  const bool succeeded =
      code == CURLE_OK && status >= 200 && status < 300 && (!fault.json || nlohmann::json::accept(received));
  if (site.requests() > expected) return ByHand::sent_twice;
  if (!fault.code) {
    const bool is_right = succeeded && (method == noun::Method::head || received == fault.body);
    return is_right ? ByHand::failed : succeeded ? ByHand::silently_wrong : ByHand::too_strict;
  }
  if (succeeded) return ByHand::silently_wrong;
  if (code == CURLE_OPERATION_TIMEDOUT) return ByHand::without_end;
  return code == CURLE_WRITE_ERROR && received.size() + CURL_MAX_WRITE_SIZE > most_bytes ? ByHand::without_bound
                                                                                         : ByHand::failed;
}

}  // namespace noun_test
