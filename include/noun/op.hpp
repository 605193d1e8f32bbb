#pragma once
/// @file
/// The verbs as values: each returns an Operation and sends nothing. For Client::run_all(), noun::start(),
/// noun::async(), noun::async_run() and noun::future().
///
///     auto rename = noun::op::update(tasks[7], noun::Json{{"title", "new"}});
///     auto renamed = rename.run();

#include <concepts>
#include <initializer_list>
#include <utility>

#include <noun/client.hpp>
#include <noun/collection.hpp>
#include <noun/detail/event_operation.hpp>
#include <noun/detail/page_operation.hpp>
#include <noun/download.hpp>
#include <noun/item.hpp>
#include <noun/operation.hpp>
#include <noun/text.hpp>

namespace noun { inline namespace v0 { namespace op {

// The options have no default argument: GCC 12 destroys an aggregate that is made inside a co_await expression twice.

/// GET of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param options  of the call.
/// @returns        what Item::get() would run.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> get(const Item<T>& item, CallOptions options) {
  return Operation<detail::ReplyOf<R, T>>(
      {item.address(), detail::VerbRequest{.verb = detail::Verb::get, .options = std::move(options)}});
}
/// The same without options.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> get(const Item<T>& item) {
  return get<R>(item, CallOptions());
}
/// POST to a collection.
/// @tparam R          what the response is read as; by default a member.
/// @param collection  where.
/// @param body        as of Collection::create().
/// @param options     of the call.
/// @returns           what Collection::create() would run.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> create(const Collection<T>& collection, const B& body, CallOptions options) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(collection.address(), Method::post, detail::Verb::create,
                                                            body, std::move(options));
}
/// The same without options.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> create(const Collection<T>& collection, const B& body) {
  return create<R>(collection, body, CallOptions());
}
/// PUT of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param body     as of create().
/// @param options  of the call.
/// @returns        what Item::replace() would run.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> replace(const Item<T>& item, const B& body, CallOptions options) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(item.address(), Method::put, detail::Verb::replace, body,
                                                            std::move(options));
}
/// The same without options.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> replace(const Item<T>& item, const B& body) {
  return replace<R>(item, body, CallOptions());
}
/// PATCH of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param patch    the patch document.
/// @param options  of the call.
/// @returns        what Item::update() would run.
template <class R = detail::Usual, class T, class B>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, const B& patch, CallOptions options) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(item.address(), Method::patch, detail::Verb::update, patch,
                                                            std::move(options));
}
/// The same without options.
template <class R = detail::Usual, class T, class B>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, const B& patch) {
  return update<R>(item, patch, CallOptions());
}
/// The same with the members of the patch: `op::update(item, {{"title", "x"}})`.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, std::initializer_list<detail::PatchMember> patch,
                                        CallOptions options) {
  return update<R>(item, detail::patch_of(patch), std::move(options));
}
/// The same without options.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, std::initializer_list<detail::PatchMember> patch) {
  return update<R>(item, detail::patch_of(patch), CallOptions());
}
/// DELETE of a member.
/// @tparam R       what the response is read as, where the server sends one.
/// @param item     the member.
/// @param options  of the call.
/// @returns        what Item::remove() would run.
template <class R = void, class T>
Operation<R> remove(const Item<T>& item, CallOptions options) {
  return detail::operation_with_body<R>(item.address(), Method::delete_, detail::Verb::remove, no_body,
                                        std::move(options));
}
/// The same without options.
template <class R = void, class T>
Operation<R> remove(const Item<T>& item) {
  return remove<R>(item, CallOptions());
}
/// DELETE of a member with a body.
/// @tparam R       what the response is read as, where the server sends one.
/// @param item     the member.
/// @param body     as of Item::remove().
/// @param options  of the call.
/// @returns        what Item::remove() would run.
template <class R = void, class T, class B>
  requires(!std::convertible_to<const B&, Text>)
Operation<R> remove(const Item<T>& item, const B& body, CallOptions options) {
  return detail::operation_with_body<R>(item.address(), Method::delete_, detail::Verb::remove, body,
                                        std::move(options));
}
/// The same without options.
template <class R = void, class T, class B>
  requires(!std::same_as<B, CallOptions> && !std::convertible_to<const B&, Text>)
Operation<R> remove(const Item<T>& item, const B& body) {
  return remove<R>(item, body, CallOptions());
}

/// A request that is not resource-shaped.
/// @returns  what Client::send() would run.
NOUN_API Operation<Response> send(const Client& api, Request request, CallOptions options);
/// The same without options.
NOUN_API Operation<Response> send(const Client& api, Request request);

/// A download. In the background it occupies a thread of noun until it ends. A client has up to 64 of them for
/// downloads and streams together; another one waits. The function of the target is called there.
/// @returns  what Client::download() would run.
NOUN_API Operation<Download> download(const Client& api, Request request, DownloadTarget target,
                                      DownloadOptions options);
/// The same without options.
NOUN_API Operation<Download> download(const Client& api, Request request, DownloadTarget target);

/// The end of a long-running operation.
/// @returns  what Client::finish() would run.
template <class R = Json, class From>
Operation<R> finish(const Client& api, const From& from, FinishOptions options) {
  return Operation<R>(detail::finish_from(api, from, std::move(options)));
}
/// The same without options.
template <class R = Json, class From>
Operation<R> finish(const Client& api, const From& from) {
  return finish<R>(api, from, FinishOptions());
}

/// The next page of a listing, as Listing::pages() delivers it, or an empty optional at the end. After an error the
/// next operation fetches the page again, unless the error is permanent (see Listing). While an operation runs, a
/// second one returns `invalid_argument`, and the listing's iterators deliver it. An operation keeps what it needs of
/// the listing and the client alive.
template <class T>
Operation<std::optional<Page<T>>> next_page(Listing<T>& listing) {
  auto state = detail::ListingAccess::state_of(listing);
  return Operation<std::optional<Page<T>>>(
      {state->source().address(), std::make_shared<detail::NextPage<T>>(std::move(state))});
}
/// Does not compile, and says why.
template <class T>
Operation<std::optional<Page<T>>> next_page(Listing<T>&& listing) {
  static_assert(sizeof(T) == 0, "noun: keep the listing in a variable: of a temporary this would always be page 1");
  return next_page(listing);
}

/// The next event of a stream, or an empty optional at its end. An error ends the stream, unless it is of an event and
/// StreamOptions::bad_items says otherwise. While an operation runs, a second one returns `invalid_argument`. A stopped
/// one takes no event. An operation keeps what it needs of the stream and the client alive.
template <class T>
Operation<std::optional<StreamItem<T>>> next_event(Stream<T>& stream) {
  const auto& source = detail::StreamAccess::source_of(stream);
  return Operation<std::optional<StreamItem<T>>>({source->address(), std::make_shared<detail::NextEvent<T>>(source)});
}
/// Does not compile, and says why.
template <class T>
Operation<std::optional<StreamItem<T>>> next_event(Stream<T>&& stream) {
  static_assert(sizeof(T) == 0, "noun: keep the stream in a variable: of a temporary this would always be event 1");
  return next_event(stream);
}

}}}  // namespace noun::op
