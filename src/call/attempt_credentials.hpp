#pragma once
/// @file
/// The credentials of the attempts of one call.

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// The credentials that the next attempt has, and why others are asked for.
class AttemptCredentials {
 public:
  /// Sets those of the next attempts, which add their fields to the request's.
  /// @returns  the secrets of those that they replace.
  std::vector<std::string> use(Headers credentials, const Headers& request);
  /// The header fields of an attempt.
  const Headers& fields(const Headers& request) const noexcept { return credentials_.empty() ? request : fields_; }
  /// Whether they were asked for since the last attempt, and before no more than a second of waiting.
  bool are_fresh() const noexcept { return waited_ && *waited_ <= stay_fresh; }
  CredentialsReason reason() const noexcept { return reason_; }
  /// What the server rejected, if that is the reason.
  const Headers& rejected() const noexcept { return rejected_; }

  void on_authorized() noexcept { waited_ = Duration::zero(); }
  void on_waited(Duration span) noexcept {
    if (waited_) *waited_ += span;
  }
  void on_sent() noexcept;
  /// The server did not accept them.
  void on_rejected();

 private:
  static constexpr auto stay_fresh = std::chrono::seconds(1);

  Headers credentials_;
  Headers fields_;
  Headers rejected_;
  CredentialsReason reason_ = CredentialsReason::first;
  /// Since they were asked for; nothing if they were not, for this attempt.
  std::optional<Duration> waited_;
};

}}  // namespace noun
