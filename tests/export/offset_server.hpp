#pragma once
/// @file
/// A server of a collection with offset and limit, which a test can change and make fail.

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "curl/raw_server.hpp"

namespace export_test {

/// Thread-safe.
class OffsetServer {
 public:
  explicit OffsetServer(std::vector<std::string> items);
  ~OffsetServer() { gate_.open(); }
  OffsetServer(const OffsetServer&) = delete;
  OffsetServer& operator=(const OffsetServer&) = delete;

  /// The arguments that export its items, two on a page, to `l.jsonl`, followed by `more`.
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const;
  void insert_in_front(const std::vector<std::string>& items);
  /// From this offset on it responds with this status, for example `400 Bad Request`.
  void refuse_from(std::size_t offset, const std::string& status);
  void refuse_nothing();
  /// From now on each response reports the number of items.
  void count_items();
  /// From this offset on it responds only when the gate is open.
  void hold_from(std::size_t offset);
  noun_test::Gate& held() { return held_; }
  noun_test::Gate& gate() { return gate_; }
  std::size_t requests() const { return server_.requests().size(); }

 private:
  std::string response_to(const std::string& request);

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
