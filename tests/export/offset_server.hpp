#pragma once
/// @file
/// A collection paged by offset and limit, which changes, and refuses, at a test's word.

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "transport/raw_server.hpp"

namespace export_test {

/// Its functions may be called on any thread.
class OffsetService {
 public:
  explicit OffsetService(std::vector<std::string> items);
  ~OffsetService() { gate_.open(); }
  OffsetService(const OffsetService&) = delete;
  OffsetService& operator=(const OffsetService&) = delete;

  /// The words that export its items, two on a page, to `l.jsonl`; `more` behind them.
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const;
  void insert_in_front(const std::vector<std::string>& items);
  /// From this offset on there is this status instead; as `400 Bad Request`.
  void refuse_from(std::size_t offset, const std::string& status);
  void refuse_nothing();
  /// From now on each answer tells how many items there are.
  void count_items();
  /// From this offset on nothing is answered until the gate is open.
  void hold_from(std::size_t offset);
  noun_test::Gate& held() { return held_; }
  noun_test::Gate& gate() { return gate_; }
  std::size_t requests() const { return server_.requests().size(); }

 private:
  std::string answer_to(const std::string& request);

  mutable std::mutex mutex_;
  std::vector<std::string> items_;
  std::optional<std::size_t> refused_;
  std::string status_;
  bool counts_ = false;
  std::optional<std::size_t> held_from_;
  noun_test::Gate held_;
  noun_test::Gate gate_;
  noun_test::RawServer server_;
};

}  // namespace export_test
