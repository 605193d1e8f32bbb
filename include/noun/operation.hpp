#pragma once
/// @file
/// Operations: a request, and how its response is read, as a value. Verbs build operations; drivers run them.

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <noun/address.hpp>
#include <noun/codec.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// Which of the dialect's statuses of success a request expects.
enum class Verb { get, create, replace, update, remove, any };

/// The request of an operation: an address, a method, and the caller's options.
struct OperationRequest {
  Address address;              ///< where
  Method method = Method::get;  ///< how
  Verb verb = Verb::any;        ///< selects the dialect's statuses of success
  std::string body = {};        ///< sent as it is, if `has_body`
  bool has_body = false;        ///< an empty body is not the same as none
  CallOptions options = {};     ///< the caller's
  /// The error of an invalid body; if set, nothing is sent.
  std::optional<Error> refused = {};
};

/// Reads the response of an operation into `target`. `read` returns false and sets the fault if the body does not fit.
struct Reader {
  void* target = nullptr;  ///< passed to `read`; null if nothing is to be read
  /// Called once, with the last response.
  bool (*read)(void* target, const Response& response, std::size_t json_depth, DecodeFault& fault) = nullptr;
};

/// Runs the request on the caller's thread, waits included, and reads its response.
/// @param request  what to send.
/// @param reader   how to read the response; a default-constructed one reads nothing.
/// @returns  the response, or the error of the call.
NOUN_API Result<void> perform(const OperationRequest& request, Reader reader);
/// Returns limits.json_depth of the client.
NOUN_API std::size_t json_depth_of(const Address& address) noexcept;

/// An operation without its type: what is sent, and how and where the response is read.
struct ErasedOperation {
  OperationRequest request;                ///< what is sent
  std::shared_ptr<void> target = nullptr;  ///< where the reader puts the value; null if nothing is read
  Reader reader = {};                      ///< called on another thread than the caller's
};

struct OperationAccess;

/// The result of an operation without its type.
struct ErasedResult {
  Result<void> result;           ///< the response, or the error of the call
  std::shared_ptr<void> target;  ///< holds the value; null if nothing is read
};

}  // namespace detail

/// A request that is not sent yet, whose response is read as a T. T may be void.
/// @threadsafety  run() may be called by many threads at once.
template <class T>
class Operation {
 public:
  /// What its response is read as.
  using value_type = T;

  /// Sends nothing. Programs get operations from noun::op.
  explicit Operation(detail::OperationRequest request) : request_(std::move(request)) {}

  /// Sends the request, with quota, retries and limits as for every call, and reads the response.
  /// @returns  the value, or the error of the call.
  Result<T> run() const {
    if constexpr (std::is_void_v<T>) {
      return detail::perform(request_, {});
    } else {
      std::optional<T> value;
      auto done = detail::perform(request_, {&value, &read});
      if (!done) return std::move(done).error();
      return {*std::move(value), std::move(done).response()};
    }
  }

 private:
  friend struct detail::OperationAccess;

  static bool read(void* target, const Response& response, std::size_t depth, detail::DecodeFault& fault) {
    auto& into = *static_cast<std::optional<T>*>(target);
    into = detail::decode_response<T>(response, depth, fault);
    return into.has_value();
  }

  detail::OperationRequest request_;
};

namespace detail {

/// Access to an operation for drivers.
struct OperationAccess {
  /// What run() will send.
  template <class T>
  static const OperationRequest& request_of(const Operation<T>& operation) noexcept {
    return operation.request_;
  }
  /// The operation without its type.
  template <class T>
  static ErasedOperation erase(const Operation<T>& operation) {
    if constexpr (std::is_void_v<T>) {
      return {.request = operation.request_};
    } else {
      auto target = std::make_shared<std::optional<T>>();
      auto* const place = target.get();
      return {.request = operation.request_, .target = std::move(target), .reader = {place, &Operation<T>::read}};
    }
  }
  /// The result of an Operation<T> from that of its erased one.
  template <class T>
  static Result<T> result_of(ErasedResult outcome) {
    if constexpr (std::is_void_v<T>) {
      return std::move(outcome.result);
    } else {
      if (!outcome.result) return std::move(outcome.result).error();
      return {*std::move(*static_cast<std::optional<T>*>(outcome.target.get())), std::move(outcome.result).response()};
    }
  }
};

/// Stands for the default reply type, that of the member.
struct Usual {};
/// R, or T if R is Usual.
template <class R, class T>
using ReplyOf = std::conditional_t<std::same_as<R, Usual>, T, R>;

/// An operation that carries `body`.
template <class R, class B>
Operation<R> operation_with_body(const Address& address, Method method, Verb verb, const B& body, CallOptions options) {
  OperationRequest request{.address = address, .method = method, .verb = verb, .options = std::move(options)};
  if constexpr (!std::same_as<B, NoBody>) {
    request.has_body = true;
    if (auto text = encode_body(body, json_depth_of(address)))
      request.body = *std::move(text);
    else
      request.refused = std::move(text).error();
  }
  return Operation<R>(std::move(request));
}

}  // namespace detail

}}  // namespace noun
