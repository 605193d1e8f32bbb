#pragma once
/// @file
/// A collection of members, with the verbs GET (of a list) and POST. A whole collection cannot be replaced or deleted.

#include <string>
#include <utility>
#include <vector>

#include <noun/item.hpp>
#include <noun/listing.hpp>
#include <noun/operation.hpp>

namespace noun { inline namespace v0 {

/// The address of a collection. Cheap to copy; making one sends nothing. Its verbs may be called by many threads at
/// once.
template <class T = Json>
class Collection {
 public:
  /// What a member is read as.
  using value_type = T;

  /// A collection at an address. Programs get collections from a Client or an Item.
  explicit Collection(Address address) : address_(std::move(address)) {}

  /// GET, page by page: the members, fetched when needed. Nothing is sent before begin(). A 204 is an empty page. Unless
  /// Dialect::get_statuses has it, the observer receives one notice of it in the life of the client; under
  /// ClientOptions::strict_statuses it is an error (`protocol`).
  /// @param options  of this listing.
  Listing<T> list(ListOptions options = ListOptions()) const { return list_as<T>(std::move(options)); }
  /// The same, if the items of the list differ from the members: they have less, or names (Paging::items_are_members).
  /// @tparam R       what an item of the list is read as.
  /// @param options  of this listing.
  template <class R>
  Listing<R> list_as(ListOptions options = ListOptions()) const {
    return Listing<R>(detail::PageSource(address_, std::move(options)));
  }

  /// POST: creates a member. Without an idempotency key it is not repeated if it may have arrived: the error then has
  /// `sent() == maybe`.
  /// @tparam R       what the response is read as; `void` if the server responds without a body.
  /// @param body     a value that nlohmann can write, a noun::Json, a body of noun::body, or noun::no_body. Text
  ///                 becomes a JSON string: send what is JSON already with noun::body::bytes(text, "application/json").
  /// @param options  of this call.
  /// @returns        the created member as the server returned it, or an error of any code but `incomplete`,
  ///                 `expired_cursor` and `operation_failed`; `no_content` if it sent none and R is neither Json (then
  ///                 null) nor void. Success and error have the Location in the headers of response().
  template <class R = T, class B = T>
  Result<R> create(const B& body, CallOptions options = CallOptions()) const {
    return detail::operation_with_body<R>(address_, Method::post, detail::Verb::create, body, std::move(options)).run();
  }

  /// The member with this id: an integer, text, or a Json that is one of these.
  Item<T> operator[](const Id& id) const { return Item<T>(address_.member(id)); }
  /// The member whose address has several path parameters: `repos.item("fmtlib", "fmt")`.
  template <class... More>
    requires(std::convertible_to<const More&, Id> && ...)
  Item<T> item(const Id& id, const More&... more) const {
    auto address = address_.member(id);
    ((address = address.member(more)), ...);
    return Item<T>(std::move(address));
  }

  /// GET of many members, several at a time, under the same quota.
  /// @param ids      a range of ids, as for operator[]; copied.
  /// @param many     how many at once, as in Client::run_all(): `{.in_flight = 8}`.
  /// @param options  of each call.
  /// @returns        an input range of their results, in the order of the ids.
  template <class Ids>
  Outcomes<T> get_all(const Ids& ids, RunOptions many = {},
                      const CallOptions& options = CallOptions()) const {
    std::vector<Operation<T>> operations;
    for (const auto& id : ids)
      operations.push_back(
          Operation<T>({address_.member(id), detail::VerbRequest{.verb = detail::Verb::get, .options = options}}));
    return Outcomes<T>(std::move(operations), many);
  }

  /// The address of the collection.
  const Address& address() const noexcept { return address_; }
  /// The path below the base URL, percent-encoded.
  const std::string& path() const noexcept { return address_.path(); }

 private:
  Address address_;
};

}}  // namespace noun
