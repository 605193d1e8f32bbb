#include "curl/curl_setup.hpp"

#include <array>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "curl/curl_tls.hpp"
#include "os/files.hpp"
#include "os/sockets.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* exchange) noexcept {
  const std::size_t length = size * count;
  return static_cast<Exchange*>(exchange)->take_head_line({data, length}) ? length : 0;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* exchange) noexcept {
  const std::size_t length = size * count;
  return static_cast<Exchange*>(exchange)->take_body({data, length}) ? length : 0;
}

std::size_t on_read(char* into, std::size_t size, std::size_t count, void* exchange) noexcept {
  return static_cast<Exchange*>(exchange)->give_body(into, size * count).value_or(CURL_READFUNC_ABORT);
}

int on_sending(void* exchange, char*, char*, int, int) noexcept {
  auto& own = *static_cast<Exchange*>(exchange);
  return own.start_sending(own.uses_http2()) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

int on_progress(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  static_cast<Exchange*>(exchange)->look_at_session();
  return 0;
}

// Enabled for HTTP/2 only: libcurl reports a GOAWAY nowhere else, and not if it was built without such texts.
int on_debug_text(CURL*, curl_infotype type, char* data, std::size_t size, void*) noexcept {
  if (type == CURLINFO_TEXT && std::string_view(data, size).find(" GOAWAY, ") != std::string_view::npos)
    ConnectionEnd::count_goaway();
  return 0;
}

curl_socket_t on_socket(void* exchange, curlsocktype, curl_sockaddr* address) noexcept {
  return static_cast<Exchange*>(exchange)->open_socket(*address);
}

// Sets options until one is refused.
class Setter {
 public:
  explicit Setter(CURL* easy) noexcept : easy_(easy) {}

  template <class T>
  Setter& operator()(CURLoption option, T value) noexcept {
    if (taken_) taken_ = curl_easy_setopt(easy_, option, value) == CURLE_OK;
    return *this;
  }
  Setter& text(CURLoption option, const std::string& value) noexcept {
    return value.empty() ? *this : (*this)(option, value.c_str());
  }
  bool taken() const noexcept { return taken_; }

 private:
  CURL* easy_;
  bool taken_ = true;
};

// Restricts libcurl to one attempt of one request over HTTP, without implicit headers and without settings from the
// environment.
void set_restrictions(Setter& set) noexcept {
  set(CURLOPT_NOSIGNAL, 1L)(CURLOPT_PROTOCOLS_STR, "http,https")(CURLOPT_FOLLOWLOCATION, 0L)(
      CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED))(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L)(
      CURLOPT_HTTPAUTH, static_cast<unsigned long>(CURLAUTH_NONE))(CURLOPT_UNRESTRICTED_AUTH, 0L)(
      CURLOPT_PATH_AS_IS, 1L)(CURLOPT_HTTP09_ALLOWED, 0L)(CURLOPT_HTTP_CONTENT_DECODING, 0L)(
      CURLOPT_HTTP_TRANSFER_DECODING, 0L)(CURLOPT_QUICK_EXIT, 1L);
}

void set_callbacks(Setter& set, Exchange& exchange) noexcept {
  set(CURLOPT_HEADERFUNCTION, &on_header)(CURLOPT_HEADERDATA, &exchange)(CURLOPT_WRITEFUNCTION, &on_body)(
      CURLOPT_WRITEDATA, &exchange)(CURLOPT_READFUNCTION, &on_read)(CURLOPT_READDATA, &exchange)(
      CURLOPT_PREREQFUNCTION, &on_sending)(CURLOPT_PREREQDATA, &exchange)(CURLOPT_OPENSOCKETFUNCTION, &on_socket)(
      CURLOPT_OPENSOCKETDATA, &exchange)(CURLOPT_XFERINFOFUNCTION, &on_progress)(CURLOPT_XFERINFODATA, &exchange)(
      CURLOPT_DEBUGFUNCTION, &on_debug_text);
}

void set_tls(Setter& set, const Tls& tls) noexcept {
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2))(CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L)(
      CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
  // Otherwise libcurl would also trust its built-in directory.
  if (!tls.ca_file.empty()) set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  set.text(CURLOPT_CAINFO, tls.ca_file)
      .text(CURLOPT_SSLCERT, tls.client_certificate)
      .text(CURLOPT_SSLKEY, tls.client_key)
      .text(CURLOPT_KEYPASSWD, tls.client_key_password);
}

void set_proxy(Setter& set, const std::string& proxy) noexcept {
  // Empty values keep libcurl from reading the environment. An empty list means no exceptions.
  set(CURLOPT_PROXY, proxy.c_str())(CURLOPT_NOPROXY, "")(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L)(
      CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE))(CURLOPT_PROXYAUTH,
                                                                 static_cast<unsigned long>(CURLAUTH_BASIC));
}

/// Empty if it cannot be read.
std::string content_of(const std::string& path) {
  std::error_code fault;
  const auto file = File::open(path, fault);
  std::string content;
  std::array<char, 4096> part;
  while (file) {
    const auto size = file.read(part, fault);
    if (!size) return {};
    if (*size == 0) break;
    content.append(part.data(), *size);
  }
  return content;
}

Result<void> check_pem(const std::string& path, std::string_view role) {
  if (path.empty()) return {};
  const auto text = path.find('\0') == std::string::npos ? content_of(path) : std::string();
  if (text.empty())
    return Error(Errc::tls, fmt::format("cannot read the {} {}", role, path), "check its path and permissions");
  if (text.find("-----BEGIN ") == std::string::npos)
    return Error(Errc::tls, fmt::format("the {} {} is not in PEM format", role, path), "convert it to PEM");
  return {};
}

Result<void> check_unix_socket(const TransportOptions& options) {
  const std::size_t longest = longest_socket_path();
  const auto& path = options.unix_socket;
  if (path.size() > longest || path.find('\0') != std::string::npos)
    return Error(Errc::invalid_argument,
                 fmt::format("the path of the Unix socket is longer than {} bytes, or has a NUL in it", longest),
                 "use a shorter path");
  if (!path.empty() && !options.proxy.empty())
    return Error(Errc::invalid_argument, "a Unix socket and a proxy are both set", "set only one of them");
  return {};
}

Result<void> check_proxy(const std::string& proxy) {
  if (proxy.empty()) return {};
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  char* scheme = nullptr;
  auto code = url ? curl_url_set(url.get(), CURLUPART_URL, proxy.c_str(), 0) : CURLUE_OUT_OF_MEMORY;
  if (code == CURLUE_OK) code = curl_url_get(url.get(), CURLUPART_SCHEME, &scheme, 0);
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  const bool http = code == CURLUE_OK && proxy.find('\0') == std::string::npos && std::string_view(scheme) == "http";
  curl_free(scheme);
  if (http) return {};
  return Error(Errc::invalid_argument, "the proxy is not an http URL", "write it as http://[user:password@]host:port");
}

}  // namespace

Result<void> check(const TransportOptions& options) {
  const auto& tls = options.tls;
  if (auto known = check_library(tls); !known) return known;
  if (auto read = check_pem(tls.ca_file, "CA file"); !read) return read;
  if (auto read = check_pem(tls.client_certificate, "client certificate"); !read) return read;
  if (auto read = check_pem(tls.client_key, "client key"); !read) return read;
  if (auto found = check_unix_socket(options); !found) return found;
  return check_proxy(options.proxy);
}

bool set_up(CURL* easy, const TransportOptions& options, Exchange& exchange) noexcept {
  exchange.attach(easy);
  Setter set(easy);
  set_restrictions(set);
  set_callbacks(set, exchange);
  set_tls(set, options.tls);
  set_proxy(set, options.proxy);
  set.text(CURLOPT_UNIX_SOCKET_PATH, options.unix_socket);
  return set.taken() && keep_keys_secret(easy);
}

}}}  // namespace noun::curl
