#pragma once
/// @file
/// What remains of a quota in one window: the least that the server reports, and the costs that its reports leave out.

#include <cstdint>
#include <optional>
#include <vector>

#include "quota/account.hpp"
#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The counts of the window that the last responses reported. ReportedWindow says which responses these are.
class WindowCount {
 public:
  /// Takes the limit that a response reports.
  /// @returns  whether it differs from the one before.
  bool take_limit(const Observation& seen) noexcept;
  /// Starts with the first response of a window.
  /// @param may_be_same  it may be of the window before, whose count then still holds.
  /// @param current      as of merge().
  void restart(const Observation& seen, const Account& account, bool may_be_same, bool current);
  /// Handles another response of the window.
  /// @param current  whether the request was sent after the last rejection, so that its values replace distrusted ones.
  void merge(const Observation& seen, const Account& account, bool current);
  /// Handles a request that may have been counted without a report: it counts as spent until a later response.
  void spend_unseen(const Observation& seen);
  /// Forgets the remaining count, which the server no longer reports.
  void forget() noexcept {
    remaining_.reset();
    forget_unseen();
  }
  /// Stops trusting what remains, after a rejection.
  void distrust() noexcept {
    distrusted_ = true;
    ours_from_.reset();
  }

  std::optional<std::int64_t> limit() const noexcept { return limit_; }
  /// Remaining permits, including those of requests in flight; nothing if the server does not report them.
  std::optional<std::int64_t> left() const noexcept {
    if (!remaining_) return {};
    return *remaining_ - unseen_cost_;
  }
  /// Permits that certainly remain, less those of requests in flight. Only if left() is known. Requests without a
  /// report may have been counted before the last reported response. In a window that our own request opened, our own
  /// count is exact.
  std::int64_t room(const Account& account) const noexcept;
  bool distrusted() const noexcept { return distrusted_; }
  /// Whether a response reports more than can remain in this window.
  /// @param is_over  its request was sent after the end of this window.
  bool rises(const Observation& seen, bool is_over) const noexcept;
  /// Whether a new window, in which the server has counted no more than our requests, could report this.
  bool could_be_new(const Observation& seen, const Account& account) const noexcept;

  bool is_whole() const noexcept {
    return is_count(limit_.value_or(0)) && is_count(remaining_.value_or(0)) && is_count(others_) &&
           is_count(unseen_cost_);
  }

  static void fields(auto& self, auto& archive) {
    archive(self.limit_, self.remaining_, self.known_since_, self.others_, self.unseen_, self.unseen_cost_,
            self.ours_from_, self.distrusted_);
  }

 private:
  // A cost that may be spent and is not in `remaining_`, until a request that was sent later has a response.
  struct Unseen {
    Moment noted = {};
    std::int64_t cost = 0;

    static void fields(auto& self, auto& archive) { archive(self.noted, self.cost); }
  };

  void count_from(const Observation& seen, const Account& account) noexcept;
  void merge_remaining(const Observation& seen, std::int64_t reported, const Account& account);
  void set_remaining(const Observation& seen, std::optional<std::int64_t> reported, const Account& account) noexcept;
  /// Forgets what the server has counted, if at all, before it reported this.
  void forget_counted(const Observation& seen) noexcept;
  void forget_unseen() noexcept {
    unseen_.clear();
    unseen_cost_ = 0;
  }
  std::int64_t left_by_count(const Account& account) const noexcept {
    return *limit_ - account.sent().cost + *ours_from_;
  }

  std::optional<std::int64_t> limit_ = {};
  std::optional<std::int64_t> remaining_ = {};  // the least reported value
  Moment known_since_ = {};                     // requests sent later are not included in it
  std::int64_t others_ = 0;                     // cost of the requests in flight then
  std::vector<Unseen> unseen_ = {};
  std::int64_t unseen_cost_ = 0;
  std::optional<std::int64_t> ours_from_ = {};  // cost sent before this window, if it counts only our requests
  bool distrusted_ = false;
};

}}}  // namespace noun::quota
