#pragma once
/// @file
/// A verb as a value: a request, and how its answer is read. Verbs build one; a driver runs it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <noun/address.hpp>
#include <noun/codec.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>

namespace noun::inline v0 {

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

/// A request whose answer is a T, not sent yet. T may be void.
/// @threadsafety  run() may be called by many threads at once.
template <class T>
class Operation {
 public:
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
      auto done = perform(intent_, {&value, [](void* target, const Response& answer, std::size_t depth,
                                               DecodeFault& fault) {
                                      auto& into = *static_cast<std::optional<T>*>(target);
                                      into = decode_answer<T>(answer, depth, fault);
                                      return into.has_value();
                                    }});
      if (!done) return std::move(done).error();
      return {*std::move(value), std::move(done).response()};
    }
  }

 private:
  Intent intent_;
};

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

}  // namespace noun::inline v0
