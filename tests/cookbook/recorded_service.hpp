#pragma once
/// @file
/// A service on the loopback interface that responds as it was recorded.

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curl/raw_server.hpp"
#include "export/export_process.hpp"
#include "testing/har_match.hpp"

namespace cookbook_test {

/// Serves each exchange of a recording once, at its own origin in place of the recorded ones. A request that was not
/// recorded gets a 501 with the difference.
class RecordedService {
 public:
  /// @param recording  the name of a file in tests/data/cookbook, without `.har`.
  explicit RecordedService(const std::string& recording);

  std::string url(std::string_view path = "") const { return server_.url(path); }
  /// What a program of the cookbook prints here, followed by its status and its errors if it fails. All runs have the
  /// same working directory.
  std::string printed_by(const std::string& program, const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& environment) const;
  /// The first request that was not recorded, or the first recorded one that was not sent; empty if there is none.
  std::string complaint();

 private:
  std::string response_to(std::string_view request);

  export_test::Folder folder_;
  std::mutex mutex_;
  std::optional<noun::testing::HarMatcher> matcher_;
  noun_test::RawServer server_;
};

}  // namespace cookbook_test
