#pragma once
/// @file
/// Operations that are started now and end later, on an executor of the program.
///
///     auto call = noun::start(noun::op::get(languages["deu"]), executor, [](noun::Result<Language> language) {
///       if (language) use(*language);
///     });
///     call.stop();  // if it is no longer needed

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <noun/operation.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {

/// What is done with the result of an operation that was started.
class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  virtual ~Completion() = default;
  /// Called at most once, on the executor.
  virtual void complete(ErasedResult result) = 0;
  /// Whether a thread may wait for complete(), which is then called, anywhere, also when the process ends.
  virtual bool is_awaited() const noexcept { return false; }
};

/// Completes by calling a function with the Result<T>.
template <class T, class F>
class FunctionCompletion final : public Completion {
 public:
  explicit FunctionCompletion(F function) : function_(std::move(function)) {}
  void complete(ErasedResult result) override {
    std::invoke(function_, OperationAccess::result_of<T>(std::move(result)));
  }

 private:
  F function_;
};

class StartedCall;
struct StartedAccess;

}  // namespace detail

/// An operation that was started. Cheap to copy; dropping it does not cancel the operation.
/// @threadsafety  safe.
class NOUN_API Started {
 public:
  /// Of no operation.
  Started() noexcept;
  /// @{
  /// Copies are of the same operation.
  Started(const Started&) noexcept;
  Started& operator=(const Started&) noexcept;
  Started(Started&&) noexcept;
  Started& operator=(Started&&) noexcept;
  ~Started();
  /// @}

  /// Cancels the operation: it completes within 50 ms, with `cancelled` unless its result was already there.
  /// A function of the program that runs, such as the target of a download, is waited for.
  void stop() const noexcept;

 private:
  friend struct detail::StartedAccess;
  std::shared_ptr<detail::StartedCall> call_;
};

namespace detail {

/// What the forms of start() are made of.
struct NOUN_API StartedAccess {
  /// Starts an operation, which may complete before start() returns; `started` is set before. Throws std::bad_alloc,
  /// and std::system_error if there is no executor and no thread for the completion; then nothing was started.
  static void start(const ErasedOperation& operation, Executor executor, std::unique_ptr<Completion> completion,
                    Started& started);
  /// Cancels the operation unless an attempt may have reached the server. A page and an event are cancelled in any case,
  /// a download in none.
  static void stop_unless_sent(const Started& started) noexcept;
  /// Does not keep the operation, or its completion, alive.
  static std::weak_ptr<StartedCall> weak(const Started& started) noexcept { return started.call_; }
  /// The operation, or none if it is gone.
  static Started locked(const std::weak_ptr<StartedCall>& call) noexcept {
    Started started;
    started.call_ = call.lock();
    return started;
  }
  /// Cancels the operation, whose completion is not called any more. On the executor only.
  static void disarm(const Started& started) noexcept;
};

/// Starts an operation of T.
template <class T, class F>
Started start(const Operation<T>& operation, Executor executor, F completion) {
  static_assert(std::invocable<F&, Result<T>>, "noun: the completion of an Operation<T> is a function of a Result<T>");
  Started started;
  StartedAccess::start(OperationAccess::erase(operation), std::move(executor),
                       std::make_unique<FunctionCompletion<T, F>>(std::move(completion)), started);
  return started;
}

}  // namespace detail

/// Starts an operation and returns at once. The client lives until the operation has completed.
/// @param operation   made by noun::op.
/// @param executor    runs the completion, the decoding of the response before it, and a credentials function of the
///                    program; those of downloads and streams run on a thread of noun. If the executor is empty, or
///                    if it throws, threads of noun run them: one of them the completions of all clients, in turn.
/// @param completion  a function of a Result<T>, or of `const Result<T>&`; it may be move-only. It is called once, also
///                    with an error, through the executor and never inside start(). An exception of it reaches whoever
///                    runs the executor's functions; on noun's thread it is dropped. If the executor drops the function
///                    that it was given, the completion is destroyed without a call. When the process ends by exit(),
///                    or by returning from main(), what still runs stops where it is, without a completion.
/// @returns           the operation, to cancel it; it may be dropped.
/// @throws std::bad_alloc, std::system_error  without an executor, if there is no thread for the completion. What else
///                    the system lacks is the error `resource` of the operation.
/// @threadsafety      safe; an observer and a completion may call it too.
template <class T, class F>
Started start(const Operation<T>& operation, Executor executor, F completion) {
  return detail::start(operation, std::move(executor), std::move(completion));
}
/// The same, with the completion on a thread of noun, which runs the completions of all clients, in turn.
template <class T, class F>
Started start(const Operation<T>& operation, F completion) {
  static_assert(std::invocable<F&, Result<T>> || !std::convertible_to<F, Executor>,
                "noun: start(operation, executor) has no completion; write start(operation, executor, completion)");
  return detail::start(operation, {}, std::move(completion));
}

}}  // namespace noun
