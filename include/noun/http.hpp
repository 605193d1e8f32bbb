#pragma once
/// @file
/// The parts of HTTP messages: methods, header fields, query parameters, requests and responses.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// An HTTP method (RFC 9110, section 9; PATCH: RFC 5789; QUERY: RFC 10008).
enum class Method {
  get,
  head,
  post,
  put,
  patch,
  delete_,
  options,
  query,  ///< a GET with a body, which says what is asked for: safe and idempotent
};

/// The method as it is written on the wire: `GET`, `DELETE`, ….
/// @threadsafety  safe, as are all functions of this file that are not members.
NOUN_API std::string_view to_string(Method method) noexcept;

/// Whether the method is safe, that is, requests no change of state: GET, HEAD, OPTIONS, QUERY.
/// @source RFC 9110, section 9.2.1; RFC 10008, section 2.
constexpr bool is_safe(Method method) noexcept {
  return method == Method::get || method == Method::head || method == Method::options || method == Method::query;
}

/// Whether the method is idempotent: every method but POST and PATCH.
/// @source RFC 9110, section 9.2.2; RFC 5789, section 2; RFC 10008, section 2.
constexpr bool is_idempotent(Method method) noexcept { return method != Method::post && method != Method::patch; }

/// Writes a method as to_string() has it.
NOUN_API std::ostream& operator<<(std::ostream& out, Method method);

/// How GoogleTest shows a method: by its name.
template <std::same_as<Method> M>
void PrintTo(const M& method, std::ostream* out) {
  *out << to_string(method);
}

/// One header field or query parameter.
struct Field {
  std::string name;   ///< as given; header names compare without case
  std::string value;  ///< as given

  /// Whether both are equal, byte by byte.
  friend bool operator==(const Field&, const Field&) = default;
};

/// One header field or query parameter as an argument: `{"page_size", 100}`.
struct FieldArgument {
  Text name;         ///< a literal, or other text
  FieldValue value;  ///< text, a number or a bool
};

namespace detail {

/// A range of pairs: the first is a name, the second a value. Not a list of fields itself: headers are no query.
template <class R>
concept FieldRange = requires(R& range) {
  requires std::convertible_to<decltype((*std::begin(range)).first), Text>;
  requires std::convertible_to<decltype((*std::begin(range)).second), FieldValue>;
  std::end(range);
};

}  // namespace detail

/// An ordered list of fields. Names may repeat; the order is kept. Values are stored as given; a call that uses them
/// refuses invalid ones.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API FieldList {
 public:
  /// @{
  /// The types that standard algorithms expect of a range.
  using value_type = Field;
  using const_iterator = std::vector<Field>::const_iterator;
  /// @}

  /// Empty.
  FieldList() = default;
  /// In the order given: `{{"state", "open"}, {"page", 2}}`.
  FieldList(std::initializer_list<FieldArgument> fields);
  /// From a range of pairs, such as a std::map or a std::vector of std::pair, in its order.
  template <detail::FieldRange Pairs>
  FieldList(Pairs&& pairs) {
    for (const auto& [name, value] : pairs) add(name, value);
  }

  /// @{
  /// The fields in order. Adding and removing invalidates iterators, as in a std::vector.
  const_iterator begin() const noexcept { return fields_.begin(); }
  const_iterator end() const noexcept { return fields_.end(); }
  /// @}
  /// The number of fields.
  std::size_t size() const noexcept { return fields_.size(); }
  /// Whether there are no fields.
  bool empty() const noexcept { return fields_.empty(); }
  /// Removes all fields.
  void clear() noexcept { fields_.clear(); }
  /// Reserves memory for `count` fields in all.
  void reserve(std::size_t count) { fields_.reserve(count); }

  /// Appends a field, even if the name exists.
  void add(Text name, FieldValue value);
  /// Appends a field.
  void push_back(Field field) { fields_.push_back(std::move(field)); }

  /// Whether both hold the same fields in the same order, byte by byte.
  friend bool operator==(const FieldList&, const FieldList&) = default;

 protected:
  /// The fields in order.
  std::vector<Field> fields_;
};

/// HTTP header fields. Names compare without case (RFC 9110, section 5.1).
///
///     noun::Headers headers = {{"Accept", "application/json"}, {"X-Page-Size", 100}};
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API Headers : public FieldList {
 public:
  /// The constructors of FieldList.
  using FieldList::FieldList;

  /// The value of the first field with that name; nothing if there is none. The view is valid as long as the field.
  std::optional<std::string_view> get(std::string_view name) const noexcept;
  /// The values of all fields with that name, in order.
  std::vector<std::string_view> values(std::string_view name) const;
  /// Whether there is a field with that name.
  bool contains(std::string_view name) const noexcept { return get(name).has_value(); }
  /// Replaces all fields with that name by one.
  void set(Text name, FieldValue value);
  /// Removes all fields with that name. Returns how many there were.
  std::size_t erase(std::string_view name);
};

/// Query parameters. Names compare exactly; both parts are percent-encoded when a call uses them.
///
///     noun::Query query = {{"state", "open"}, {"archived", false}};
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API Query : public FieldList {
 public:
  /// The constructors of FieldList.
  using FieldList::FieldList;

  /// The value of the first parameter with that name; nothing if there is none. The view is valid as long as the field.
  std::optional<std::string_view> get(std::string_view name) const noexcept;
  /// Whether there is a parameter with that name.
  bool contains(std::string_view name) const noexcept { return get(name).has_value(); }
  /// Replaces all parameters with that name by one.
  void set(Text name, FieldValue value);
  /// Removes all parameters with that name. Returns how many there were.
  std::size_t erase(std::string_view name);
};

/// Whether two header names are equal, ignoring the case of ASCII letters.
NOUN_API bool same_name(std::string_view left, std::string_view right) noexcept;

namespace detail {
struct BodyContent;
struct BodyAccess;
}  // namespace detail

/// The body of a request: none, text, or what a function of noun::body makes (<noun/body.hpp>). Copies share their
/// content.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Body {
 public:
  /// None.
  Body() = default;
  /// @{
  /// Text, sent as it is; empty text is no body.
  Body(const char* text) : Body(Text(text).str()) {}
  Body(std::string_view text) : Body(std::string(text)) {}
  Body(std::string text) {
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }
  /// @}
  Body(std::nullptr_t) = delete;

  /// Whether there is no body.
  bool empty() const noexcept { return !text_ && !content_; }

 private:
  friend struct detail::BodyAccess;

  std::shared_ptr<const std::string> text_;  // null for no text
  /// What noun::body made; null for none and for text.
  std::shared_ptr<const detail::BodyContent> content_;
};

namespace detail {

/// Access to a body for the library.
struct BodyAccess {
  /// All of it, or nothing if it is streamed.
  static std::string_view text_of(const Body& body) noexcept {
    return body.text_ ? std::string_view(*body.text_) : std::string_view();
  }
  /// What noun::body made, or null.
  static const std::shared_ptr<const BodyContent>& content_of(const Body& body) noexcept { return body.content_; }
  /// The body that noun::body made.
  static Body make(std::string text, std::shared_ptr<const BodyContent> content) {
    Body body(std::move(text));
    body.content_ = std::move(content);
    return body;
  }
};

}  // namespace detail

/// A request for `Client::send()`.
struct Request {
  Method method = Method::get;  ///< any; the caller is responsible for its meaning
  /// Relative to the client's base URL, which it cannot leave; percent-encoded by the caller; may contain a `?query`. A
  /// URL below the base URL will do too: what a server sends in Location.
  std::string path = {};
  /// Appended to the query of `path`; percent-encoded by noun.
  Query query = {};
  Headers headers = {};  ///< as CallOptions::headers
  /// Sent unchanged. A GET or HEAD with a body is refused. The body of a QUERY needs a Content-Type in `headers`, unless
  /// noun::body made it.
  Body body = {};
};

/// Why credentials are asked for.
enum class CredentialsReason {
  first,         ///< the first attempt of a call
  retry,         ///< a later attempt: after a fault, a rejection or a redirect
  unauthorized,  ///< the server rejected the credentials of the attempt before (401)
};

/// The attempt that credentials are for: all that a signature covers. The views are valid until the function returns.
struct CredentialsRequest {
  int attempt = 1;                                      ///< its number, from 1
  CredentialsReason reason = CredentialsReason::first;  ///< why they are asked for
  Method method = Method::get;                          ///< as it will be sent
  std::string_view url = {};                            ///< absolute, with the query, as it will be sent
  /// As they will be sent, but for Host, Content-Length and Accept-Encoding, the conditions of the client's cache, and
  /// the trace context.
  Headers headers = {};
  std::string_view body = {};  ///< as it will be sent; empty if there is none, or if it is streamed
  bool body_is_streamed = false;  ///< whether there is a body that is not in `body`: noun::body reads it from files
  /// What the server rejected, if `reason` is `unauthorized`. Another call may have replaced it already.
  Headers rejected = {};
  /// The time by the client's clock; for aws_sigv4() and http_signature() by that of a server that differs.
  WallTime at = {};
};

/// What the cache of the client had to do with a response (<noun/cache.hpp>).
enum class CacheStatus {
  none,       ///< nothing: it is the server's
  stored,     ///< it is the server's, and was given to the cache, which may be too small for it, or fail
  validated,  ///< it was stored, and the server confirmed it (304)
  fresh,      ///< it was stored, and was used without a request
  stale,      ///< it was stored and used without the server's confirmation, as it allows (stale-if-error, …)
};

/// The enumerator's name, as it is written here.
NOUN_API std::string_view to_string(CacheStatus status) noexcept;

/// Writes a status as to_string() has it.
NOUN_API std::ostream& operator<<(std::ostream& out, CacheStatus status);

/// How GoogleTest shows a status: by its name.
template <std::same_as<CacheStatus> S>
void PrintTo(const S& status, std::ostream* out) {
  *out << to_string(status);
}

/// A response. The body is complete and decompressed.
struct Response {
  /// 200 to 599; never 1xx.
  int status = 0;
  /// As received, without the fields of interim (1xx) responses.
  Headers headers = {};
  std::string body = {};  ///< bytes; empty if there was none
  /// The URL of the response, after redirects.
  std::string url = {};
  /// The fields after the body. noun uses none but ETag, in etag(): they are not header fields. With HTTP/2 they are
  /// received only if the response has no Content-Length, where libcurl ends the response.
  /// @source RFC 9110, section 6.5.
  Headers trailers = {};
  /// Whether the cache had a part in it.
  CacheStatus cache = CacheStatus::none;

  /// The ETag, for CallOptions::if_match and if_none_match: of `headers`, or else of `trailers`. Empty if there is none.
  /// @threadsafety  as a const function of a plain value.
  std::string etag() const { return std::string(headers.get("ETag").value_or(trailers.get("ETag").value_or(""))); }

  /// Whether all parts are equal.
  friend bool operator==(const Response&, const Response&) = default;
};

}}  // namespace noun
