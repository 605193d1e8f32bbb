// The resources, and what each method does to them. Independent of sockets, clocks and rate limits.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "atlas_body.hpp"
#include "atlas_collection.hpp"
#include "atlas_response.hpp"
#include "atlas_target.hpp"

namespace atlas {

/// The parts of a request that the response depends on.
struct Request {
  std::string method;
  std::string target;  ///< as received, percent-encoded
  std::string body = {};
  Conditions conditions = {};
  std::string idempotency_key = {};
  std::string origin = {};  ///< prefix of absolute links, such as "http://127.0.0.1:8080"
};

/// Holds the collections and handles requests for them. Thread-safe.
class RequestHandler {
 public:
  RequestHandler(std::vector<Collection> collections, const std::string& prefix)
      : collections_(std::move(collections)), prefix_(split_prefix(prefix)) {}

  /// Returns a problem document for an invalid request; does not throw HttpError.
  Response handle(const Request& request);

  /// The current number of members, by collection name.
  std::map<std::string, std::uint64_t> items() const;

  /// The number of creations, replacements, patches and removals so far.
  std::uint64_t applied_writes() const;

 private:
  enum class Kind { index, collection, member };
  struct Route {
    Kind kind = Kind::index;
    Collection* collection = nullptr;
    std::string id = {};
  };
  struct Created {
    std::string body;
    Response response;
  };

  Route route(const Target& target);
  Collection* find_collection(const std::string& name);
  Response dispatch(const Request& request, const Target& target);

  Response index(const Request& request) const;
  Response list(const Request& request, const Target& target, const Collection& collection) const;
  Response create(const Request& request, const Target& target, Collection& collection);
  Response create_once(const Request& request, const Target& target, Collection& collection);
  Response read(const Request& request, const Target& target, const Route& route) const;
  Response replace(const Request& request, const Target& target, const Route& route);
  Response update(const Request& request, const Target& target, const Route& route);
  Response remove(const Request& request, const Target& target, const Route& route);

  mutable std::shared_mutex mutex_;
  std::vector<Collection> collections_;
  std::vector<std::string> prefix_;
  std::unordered_map<std::string, Created> created_;  // by path and idempotency key
  std::uint64_t applied_writes_ = 0;
};

}  // namespace atlas
