#pragma once
// The command line of noun-export.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <noun/options.hpp>

namespace noun_export {

/// What is exported, and how.
struct Arguments {
  std::string base_url = {};              ///< as noun::Client takes it
  std::string path = {};                  ///< of the collection, percent-encoded as in a URL, with a slash in front
  std::string dialect = "plain";          ///< a name of export_dialects
  std::string paging = {};                ///< a name of export_pagings; empty for the dialect's own
  std::string items = {};                 ///< a JSON pointer: where on a page the items are; empty for the paging's own
  std::filesystem::path out = {};         ///< empty for standard output
  std::filesystem::path token_file = {};  ///< its first line is the token
  std::string token_env = {};             ///< the environment variable with the token
  std::string token_header = {};          ///< takes the token as it is; empty for Authorization: Bearer
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::pair<std::string, std::string>> query = {};
  std::optional<std::size_t> page_size = {};
  std::optional<std::size_t> max_items = {};
  std::size_t concurrency = 0;  ///< pages read ahead
  std::optional<noun::Duration> deadline = {};
  std::int64_t reserve = 0;
  std::string key = {};     ///< a JSON pointer; `id` on the command line is `/id`
  std::string select = {};  ///< a JSON pointer
  bool resume = false;
  bool replace = false;  ///< --force
  bool verify = false;
  bool dry_run = false;
  bool quiet = false;
  std::filesystem::path stats = {};
  std::filesystem::path plot = {};

  friend bool operator==(const Arguments&, const Arguments&) = default;
};

/// What a command line comes to: arguments, or words to print as they are (their line ends included) and the status to
/// end with (--help and --version are 0).
struct Parsed {
  Arguments arguments = {};
  std::optional<int> status = {};
  std::string words = {};
};

/// @param words  without the program's name.
Parsed parse_arguments(const std::vector<std::string>& words);

/// How the service spells quotas and pages, by all that is said of it.
noun::Dialect dialect_of(const Arguments& arguments);

/// What must be the same when an export is resumed, as JSON text: what is asked for, and what is written of it. No
/// secret is in it, and of the values of header fields their hashes only.
std::string job_of(const Arguments& arguments);

}  // namespace noun_export
