#pragma once
/// @file
/// How a body that goes to a sink continues from one attempt to the next: a download, or a stream of events.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// What a 416 means.
enum class Unsatisfiable {
  complete,  ///< there is nothing after what was received
  restart,   ///< a request for the whole body may follow
  refused,
};

/// Why the attempt, or the whole body, cannot go on.
struct BodyFault {
  Errc code;
  std::string what;
  std::string advice = {};
  bool would_repeat = false;  ///< another attempt would end the same way
  std::string body = {};      ///< JSON with which the server has reported it
};

/// What is wrong with a body in a content coding, for none was accepted; nothing if it is in none (or `identity`).
std::optional<BodyFault> fault_of_coding(const Headers& headers);

/// The body of one call over all its attempts.
class Continuation {
 public:
  /// What follows a response that has ended as it should.
  enum class Next {
    nothing,  ///< the body is complete
    at_once,  ///< the request for the rest
    retry,    ///< an attempt as after a fault: early_end()
  };

  /// Adds to the fields of the next attempt what it continues from.
  virtual void add_fields(Headers& headers) = 0;
  /// The URL of the next attempt.
  /// @param original  of the call.
  virtual std::string url(std::string_view original) const { return std::string(original); }
  /// A response with a status of success has ended.
  virtual Next on_end() = 0;
  /// The fault of a response that ended too early.
  virtual BodyFault early_end() const = 0;
  /// Whether the body says that it is complete: what becomes of the attempt afterwards does not matter.
  virtual bool has_ended() const noexcept { return false; }
  /// A 416 arrived.
  virtual Unsatisfiable on_unsatisfiable(const Headers&) { return Unsatisfiable::refused; }
  /// Whether what was received rules out another attempt, whatever the fault: stuck_fault().
  virtual bool failed() const noexcept { return false; }
  /// Whether no attempt can go on after a fault, and then why not.
  virtual bool stuck() const noexcept = 0;
  virtual BodyFault stuck_fault() const = 0;
  /// How long to wait before the next attempt, if the body has said so.
  virtual std::optional<Duration> wait() const noexcept { return std::nullopt; }
  /// Whether anything new was received since the last call of this function.
  virtual bool take_progress() noexcept = 0;
  /// Bytes, and in all, if that is known; for events.
  virtual std::uint64_t received() const noexcept = 0;
  virtual std::optional<std::uint64_t> total() const noexcept { return std::nullopt; }

 protected:
  ~Continuation() = default;
};

}}  // namespace noun
