#pragma once
/// @file
/// The verbs as values: each returns an Operation and sends nothing. For Client::run_all(), or to run later.
///
///     auto rename = noun::op::update(tasks[7], noun::Json{{"title", "new"}});
///     auto renamed = rename.run();

#include <initializer_list>
#include <utility>

#include <noun/collection.hpp>
#include <noun/item.hpp>
#include <noun/operation.hpp>

namespace noun { inline namespace v0 { namespace op {

/// GET of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param options  of the call.
/// @returns        what Item::get() would run.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> get(const Item<T>& item, CallOptions options = {}) {
  return Operation<detail::ReplyOf<R, T>>(
      {.address = item.address(), .verb = detail::Verb::get, .options = std::move(options)});
}
/// POST to a collection.
/// @tparam R          what the response is read as; by default a member.
/// @param collection  where.
/// @param body        anything nlohmann can write, a noun::Json, or noun::no_body.
/// @param options     of the call.
/// @returns           what Collection::create() would run.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> create(const Collection<T>& collection, const B& body, CallOptions options = {}) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(collection.address(), Method::post, detail::Verb::create,
                                                            body, std::move(options));
}
/// PUT of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param body     as of create().
/// @param options  of the call.
/// @returns        what Item::replace() would run.
template <class R = detail::Usual, class T, class B = T>
Operation<detail::ReplyOf<R, T>> replace(const Item<T>& item, const B& body, CallOptions options = {}) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(item.address(), Method::put, detail::Verb::replace, body,
                                                            std::move(options));
}
/// PATCH of a member.
/// @tparam R       what the response is read as; by default what the item is.
/// @param item     the member.
/// @param patch    the patch document.
/// @param options  of the call.
/// @returns        what Item::update() would run.
template <class R = detail::Usual, class T, class B>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, const B& patch, CallOptions options = {}) {
  return detail::operation_with_body<detail::ReplyOf<R, T>>(item.address(), Method::patch, detail::Verb::update, patch,
                                                            std::move(options));
}
/// The same with the members of the patch: `op::update(item, {{"title", "x"}})`.
template <class R = detail::Usual, class T>
Operation<detail::ReplyOf<R, T>> update(const Item<T>& item, std::initializer_list<detail::PatchMember> patch,
                                        CallOptions options = {}) {
  return update<R>(item, detail::patch_of(patch), std::move(options));
}
/// DELETE of a member.
/// @tparam R       what the response is read as, where the server sends one.
/// @param item     the member.
/// @param options  of the call.
/// @returns        what Item::remove() would run.
template <class R = void, class T>
Operation<R> remove(const Item<T>& item, CallOptions options = {}) {
  return Operation<R>({.address = item.address(),
                       .method = Method::delete_,
                       .verb = detail::Verb::remove,
                       .options = std::move(options)});
}

}}}  // namespace noun::op
