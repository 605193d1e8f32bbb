#include "curl/curl_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "curl/content_decoder.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// A line without a value keeps libcurl from adding the field. A field of the caller overrides it.
struct Default {
  std::string_view name;
  bool with_body_only;
  std::string_view (*value)() noexcept = nullptr;
};
constexpr std::array defaults{
    Default{"Accept", false},
    Default{"Accept-Encoding", false, decoded_codings},
    Default{"Content-Type", true},
    Default{"Expect", true},
};

// Fields that describe the framing are set by the transport only. "Expect: 100-continue" is not used.
bool is_framing(std::string_view name) noexcept {
  switch (name.size()) {
    case 4: return same_name(name, "Host");
    case 6: return same_name(name, "Expect");
    case 14: return same_name(name, "Content-Length");
    case 17: return same_name(name, "Transfer-Encoding");
    default: return false;
  }
}

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t") == std::string_view::npos; }

// libcurl sends "Name;" as a field with an empty value, and does not send "Name:".
std::string line_of(const Field& field) {
  std::string line;
  line.reserve(field.name.size() + 2 + field.value.size());
  line += field.name;
  if (is_blank(field.value)) return line += ';';
  line += ": ";
  return line += field.value;
}

std::string line_of(const Default& field) {
  const auto value = field.value != nullptr ? field.value() : std::string_view();
  std::string line;
  line.reserve(field.name.size() + 2 + value.size());
  line += field.name;
  line += value.empty() ? ":" : ": ";
  return line += value;
}

bool is_line_of(std::string_view line, const Field& field) noexcept {
  if (!line.starts_with(field.name)) return false;
  line.remove_prefix(field.name.size());
  if (is_blank(field.value)) return line == ";";
  return line.starts_with(": ") && line.substr(2) == field.value;
}

// libcurl has three shapes of a request; the method is set as a custom name.
const char* custom_name(Method method, bool with_body) noexcept {
  switch (method) {
    case Method::get: return with_body ? "GET" : nullptr;
    case Method::head:
    case Method::post: return nullptr;
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::delete_: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::query: return "QUERY";
  }
  return nullptr;
}

// RFC 9110, section 8.6: requests with these methods declare a length of 0 if they have no content.
bool expects_body(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch || method == Method::query;
}

template <class T>
CURLcode set_if_new(CURL* easy, CURLoption option, T& current, T wanted) noexcept {
  if (current == wanted) return CURLE_OK;
  current = wanted;
  return curl_easy_setopt(easy, option, wanted);
}

}  // namespace

bool HeaderLines::same(const Headers& headers, bool body) const noexcept {
  if (nodes_.empty() || body_ != body) return false;
  std::size_t at = 0;
  for (const auto& field : headers) {
    if (is_framing(field.name)) continue;
    if (at == own_ || !is_line_of(lines_[at], field)) return false;
    ++at;
  }
  return at == own_;
}

bool HeaderLines::assign(const Headers& headers, bool body) {
  if (same(headers, body)) return false;
  lines_.clear();
  nodes_.clear();
  for (const auto& field : headers)
    if (!is_framing(field.name)) lines_.push_back(line_of(field));
  own_ = lines_.size();
  for (const auto& one : defaults)
    if ((body || !one.with_body_only) && (is_framing(one.name) || !headers.contains(one.name)))
      lines_.push_back(line_of(one));
  nodes_.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    nodes_[i] = {lines_[i].data(), i + 1 < lines_.size() ? &nodes_[i + 1] : nullptr};
  body_ = body;
  return true;
}

CURLcode Options::apply(CURL* easy, const Attempt& attempt) {
  CURLcode code = CURLE_OK;
  if (url_ != attempt.url) code = apply_url(easy, attempt.url);
  if (code == CURLE_OK) code = apply_version(easy);
  if (code == CURLE_OK) code = apply_method(easy, attempt);
  if (code == CURLE_OK && headers_.assign(attempt.headers, shape_ == Shape::with_body))
    code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.list());
  if (code == CURLE_OK) code = apply_times(easy, attempt);
  return code;
}

// libcurl would parse the URL for each request, and write it anew. A URL that cannot be parsed is left to it, for its
// error.
CURLcode Options::apply_url(CURL* easy, std::string_view url) {
  url_ = url;
  const auto code = curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  // libcurl keeps the previous one until it has the new one.
  const auto previous = std::exchange(parsed_url_, decltype(parsed_url_)(curl_url()));
  if (!parsed_url_) return CURLE_OUT_OF_MEMORY;
  constexpr unsigned as_libcurl =
      CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_PATH_AS_IS;
  const bool parsed = curl_url_set(parsed_url_.get(), CURLUPART_URL, url_.c_str(), as_libcurl) == CURLUE_OK;
  if (code != CURLE_OK) return code;
  const auto kept = curl_easy_setopt(easy, CURLOPT_CURLU, parsed ? parsed_url_.get() : nullptr);
  return kept == CURLE_OK ? apply_target(easy) : kept;
}

// If memory runs out while libcurl 7.88 takes the query from the URL, it sends the request without a query. It sends a
// target as it is. To a proxy it sends the whole URL, in one piece.
CURLcode Options::apply_target(CURL* easy) {
  const auto parts = wire::split_url(url_);
  if (parts.query.empty() || (has_proxy_ && parts.scheme != "https"))
    return curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, nullptr);
  std::string target(parts.path.empty() ? "/" : parts.path);
  (target += '?') += parts.query;
  return curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, target.c_str());
}

// Without TLS noun speaks HTTP/1.1. libcurl 7.88 would share its connections after a status line of HTTP/2.
CURLcode Options::apply_version(CURL* easy) {
  static const bool has_http2 = (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
  const bool tls = !wire::is_of_scheme(url_, "http");
  return set_if_new<long>(easy, CURLOPT_HTTP_VERSION, version_,
                          tls && has_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
}

CURLcode Options::apply_method(CURL* easy, const Attempt& attempt) {
  const bool with_body = attempt.method != Method::head && (attempt.has_body || expects_body(attempt.method));
  const auto shape = attempt.method == Method::head ? Shape::head : with_body ? Shape::with_body : Shape::bare;
  // Without fields libcurl reads the body from the exchange.
  const bool streamed = attempt.source != nullptr;
  const char* body = !with_body || streamed                      ? nullptr
                     : attempt.has_body && !attempt.body.empty() ? attempt.body.data()
                                                                 : "";
  const auto size = streamed                        ? static_cast<curl_off_t>(attempt.source->size())
                    : with_body && attempt.has_body ? static_cast<curl_off_t>(attempt.body.size())
                                                    : 0;
  if (shape == shape_ && attempt.method == method_ && body == body_ && size == body_size_) return CURLE_OK;
  shape_ = shape;
  method_ = attempt.method;
  body_ = body;
  body_size_ = size;
  // Set the shape last: setting a body makes the request a POST.
  const CURLoption shape_option = shape == Shape::head        ? CURLOPT_NOBODY
                                  : shape == Shape::with_body ? CURLOPT_POST
                                                              : CURLOPT_HTTPGET;
  auto code = curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, shape_option, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, custom_name(method_, with_body));
  return code;
}

CURLcode Options::apply_times(CURL* easy, const Attempt& attempt) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  auto code = set_if_new(easy, CURLOPT_TIMEOUT_MS, timeout_ms_,
                         attempt.timeout > std::chrono::hours(24) ? 0 : whole<milliseconds>(attempt.timeout));
  if (code == CURLE_OK)
    code = set_if_new(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms_, whole<milliseconds>(attempt.timeouts.connect));
  if (code == CURLE_OK) code = set_if_new(easy, CURLOPT_MAXAGE_CONN, idle_s_, whole<seconds>(attempt.limits.idle_time));
  return code;
}

}}}  // namespace noun::curl
