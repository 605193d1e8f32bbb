#pragma once
/// @file
/// One call and what the cache has for it: which stored response is used, what the server is asked, and what is stored.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/cache.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "cache/flights.hpp"
#include "cache/freshness.hpp"
#include "cache/stored_response.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace cache {

/// Whether a request may use a cache: it is a GET, HEAD or QUERY without a Range and without conditions of its own.
bool may_use_cache(Method method, const Headers& fields);

/// Whether a header field describes the body of its message: Content-Type, Content-Encoding, ….
bool describes_body(std::string_view field) noexcept;

/// The header fields of an attempt, and which of them are credentials.
struct RequestFields {
  const Headers& all;
  const Headers& credentials;
  /// Whether the credentials of the attempt are not known yet, so that `all` has none.
  bool incomplete = false;
};

/// How a response relates to what is stored.
enum class Answer {
  as_received,  ///< the response is the server's
  confirmed,    ///< the response was stored, and the server has confirmed it
  unexpected,   ///< a 304 that confirms nothing that is stored: send the request again
};

/// The part of the cache in one call, over all its attempts. Attempts at the URL of a redirect have no part in it. The
/// functions that calls use are virtual: see Cache::access().
class Exchange {
 public:
  struct Settings {
    CacheMode mode = CacheMode::validate;
    bool reload = false;
    /// Dialect::validates_by_date.
    bool by_date = false;
    /// Whether a response is used for the same credentials only.
    bool by_credentials = false;
  };

  /// @param seed   of digests of request fields.
  /// @param bytes  of what is stored for the URL; null if nothing is. What cannot be read is not used.
  Exchange(Settings settings, const wire::HashSeed& seed, Bytes bytes) : settings_(settings), hash_(seed) {
    use(std::move(bytes));
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// Whether the call is to wait for the response to an identical request that is in flight; once, so that calls for what
  /// cannot be shared do not wait one after another.
  virtual bool follow(const std::shared_ptr<Flights>& flights, const Flights::Request& request);
  /// At first: whether there are bytes that cannot be read.
  bool is_damaged() const noexcept { return bytes_ && stored_.empty(); }
  /// Whether identical requests in flight share a response.
  bool shares_flights() const noexcept { return settings_.mode == CacheMode::rfc9111 && !settings_.reload; }
  /// The call sends its first attempt, which others may follow until land().
  virtual void lead(const std::shared_ptr<Flights>& flights, Flights::Request request);
  /// What wakes a call that follows; null if it does not, or does not any more.
  virtual std::shared_ptr<quota::Wakeable> waiting() const noexcept { return seat_ ? seat_->waiting() : nullptr; }
  /// Takes over what the request that the call follows has stored. Returns false if it has not ended.
  virtual bool take_landed();
  /// The attempt has ended, and the call waits, or has ended too: returns those that followed it, and are to be woken.
  virtual Flights::Followers land() noexcept { return seat_ ? seat_->land(change()) : Flights::Followers(); }

  /// Takes a stored response that may be used without a request, if there is one.
  virtual std::optional<Response> ready(std::string_view url, const RequestFields& fields, WallTime now);
  /// Whether add_fields() may add something to the next attempt.
  bool may_add_fields() const noexcept { return settings_.reload || !(unconditional_ || stored_.empty()); }
  /// Adds the conditions of an attempt to its fields.
  virtual void add_fields(Headers& fields, const Headers& credentials);
  /// The response of an attempt that is not a rejection. Unless it is unexpected, the call makes no other attempt at the
  /// URL.
  /// @param response  becomes the stored one, with what the server has changed, if that is confirmed.
  /// @param fields    of the attempt.
  virtual Answer on_response(Response& response, const RequestFields& fields, const Arrival& arrival, WallTime now);
  /// Returns a stored response that may be used because the server failed, if there is one.
  virtual std::optional<Response> instead_of_failure(std::string_view url, const RequestFields& fields,
                                                     WallTime now) const;

  /// Whether the response of ready() is to be validated in the background.
  bool must_revalidate() const noexcept { return must_revalidate_; }
  /// The bytes to be stored in place of what was, empty if nothing is left; null if that has not changed.
  const Bytes& change() const noexcept { return change_; }

 private:
  void use(Bytes bytes);
  std::size_t selected(const RequestFields& fields) const;
  bool is_selected(const StoredResponse& stored, const RequestFields& fields) const;
  std::string digest_of(const std::vector<std::string_view>& names, const Headers& fields) const;
  std::string digest_of_credentials(const Headers& credentials) const;
  std::size_t confirmed_by(const Response& response, const RequestFields& fields) const;
  bool may_store(const Response& response, const Headers& request, WallTime now) const;
  bool store(const Response& response, bool is_confirmed, const RequestFields& fields, const Arrival& arrival,
             WallTime now);

  Settings settings_;
  wire::KeyedHash hash_;
  Bytes bytes_;
  /// Views of `bytes_`.
  StoredResponses stored_;
  /// The stored responses of which the server may confirm one, by the conditions of the last attempt.
  std::vector<std::size_t> asked_;
  /// After an unexpected 304.
  bool unconditional_ = false;
  bool must_revalidate_ = false;
  bool has_followed_ = false;
  Bytes change_;
  std::optional<Flights::Seat> seat_;
};

/// The URLs of which nothing stored may be used any more after a call, each without its query: the request's, the
/// collection that contains the item, and at the same origin those that it was redirected to and of Location and
/// Content-Location.
/// @param collection  the URL of the collection, or empty.
/// @param response    null if there was none: the request may have been processed.
/// @source RFC 9111, section 4.4.
std::vector<std::string> invalidated_by(std::string_view url, std::string_view collection, const Response* response);

/// A URL without its query and its trailing slash, by which stored responses are removed.
std::string_view group_of(std::string_view url) noexcept;

}}}  // namespace noun::cache
