#pragma once
/// @file
/// A verb as a value, and many of them at once.
///
///     std::vector<noun::Operation<noun::Json>> changes;
///     for (int id = 1; id <= 100; ++id) changes.push_back(noun::op::update(tasks[id], noun::Json{{"done", true}}));
///     for (auto& changed : api.run_all(changes, {.in_flight = 8}))
///       if (!changed) report(changed.error());

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <noun/address.hpp>
#include <noun/detail/single_pass.hpp>
#include <noun/http.hpp>
#include <noun/json.hpp>
#include <noun/limits.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

struct Download;
template <class T>
class Page;
template <class T>
struct StreamItem;

namespace detail {

/// Selects the dialect's statuses of success, and the content type; `any` is a request that is not resource-shaped.
enum class Verb { get, create, replace, update, remove, any };

class BackgroundCall;
class ClientCore;

/// A request to an address.
struct VerbRequest {
  Method method = Method::get;  ///< how
  Verb verb = Verb::any;        ///< selects the dialect's statuses of success
  Body body = {};               ///< its text is sent as it is, if `has_body`
  bool has_body = false;        ///< an empty body is not the same as none
  bool is_json = false;         ///< whether the body is a member that noun wrote as JSON
  CallOptions options = {};     ///< the caller's
  /// The error of an invalid body; if set, nothing is sent.
  std::optional<Error> refused = {};
};

/// Reads the response of an operation into `target`. `read` returns false and sets the fault if the body does not fit.
struct Reader {
  void* target = nullptr;  ///< passed to `read`; null if nothing is to be read
  /// Called once, with the last response and the part of its body to read.
  bool (*read)(void* target, const Response& response, std::string_view body, const Limits& limits,
               DecodeFault& fault) = nullptr;
  /// Whether the body is a member, in the dialect's envelope. If not, `read` gets the whole body.
  bool is_member = true;
};

/// What is more than one request: a download, the next page of a listing, the next event of a stream, or a long-running
/// operation. The functions are virtual so that a program links those of the operations that it has.
/// @threadsafety  as the operation.
class NOUN_API Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work();

  /// As noun::detail::perform().
  virtual Result<void> perform(ClientCore& core, const Address& address, const Reader& reader) = 0;
  /// Starts it in the background.
  /// @param self  owns it.
  virtual void start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) = 0;
};

/// What an operation does at an address.
struct OperationRequest {
  Address address;                                        ///< where
  std::variant<VerbRequest, std::shared_ptr<Work>> work;  ///< one request, or more
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
  Reader reader = {};                      ///< called on the thread that reads the response
};

/// Whether an operation's T is read from the body of its response.
template <class T>
inline constexpr bool is_read_from_body = !std::is_void_v<T>;
template <>
inline constexpr bool is_read_from_body<Download> = false;
template <class T>
inline constexpr bool is_read_from_body<std::optional<Page<T>>> = false;
template <class T>
inline constexpr bool is_read_from_body<std::optional<StreamItem<T>>> = false;

struct OperationAccess;

/// The result of an operation without its type.
struct ErasedResult {
  Result<void> result;           ///< the response, or the error of the call
  std::shared_ptr<void> target;  ///< holds the value; null if nothing is read
};

}  // namespace detail

/// A request that is not sent yet, whose response is read as a T. T may be void. An operation that is not run sends
/// nothing.
/// @threadsafety  run() may be called by many threads at once.
template <class T>
class [[nodiscard]] Operation {
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
      auto done = detail::perform(request_, {&value, &read, is_member});
      if (!done) return std::move(done).error();
      return {*std::move(value), std::move(done).response()};
    }
  }

 private:
  friend struct detail::OperationAccess;

  static constexpr bool is_member = !std::same_as<T, Response>;

  static bool read([[maybe_unused]] void* target, [[maybe_unused]] const Response& response,
                   [[maybe_unused]] std::string_view body, [[maybe_unused]] const Limits& limits,
                   [[maybe_unused]] detail::DecodeFault& fault) {
    if constexpr (std::same_as<T, Response>) {
      static_cast<std::optional<T>*>(target)->emplace(response);
      return true;
    } else if constexpr (detail::is_read_from_body<T>) {
      auto& into = *static_cast<std::optional<T>*>(target);
      into = detail::decode_response<T>(response, body, limits, fault);
      return into.has_value();
    } else {
      return false;  // its kind sets the target
    }
  }

  detail::OperationRequest request_;
};

/// How many operations Client::run_all() and Collection::get_all() run at once.
struct RunOptions {
  /// The maximum, including results that were not read yet; 0 to 1,000,000, where 0 means 1. The quota may allow fewer.
  std::size_t in_flight = 16;
};

namespace detail {

/// Access to an operation for drivers.
struct OperationAccess {
  /// What run() will send.
  template <class T>
  static const OperationRequest& request_of(const Operation<T>& operation) noexcept {
    return operation.request_;
  }
  /// The operation without its type. One that is moved from is left as it was if memory runs out.
  template <class AnyOperation>
  static ErasedOperation erase(AnyOperation&& operation) {
    using T = typename std::remove_cvref_t<AnyOperation>::value_type;
    if constexpr (std::is_void_v<T>) {
      return {.request = std::forward<AnyOperation>(operation).request_};
    } else {
      auto target = std::make_shared<std::optional<T>>();
      auto* const place = target.get();
      return {.request = std::forward<AnyOperation>(operation).request_,
              .target = std::move(target),
              .reader = {place, &Operation<T>::read, Operation<T>::is_member}};
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
  VerbRequest request{.method = method, .verb = verb, .options = std::move(options)};
  if constexpr (std::same_as<B, Body>) {
    request.has_body = !body.empty();
    request.body = body;
  } else if constexpr (!std::same_as<B, NoBody>) {
    request.has_body = true;
    request.is_json = true;
    if (auto text = encode_body(body, json_depth_of(address)))
      request.body = *std::move(text);
    else
      request.refused = std::move(text).error();
  }
  return Operation<R>({address, std::move(request)});
}

/// One member of a patch as an argument: `{"title", "x"}`.
struct PatchMember {
  Text name;   ///< of the member
  Json value;  ///< null removes it in a merge patch
};

/// The patch document of these members.
template <std::same_as<Json> J = Json>
J patch_of(std::initializer_list<PatchMember> members) {
  J patch = J::object();
  for (const auto& [name, value] : members) patch.emplace(name.str(), value);
  return patch;
}

/// Runs operations in the background, several at a time. Used by one thread at a time.
class NOUN_API OutcomeSource {
 public:
  /// Returns the next operation; nothing after the last. Not called again after an exception, but for std::bad_alloc.
  using Next = std::function<std::optional<ErasedOperation>()>;

  /// Sends nothing.
  OutcomeSource(Next next, RunOptions options);
  /// @{
  /// Move-only. The destructor cancels what is in flight.
  OutcomeSource(OutcomeSource&&) noexcept;
  OutcomeSource& operator=(OutcomeSource&&) noexcept;
  ~OutcomeSource();
  /// @}

  /// Returns the result of the next operation, in their order; nothing after the last. Waits for it.
  std::optional<ErasedResult> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace detail

/// The results of many operations as a single-pass input range of Result<T>, in the order of the operations. An error
/// is one element among the others. Nothing is sent before begin(); each step starts the next operation. Move-only; the
/// destructor cancels what is in flight: a write may then have been applied or not. Responses are decoded on the thread
/// that reads the range. A move invalidates the iterators.
/// @threadsafety  used by one thread at a time. In an observer of calls in the background each result is the
///                error `refused`.
template <class T>
class [[nodiscard]] Outcomes {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators are the same position.
  using iterator = detail::SinglePassIterator<Outcomes, Result<T>>;

  /// The results of the operations in a range. Each is taken from it when it starts: see Client::run_all().
  template <std::ranges::input_range Operations>
  Outcomes(Operations operations, RunOptions options)
      : source_(
            [range = std::make_shared<Source<Operations>>(std::move(operations))] { return range->next(); }, options) {}

  /// Resumes at the current position.
  iterator begin() & { return iterator(this); }
  /// Does not compile, and says why.
  template <class Self = Outcomes>
  iterator begin() && {
    static_assert(sizeof(Self) == 0, "noun: keep the results in a variable: an iterator points into them");
    return iterator();
  }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend iterator;

  /// Takes operations from a range: from a container that is its own by moving them.
  template <class Operations>
  struct Source {
    explicit Source(Operations all) : operations(std::move(all)) {}

    std::optional<detail::ErasedOperation> next() {
      if (!taken && !take()) return std::nullopt;
      auto operation = detail::OperationAccess::erase(std::move(*taken));
      taken.reset();  // last: the line before may run out of memory
      return operation;
    }

    /// Returns false at the end. Where memory runs out, it may be called again.
    bool take() {
      if (!at)
        at.emplace(std::ranges::begin(operations));
      else if (is_used)
        ++*at;
      is_used = false;
      if (*at == std::ranges::end(operations)) return false;
      if constexpr (std::ranges::view<Operations>)
        taken.emplace(**at);
      else
        taken.emplace(std::ranges::iter_move(*at));
      return is_used = true;
    }

    Operations operations;
    std::optional<std::ranges::iterator_t<Operations>> at = {};
    /// Whether the operation at that place was taken.
    bool is_used = false;
    std::optional<Operation<T>> taken = {};
  };

  bool fetch() {
    if (current_) return true;
    auto outcome = source_.next();
    if (!outcome) return false;
    current_.emplace(detail::OperationAccess::result_of<T>(*std::move(outcome)));
    return true;
  }

  detail::OutcomeSource source_;
  std::optional<Result<T>> current_;
};

}}  // namespace noun
