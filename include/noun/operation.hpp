#pragma once
/// @file
/// A verb as a value: a request, and how its answer is read. Verbs build one; a driver runs it.

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

/// Which of the dialect's statuses of success a request expects.
enum class Verb { get, create, replace, update, remove, any };

/// What an operation sends: an address, a method, and the caller's options.
struct Intent {
  Address address;              ///< where
  Method method = Method::get;  ///< how
  Verb verb = Verb::any;        ///< for what, by the dialect's statuses
  std::string body = {};        ///< sent as it is, if `has_body`
  bool has_body = false;        ///< an empty body is not the same as none
  CallOptions options = {};     ///< the caller's
  /// What is wrong with the body, if something is: then nothing is sent.
  std::optional<Error> refused = {};
};

/// How the answer of an operation is read into `target`; false, and why, if it cannot be.
struct Reader {
  void* target = nullptr;  ///< passed to `read`; null if nothing is to be read
  /// Called once, with the last answer.
  bool (*read)(void* target, const Response& answer, std::size_t json_depth, DecodeFault& fault) = nullptr;
};

/// Runs the request on the caller's thread, waits included, and reads its answer.
/// @param intent  what to send.
/// @param reader  how to read the answer; a default-constructed one reads nothing.
/// @returns  the answer, or the error of the call.
NOUN_API Result<void> perform(const Intent& intent, Reader reader);
/// limits.json_depth of the client.
NOUN_API std::size_t json_depth_of(const Address& address) noexcept;

/// An operation without its type: what is sent, and how and where the answer is read.
struct Errand {
  Intent intent;                           ///< what is sent
  std::shared_ptr<void> target = nullptr;  ///< what the reader reads into; null if nothing is read
  Reader reader = {};                      ///< called on another thread than the caller's
};

/// How an errand ended.
struct ErrandOutcome {
  Result<void> result;           ///< the answer, or the error of the call
  std::shared_ptr<void> target;  ///< the errand's
};

/// A request whose answer is a T, not sent yet. T may be void.
/// @threadsafety  run() may be called by many threads at once.
template <class T>
class Operation {
 public:
  /// What its answer is read as.
  using value_type = T;

  /// Of an intent; sends nothing.
  explicit Operation(Intent intent) : intent_(std::move(intent)) {}

  /// What run() will send.
  const Intent& intent() const noexcept { return intent_; }

  /// Sends it, with every promise of a call, and reads the answer.
  Result<T> run() const {
    if constexpr (std::is_void_v<T>) {
      return perform(intent_, {});
    } else {
      std::optional<T> value;
      auto done = perform(intent_, {&value, &read});
      if (!done) return std::move(done).error();
      return {*std::move(value), std::move(done).response()};
    }
  }

  /// @{
  /// For drivers of many operations: the operation without its type, and its result from what came of that.
  Errand errand() const {
    if constexpr (std::is_void_v<T>) {
      return {.intent = intent_};
    } else {
      auto target = std::make_shared<std::optional<T>>();
      auto* const place = target.get();
      return {.intent = intent_, .target = std::move(target), .reader = {place, &read}};
    }
  }
  static Result<T> result_of(ErrandOutcome outcome) {
    if constexpr (std::is_void_v<T>) {
      return std::move(outcome.result);
    } else {
      if (!outcome.result) return std::move(outcome.result).error();
      return {*std::move(*static_cast<std::optional<T>*>(outcome.target.get())), std::move(outcome.result).response()};
    }
  }
  /// @}

 private:
  static bool read(void* target, const Response& answer, std::size_t depth, DecodeFault& fault) {
    auto& into = *static_cast<std::optional<T>*>(target);
    into = decode_answer<T>(answer, depth, fault);
    return into.has_value();
  }

  Intent intent_;
};

/// Names no reply type: then it is the member's.
struct Usual {};
/// R, or what is usual.
template <class R, class T>
using ReplyOf = std::conditional_t<std::same_as<R, Usual>, T, R>;

/// An operation that carries `body`.
template <class R, class B>
Operation<R> operation_with_body(const Address& address, Method method, Verb verb, const B& body, CallOptions options) {
  Intent intent{.address = address, .method = method, .verb = verb, .options = std::move(options)};
  if constexpr (!std::same_as<B, NoBody>) {
    intent.has_body = true;
    if (auto text = encode_body(body, json_depth_of(address)))
      intent.body = *std::move(text);
    else
      intent.refused = std::move(text).error();
  }
  return Operation<R>(std::move(intent));
}

}}  // namespace noun
