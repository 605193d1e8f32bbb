// The resources and what each method does to them. A question goes in, an answer comes out; no socket,
// no clock and no rate limit is known here.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "atlas_answer.hpp"
#include "atlas_body.hpp"
#include "atlas_shelf.hpp"
#include "atlas_target.hpp"

namespace atlas {

/// A request, as far as it decides about the answer.
struct Question {
  std::string method;
  std::string target;  ///< as sent
  std::string body = {};
  Conditions conditions = {};
  std::string idempotency_key = {};
  std::string origin = {};  ///< "http://127.0.0.1:8080": what absolute links begin with
};

/// Holds the collections and answers for them. Safe to use from many threads.
class Desk {
 public:
  Desk(std::vector<Shelf> shelves, const std::string& prefix)
      : shelves_(std::move(shelves)), prefix_(split_prefix(prefix)) {}

  /// Never throws for what a question holds: a refused one is answered with a problem document.
  Answer answer(const Question& question);

  /// Members held now, by collection name.
  std::map<std::string, std::uint64_t> items() const;

  /// Creations, replacements, patches and removals so far.
  std::uint64_t applied_writes() const;

 private:
  enum class Kind { index, collection, member };
  struct Place {
    Kind kind = Kind::index;
    Shelf* shelf = nullptr;
    std::string id = {};
  };
  struct Created {
    std::string body;
    Answer answer;
  };

  Place find(const Target& target);
  Shelf* root(const std::string& name);
  Answer dispatch(const Question& question, const Target& target);

  Answer index(const Question& question) const;
  Answer list(const Question& question, const Target& target, const Shelf& shelf) const;
  Answer create(const Question& question, const Target& target, Shelf& shelf);
  Answer create_once(const Question& question, const Target& target, Shelf& shelf);
  Answer read(const Question& question, const Target& target, const Place& place) const;
  Answer replace(const Question& question, const Target& target, const Place& place);
  Answer update(const Question& question, const Target& target, const Place& place);
  Answer remove(const Question& question, const Target& target, const Place& place);

  mutable std::shared_mutex mutex_;
  std::vector<Shelf> shelves_;
  std::vector<std::string> prefix_;
  std::unordered_map<std::string, Created> created_;  // by path and idempotency key
  std::uint64_t applied_writes_ = 0;
};

}  // namespace atlas
