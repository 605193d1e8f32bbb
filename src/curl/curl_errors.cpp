#include "curl/curl_errors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "curl/curl_handle.hpp"
#include "os/sockets.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// The meaning of a libcurl code. One table applies until a proxy has opened its tunnel, one to a Unix socket, one
// before anything has been sent, and one after. `happened` gets the peer inserted as {0} and the proxy as {1}, and is
// followed by the cause in libcurl's or the system's words.
struct Meaning {
  CURLcode code;
  Errc errc;
  std::string_view happened;
  std::string_view advice;
};

constexpr std::string_view check_url = "check the URL";
constexpr std::string_view check_dns = "check the host name and this machine's DNS settings";
constexpr std::string_view check_listening = "check that a server listens there";
constexpr std::string_view check_identity = "check the server's certificate and ClientOptions::tls.ca_file";
constexpr std::string_view check_own_certificate = "check client_certificate and client_key in ClientOptions::tls";
constexpr std::string_view check_tls =
    "check that the server supports TLS 1.2 or later; for a server without TLS use an http:// URL";
constexpr std::string_view check_connection = "check the connection to the server";
constexpr std::string_view check_proxy_listening = "check ClientOptions::proxy, and that a proxy listens there";
constexpr std::string_view check_tunnel = "check ClientOptions::proxy, and that it can reach the server";
constexpr std::string_view report_to_server = "report it to the API's owner, or check the proxies in between";

constexpr std::array to_the_proxy{
    Meaning{CURLE_COULDNT_RESOLVE_PROXY, Errc::resolve, "found no address for the proxy {1}",
            "check ClientOptions::proxy and this machine's DNS settings"},
    Meaning{CURLE_COULDNT_CONNECT, Errc::connect, "cannot connect to the proxy {1}", check_proxy_listening},
    Meaning{CURLE_SEND_ERROR, Errc::connect, "the connection to the proxy {1} broke before the request was sent",
            check_proxy_listening},
    Meaning{CURLE_RECV_ERROR, Errc::connect, "the connection to the proxy {1} broke before the request was sent",
            check_proxy_listening},
    Meaning{CURLE_GOT_NOTHING, Errc::connect, "the connection to the proxy {1} broke before the request was sent",
            check_proxy_listening},
    Meaning{CURLE_OPERATION_TIMEDOUT, Errc::timeout, "no connection to {0} through the proxy {1} in time",
            check_tunnel},
};

constexpr std::array to_the_socket{
    Meaning{CURLE_COULDNT_CONNECT, Errc::connect, "cannot connect to {}",
            "check ClientOptions::unix_socket, and that a server listens there"},
};

constexpr std::array before_sending{
    Meaning{CURLE_URL_MALFORMAT, Errc::invalid_argument, "libcurl rejected the URL of the request to {}", check_url},
    Meaning{CURLE_UNSUPPORTED_PROTOCOL, Errc::invalid_argument,
            "the URL of the request to {} is neither http nor https", check_url},
    Meaning{CURLE_LOGIN_DENIED, Errc::invalid_argument, "the URL of the request to {} has userinfo", check_url},
    Meaning{CURLE_COULDNT_RESOLVE_HOST, Errc::resolve, "found no address for {}", check_dns},
    Meaning{CURLE_COULDNT_CONNECT, Errc::connect, "cannot connect to {}", check_listening},
    Meaning{CURLE_SEND_ERROR, Errc::connect, "the connection to {} broke before the request was sent", check_listening},
    Meaning{CURLE_RECV_ERROR, Errc::connect, "the connection to {} broke before the request was sent", check_listening},
    Meaning{CURLE_GOT_NOTHING, Errc::connect, "the connection to {} broke before the request was sent",
            check_listening},
    Meaning{CURLE_SSL_CONNECT_ERROR, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_SSL_CIPHER, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_PEER_FAILED_VERIFICATION, Errc::tls, "the certificate of {} is not trusted", check_identity},
    Meaning{CURLE_SSL_ISSUER_ERROR, Errc::tls, "the certificate of {} is not trusted", check_identity},
    Meaning{CURLE_SSL_PINNEDPUBKEYNOTMATCH, Errc::tls, "the certificate of {} is not trusted", check_identity},
    Meaning{CURLE_SSL_INVALIDCERTSTATUS, Errc::tls, "the certificate of {} is not trusted", check_identity},
    Meaning{CURLE_SSL_CRL_BADFILE, Errc::tls, "the certificate of {} is not trusted", check_identity},
    Meaning{CURLE_SSL_CACERT_BADFILE, Errc::tls, "the certificate authorities for {} cannot be read",
            "check ClientOptions::tls.ca_file"},
    Meaning{CURLE_SSL_CERTPROBLEM, Errc::tls, "the client certificate for {} cannot be used", check_own_certificate},
    Meaning{CURLE_SSL_CLIENTCERT, Errc::tls, "{} requires another client certificate", check_own_certificate},
    Meaning{CURLE_SSL_ENGINE_INITFAILED, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_SSL_ENGINE_NOTFOUND, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_SSL_ENGINE_SETFAILED, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_SSL_SHUTDOWN_FAILED, Errc::tls, "no TLS session with {}", check_tls},
    Meaning{CURLE_USE_SSL_FAILED, Errc::tls, "no TLS session with {}", check_tls},
};

constexpr std::array after_sending{
    Meaning{CURLE_UNSUPPORTED_PROTOCOL, Errc::protocol, "the response from {} is not HTTP", report_to_server},
    Meaning{CURLE_WEIRD_SERVER_REPLY, Errc::protocol, "the response from {} is not HTTP", report_to_server},
    Meaning{CURLE_BAD_FUNCTION_ARGUMENT, Errc::protocol, "the response from {} is not HTTP", report_to_server},
    Meaning{CURLE_BAD_CONTENT_ENCODING, Errc::protocol, "the response from {} cannot be decoded", report_to_server},
    Meaning{CURLE_FILESIZE_EXCEEDED, Errc::too_large, "the response from {} is too large",
            "raise ClientOptions::limits.body"},
    Meaning{CURLE_PARTIAL_FILE, Errc::truncated, "the response from {} is incomplete", check_connection},
};

template <std::size_t Size>
const Meaning* find(const std::array<Meaning, Size>& table, CURLcode code) noexcept {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Meaning& one) { return one.code == code; });
  return found == table.end() ? nullptr : &*found;
}

constexpr Meaning unknown{CURLE_OK, Errc::connect, "libcurl could not start the request to {}",
                          "report it as a bug in noun"};
constexpr Meaning died{CURLE_OK, Errc::send, "the connection to {} broke before a response was received",
                       check_connection};
constexpr Meaning kept_died{CURLE_OK, Errc::send,
                            "the connection to {}, kept from an earlier request "
                            "(ClientOptions::limits.idle_connections: 0 keeps none), broke before a response was received",
                            check_connection};
constexpr Meaning cut{CURLE_OK, Errc::truncated, "the connection to {} broke during the response", check_connection};
constexpr Meaning long_head{CURLE_OK, Errc::too_large, "the head of the response from {} exceeds libcurl's limit",
                            "report it to the API's owner"};
constexpr Meaning long_line{CURLE_OK, Errc::too_large,
                            "the response from {} has a header line of more than 100 KiB (ClientOptions::limits.head)",
                            report_to_server};
constexpr Meaning locked_tunnel{CURLE_OK, Errc::connect, "the proxy {1} opened no tunnel to {0}",
                                "check the user and password in ClientOptions::proxy"};
constexpr Meaning no_tunnel{CURLE_OK, Errc::connect, "the proxy {1} opened no tunnel to {0}", check_tunnel};
constexpr Meaning slow_connect{CURLE_OK, Errc::timeout, "no connection to {} in time",
                               "check that it can be reached, or raise ClientOptions::timeouts"};
constexpr Meaning slow_response{CURLE_OK, Errc::timeout, "no complete response from {} in time",
                                "raise ClientOptions::timeouts, or request less at once"};

Meaning meaning_of(CURLcode code, Transfer& transfer) noexcept {
  auto& exchange = transfer.exchange();
  const bool unsent = exchange.sent() == Sent::no;
  const int tunnel = unsent ? transfer.proxy_status() : 0;
  if (tunnel == 401 || tunnel == 407) return locked_tunnel;
  if (tunnel >= 300) return no_tunnel;
  if (unsent && tunnel == 0 && !transfer.proxy().empty())
    if (const auto* meaning = find(to_the_proxy, code)) return *meaning;
  if (unsent && !transfer.unix_socket().empty())
    if (const auto* meaning = find(to_the_socket, code)) return *meaning;
  if (code == CURLE_OPERATION_TIMEDOUT) return unsent ? slow_connect : slow_response;
  if (unsent) {
    const auto* meaning = find(before_sending, code);
    return meaning == nullptr ? unknown : *meaning;
  }
  const auto* const meaning = find(after_sending, code);
  // An HTTP/2 stream may end without any part of its response.
  const bool is_cut = meaning != nullptr && meaning->errc == Errc::truncated;
  if (meaning != nullptr && (!is_cut || exchange.head_started())) return *meaning;
  if (exchange.head_started()) return cut;
  return exchange.on_kept_connection() ? kept_died : died;
}

// Makes foreign text fit for one line: at most 300 bytes, no controls, no full stop at the end.
std::string tidy(std::string_view text) {
  std::string out(text.substr(0, 300));
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  out.erase(std::find_if(out.rbegin(), out.rend(), [](char c) { return c != ' ' && c != '.' && c != ':'; }).base(),
            out.end());
  return out;
}

std::string cause_of(Transfer& transfer, CURLcode code) {
  // After the request has left, a second connection is refused by noun; libcurl reports it as a connect error.
  const bool again = code == CURLE_COULDNT_CONNECT && transfer.exchange().sent() != Sent::no;
  if (code == CURLE_ABORTED_BY_CALLBACK || again)
    return "a reused connection was closed while the request was sent";
  if (code == CURLE_COULDNT_CONNECT && transfer.os_error() != 0)
    return tidy(socket_error_text(transfer.os_error()));
  const std::string_view words = transfer.words();
  return tidy(words.empty() ? std::string_view(curl_easy_strerror(code)) : words);
}

constexpr std::string_view raise_stall =
    "raise stall_timeout in the call's options, or ClientOptions::timeouts.stall for all calls, or check why the server is silent";

std::string overtime(Ending ending, const Attempt& attempt) {
  if (ending == Ending::timed_out)
    return fmt::format("{} ms have passed", std::chrono::ceil<std::chrono::milliseconds>(attempt.timeout).count());
  return fmt::format("no byte in either direction for {} s", whole<std::chrono::seconds>(attempt.timeouts.stall));
}

std::string what_of(const Meaning& meaning, const std::string& peer, const Transfer& transfer,
                    const std::string& cause) {
  const auto happened = fmt::format(fmt::runtime(meaning.happened), peer, transfer.proxy());
  return fmt::format("{}{}{}", happened, cause.empty() ? "" : ": ", cause);
}

// libcurl's code for a header line above its limit; before 8.6, it reported a lack of memory.
constexpr auto field_too_large = static_cast<CURLcode>(100);  // CURLE_TOO_LARGE
bool is_long_line(Exchange& exchange, CURLcode code) noexcept {
  if (exchange.exhausted() || exchange.sent() == Sent::no || exchange.head_complete()) return false;
  if (code == field_too_large) return true;
  if (code != CURLE_OUT_OF_MEMORY) return false;
  const std::unique_ptr<char[]> line(new (std::nothrow) char[2 * CURL_MAX_HTTP_HEADER]);
  return line != nullptr;
}

// getaddrinfo without descriptors reports that it found no address.
bool is_exhausted(const Transfer& transfer, const Exchange& exchange, CURLcode code) noexcept {
  if (exchange.exhausted() || code == CURLE_OUT_OF_MEMORY) return true;
  if (code == CURLE_COULDNT_CONNECT) return is_lack_of_descriptors(transfer.os_error());
  return (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY) && descriptors_ran_out();
}

// Whether the connection broke during the handshake, so that a retry may help. Other failures of a handshake are
// decisions of the server. OpenSSL has no error number for a closed connection, so the text is searched.
bool is_broken_session(const Transfer& transfer) noexcept {
  const std::string_view words = transfer.words();
  const auto has = [&](std::string_view part) { return words.find(part) != std::string_view::npos; };
  return is_broken_connection(transfer.os_error()) || has("SSL_ERROR_SYSCALL") || has("unexpected eof") ||
         has("reset by peer");
}

// The connection ended without close_notify where its end is the body's end. For libcurl 8 this is an error, for 7.88 none:
// whether the body is whole is for Exchange to say.
bool ended_without_close_notify(Transfer& transfer) noexcept {
  return transfer.code() == CURLE_RECV_ERROR && transfer.exchange().ends_with_session() &&
         std::string_view(transfer.words()).find("unexpected eof") != std::string_view::npos;
}

std::string_view advice_on(Errc code) noexcept {
  switch (code) {
    case Errc::too_large: return "raise that limit, or request less at once";
    case Errc::truncated: return check_connection;
    default: return report_to_server;
  }
}

Error with_response(ErrorDetails details, Exchange& exchange) {
  details.sent = exchange.sent();
  if (exchange.head_complete()) {
    auto response = exchange.take_response();
    // Never deliver a partial body.
    response.body = {};
    details.status = response.status;
    details.response = std::make_shared<const Response>(std::move(response));
  }
  return Error(std::move(details));
}

Error with_response(Error error, Exchange& exchange) {
  if (!exchange.head_complete() && error.sent() == exchange.sent()) return error;
  return with_response(error.details(), exchange);
}

// A proxy that rejects the tunnel rejects it again; repeating wrong credentials may lock the account.
Retryable retryable_of(const Meaning& meaning, const Transfer& transfer, CURLcode code) noexcept {
  if (meaning.errc == Errc::tls && code == CURLE_SSL_CONNECT_ERROR && is_broken_session(transfer))
    return Retryable::yes;
  const int tunnel = meaning.errc == Errc::connect ? transfer.proxy_status() : 0;
  const bool rejected = tunnel >= 300 && tunnel < 500 && tunnel != 408 && tunnel != 425 && tunnel != 429;
  return rejected ? Retryable::no : Retryable::by_code;
}

Error error_of_code(Transfer& transfer, CURLcode code, const std::string& peer) {
  auto& exchange = transfer.exchange();
  if (is_long_line(exchange, code))
    return with_response({.code = long_line.errc,
                          .what = what_of(long_line, peer, transfer, {}),
                          .advice = std::string(long_line.advice)},
                         exchange);
  if (is_exhausted(transfer, exchange, code))
    return with_response({.code = Errc::resource,
                          .what = fmt::format("out of memory or file descriptors during the request to {}", peer),
                          .advice = "free memory or file descriptors, then try again"},
                         exchange);
  // libcurl limits heads to 300 KB, independent of Limits::head, and has no code for this.
  const bool over = std::string_view(transfer.words()).starts_with("Too large response headers");
  const auto meaning = over ? long_head : meaning_of(code, transfer);
  return with_response({.code = meaning.errc,
                        .what = what_of(meaning, peer, transfer, cause_of(transfer, code)),
                        .advice = std::string(meaning.advice),
                        .retryable = retryable_of(meaning, transfer, code)},
                       exchange);
}

Error error_of(Transfer& transfer, Ending ending, const Attempt& attempt) {
  auto& exchange = transfer.exchange();
  if (const auto& error = exchange.own_error()) return with_response(*error, exchange);
  if (ending == Ending::cancelled) return with_response(cancellation(attempt, exchange.sent()), exchange);
  if (ending == Ending::broken) return with_response(exhaustion(attempt, exchange.sent()), exchange);
  const auto& socket = transfer.unix_socket();
  const auto peer = socket.empty() ? peer_of(attempt.url) : fmt::format("the Unix socket {}", socket);
  if (ending == Ending::timed_out || ending == Ending::stalled) {
    const auto meaning = meaning_of(CURLE_OPERATION_TIMEDOUT, transfer);
    return with_response({.code = meaning.errc,
                          .what = what_of(meaning, peer, transfer, overtime(ending, attempt)),
                          .advice = std::string(ending == Ending::stalled ? raise_stall : meaning.advice)},
                         exchange);
  }
  if (const auto& fault = exchange.fault())
    return with_response({.code = fault->code,
                          .what = fmt::format("{} responded with {}", peer, fault->what),
                          .advice = std::string(advice_on(fault->code)),
                          .retryable = fault->retryable},
                         exchange);
  return error_of_code(transfer, transfer.code(), peer);
}

}  // namespace

std::string peer_of(std::string_view url, std::string_view http_port) {
  const auto origin = wire::written_origin(url);
  const auto begin = origin.find("://");
  if (begin == std::string_view::npos) return "the host";
  auto authority = origin.substr(begin + 3);
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  return fmt::format("{}{}", authority, has_port ? "" : origin.starts_with("https") ? ":443" : http_port);
}

Result<Response> outcome_of(Transfer& transfer, Ending ending, const Attempt& attempt) {
  auto& exchange = transfer.exchange();
  const bool done = ending == Ending::done && (transfer.code() == CURLE_OK || ended_without_close_notify(transfer));
  if (done) exchange.finish();
  if (!done || exchange.fault()) return error_of(transfer, ending, attempt);
  return exchange.take_response();
}

Error refusal(Transfer& transfer, CURLcode code, const Attempt& attempt) {
  if (const auto& error = transfer.exchange().own_error()) return *error;
  if (code == CURLE_OUT_OF_MEMORY) return exhaustion(attempt, Sent::no);
  return Error(Errc::invalid_argument,
               fmt::format("libcurl rejected the request to {}: {}", peer_of(attempt.url),
                           tidy(curl_easy_strerror(code))),
               "check the URL and the headers");
}

Error exhaustion(const Attempt& attempt, Sent sent) {
  return Error(Errc::resource,
               fmt::format("out of memory or file descriptors during the request to {}", peer_of(attempt.url)),
               "free memory or file descriptors, then try again", sent);
}

Error cancellation(const Attempt& attempt, Sent sent) {
  return Error(Errc::cancelled, fmt::format("the request to {} was cancelled by the caller", peer_of(attempt.url)),
               sent);
}

}}}  // namespace noun::curl
