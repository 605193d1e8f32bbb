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
#include <noun/streaming.hpp>

namespace noun_export {

/// The arguments of an export.
struct Arguments {
  std::string base_url = {};              ///< as noun::Client takes it
  std::string path = {};                  ///< of the collection, percent-encoded as in a URL, with a leading slash
  std::string dialect = "plain";          ///< a name of export_dialects
  std::string paging = {};                ///< a name of export_pagings; empty for the dialect's own
  std::string items = {};                 ///< JSON pointer to the items of a page; empty for the paging's own
  std::string page_parameter = {};        ///< of the page number or offset; empty for the paging's own
  std::string size_parameter = {};        ///< of the page size; empty for the paging's own
  std::string cursor_parameter = {};      ///< of the cursor; empty for the paging's own
  std::string cursor = {};                ///< JSON pointer to the cursor in a page; empty for the paging's own
  std::string next_url = {};              ///< JSON pointer to the URL of the next page; empty for the paging's own
  bool trailing_slash = false;            ///< whether a slash follows the path
  bool stream = false;                    ///< whether PATH is a stream of items, and not a collection
  std::optional<noun::StreamFormat> stream_format = {};
  std::pair<std::string, std::string> resume_with = {};  ///< a query parameter, and the JSON pointer to its value
  bool follow = false;                    ///< whether the stream has no end
  std::filesystem::path out = {};         ///< empty for standard output
  std::filesystem::path token_file = {};  ///< its first line is the token
  std::string token_env = {};             ///< the environment variable with the token
  std::string bookmark_key_env = {};      ///< the environment variable with the key of bookmarks and of the journal
  std::string token_header = {};          ///< the field of the token; empty for Authorization: Bearer
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::pair<std::string, std::string>> query = {};
  std::optional<std::size_t> page_size = {};
  std::optional<std::size_t> max_items = {};
  std::size_t concurrency = 0;  ///< prefetched pages
  std::optional<noun::Duration> deadline = {};
  std::int64_t reserve = 0;
  std::string share = {};      ///< where the quota is shared: a directory, or a URL of Redis
  std::string share_env = {};  ///< the environment variable with that
  std::string identity = {};   ///< of the shared quota; empty for the usual one
  std::filesystem::path cache = {};  ///< the database of responses; empty for none
  std::string key = {};     ///< a JSON pointer; `id` on the command line is `/id`
  std::string select = {};  ///< a JSON pointer
  bool from_environment = false;  ///< whether the proxy of the environment is used
  bool resume = false;
  bool replace = false;  ///< --force
  bool verify = false;
  bool dry_run = false;
  bool quiet = false;
  std::filesystem::path stats = {};
  std::filesystem::path plot = {};
  std::filesystem::path report = {};  ///< FILE.html or FILE.json

  friend bool operator==(const Arguments&, const Arguments&) = default;
};

/// Whether the export has a token.
inline bool has_token(const Arguments& arguments) {
  return !arguments.token_file.empty() || !arguments.token_env.empty();
}

/// A parsed command line: arguments, or a text to print (with its line breaks) and an exit status (0 for --help and
/// --version).
struct Parsed {
  Arguments arguments = {};
  std::optional<int> status = {};
  std::string text = {};
};

/// @param words  the arguments without the program's name.
Parsed parse_arguments(const std::vector<std::string>& words);

/// The dialect, with the paging of the arguments.
/// @throws Misuse  if the paging does not have what the arguments set.
noun::Dialect dialect_of(const Arguments& arguments);

/// The arguments that must be equal to resume an export, as JSON text: what is requested and what is written of it. It
/// contains no secret, and only hashes of the values of header fields.
std::string job_of(const Arguments& arguments);

}  // namespace noun_export
