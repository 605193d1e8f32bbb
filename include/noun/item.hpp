#pragma once
/// @file
/// A member of a collection, or a singleton, with the verbs GET, PUT, PATCH and DELETE.

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>

#include <noun/operation.hpp>
#include <noun/text.hpp>

namespace noun { inline namespace v0 {

template <class T>
class Collection;

/// The address of one member. Cheap to copy; making one sends nothing. Its verbs may be called by many threads at once.
///
/// Every verb returns a Result and throws nothing; its errors are those of a call (noun::Errc). `R` is the type of the
/// response, by default T; `void` if the server responds without a representation.
template <class T = Json>
class Item {
 public:
  /// An item at an address. Programs get items from a Collection, a Client or another Item.
  explicit Item(Address address) : address_(std::move(address)) {}

  /// GET: reads the member.
  /// @tparam R       what the response is read as.
  /// @param options  of this call.
  /// @returns        the member, or an error of any code but `incomplete`, `expired_cursor` and `operation_failed`;
  ///                 `not_found` if there is none.
  template <class R = T>
  Result<R> get(CallOptions options = CallOptions()) const {
    return Operation<R>({address_, detail::VerbRequest{.verb = detail::Verb::get, .options = std::move(options)}}).run();
  }

  /// PUT: replaces the member as a whole, or creates it where the server allows that.
  /// @tparam R       what the response is read as; `void` if the server responds without a body.
  /// @param body     as of Collection::create().
  /// @param options  of this call; `if_match` prevents overwriting another client's change.
  /// @returns        the member as the server returned it, or an error as from get(); `no_content` if it sent none and
  ///                 R is neither Json (then null) nor void.
  template <class R = T, class B = T>
  Result<R> replace(const B& body, CallOptions options = CallOptions()) const {
    return detail::operation_with_body<R>(address_, Method::put, detail::Verb::replace, body, std::move(options)).run();
  }

  /// PATCH: changes a part of the member. Without an idempotency key it is not repeated if it may have arrived.
  /// @tparam R       what the response is read as; `void` if the server responds without a body.
  /// @param patch    the patch document, sent with the dialect's patch content type.
  /// @param options  of this call.
  /// @returns        the member as the server returned it, or an error as from replace().
  template <class R = T, class B>
  Result<R> update(const B& patch, CallOptions options = CallOptions()) const {
    return detail::operation_with_body<R>(address_, Method::patch, detail::Verb::update, patch, std::move(options))
        .run();
  }
  /// The same with the members of the patch: `update({{"title", "x"}, {"done", true}})`.
  template <class R = T>
  Result<R> update(std::initializer_list<detail::PatchMember> patch, CallOptions options = CallOptions()) const {
    return update<R>(detail::patch_of(patch), std::move(options));
  }

  /// DELETE: removes the member. A 404 or 410 after an attempt of this call that may have been applied is a success.
  /// @tparam R       what the response is read as, if the server sends a body.
  /// @param options  of this call.
  /// @returns        success, or an error as from get().
  template <class R = void>
  Result<R> remove(CallOptions options = CallOptions()) const {
    return detail::operation_with_body<R>(address_, Method::delete_, detail::Verb::remove, no_body, std::move(options))
        .run();
  }
  /// The same with a body, for APIs that take one: HTTP gives the body of a DELETE no meaning, and a proxy in between
  /// may refuse it.
  /// @param body     a value that nlohmann can write, a noun::Json, or a body of noun::body; not text. A condition is
  ///                 an option: `remove({.if_match = etag})`.
  /// @param options  of this call.
  /// @source         RFC 9110, section 9.3.5.
  template <class R = void, class B>
    requires(!std::same_as<B, CallOptions> && !std::convertible_to<const B&, Text>)
  Result<R> remove(const B& body, CallOptions options = CallOptions()) const {
    return detail::operation_with_body<R>(address_, Method::delete_, detail::Verb::remove, body, std::move(options))
        .run();
  }

  /// @{
  /// The collection below this item.
  template <class U = Json>
  Collection<U> collection(Name name) const {
    return Collection<U>(address_.below(name));
  }
  template <class U = Json>
  Collection<U> collection(const RuntimeName& name) const {
    return Collection<U>(address_.below(name));
  }
  /// @}

  /// This address as a collection, for a list at an id: RabbitMQ lists the queues of a virtual host at
  /// `/queues/{vhost}`, and `queues["/"].as_collection()["jobs"]` is the item `/queues/%2F/jobs`.
  /// @tparam U  what a member is read as; by default what the item is.
  template <class U = T>
  Collection<U> as_collection() const {
    return Collection<U>(address_);
  }

  /// @{
  /// The item without an id below this item.
  template <class U = Json>
  Item<U> singleton(Name name) const {
    return Item<U>(address_.below(name));
  }
  template <class U = Json>
  Item<U> singleton(const RuntimeName& name) const {
    return Item<U>(address_.below(name));
  }
  /// @}

  /// The address of the item.
  const Address& address() const noexcept { return address_; }
  /// The path below the base URL, percent-encoded.
  const std::string& path() const noexcept { return address_.path(); }

 private:
  Address address_;
};

}}  // namespace noun
