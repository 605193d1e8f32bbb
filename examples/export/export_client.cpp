#include "export_client.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <noun/shared_quota.hpp>
#ifdef NOUN_EXPORT_SQLITE
#include <noun/sqlite_cache.hpp>
#endif

#include "export_end.hpp"
#include "export_environment.hpp"
#include "export_file.hpp"
#include "shared_place.hpp"

namespace noun_export {
namespace {

std::string token_in_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    throw FileError(
        fmt::format("cannot read {} (--token-file): {}", path.string(), std::generic_category().message(errno)), true);
  constexpr std::size_t longest = 64 * 1024;
  std::string start(longest, '\0');
  file.read(start.data(), static_cast<std::streamsize>(longest));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.size() == longest && start.find('\n') == std::string::npos)
    throw FileError(
        fmt::format("{} (--token-file) has a first line of more than 64 KiB; name the file of the token",
                    path.string()),
        true);
  auto token = start.substr(0, start.find('\n'));
  while (token.ends_with('\r') || token.ends_with(' ')) token.pop_back();
  if (token.empty())
    throw FileError(fmt::format("{} (--token-file) has an empty first line; put the token there", path.string()),
                    true);
  return token;
}

noun::Credentials credentials_of(const Arguments& arguments) {
  if (!has_token(arguments)) return {};
  const auto token = arguments.token_file.empty()
                         ? secret_in_environment("--token-env", arguments.token_env, "token")
                         : token_in_file(arguments.token_file);
  return arguments.token_header.empty() ? noun::bearer(token) : noun::header(arguments.token_header, token);
}

/// Shares the quota as the arguments say.
/// @returns  an error if the place is invalid.
std::optional<noun::Error> share(const Arguments& arguments, noun::ClientOptions& options) {
  const auto place = arguments.share_env.empty()
                         ? arguments.share
                         : secret_in_environment("--share-env", arguments.share_env, "place of the shared quota");
  if (place.empty()) return std::nullopt;
  noun::SharingOptions sharing;
  sharing.observer = [observer = options.observer](noun::Event event) {
    event.note = in_own_words(std::move(event.note));
    observer(event);
  };
  auto store = store_at(place, sharing);
  if (!store) return store.error();
  auto ledger = noun::shared_ledger(*std::move(store), sharing);
  if (!ledger) return ledger.error();
  options.quota_ledger = *std::move(ledger);
  // Not of the token: what is stored must say nothing about it.
  options.identity = arguments.identity.empty() ? "noun-export" : arguments.identity;
  return std::nullopt;
}

/// The cache at a path.
noun::Result<std::shared_ptr<noun::Cache>> cache_at(const std::filesystem::path& path) {
#ifdef NOUN_EXPORT_SQLITE
  return noun::sqlite_cache(path.string());
#else
  return noun::Error(noun::Errc::invalid_argument,
                     fmt::format("{} cannot be used (--cache): this program was built without SQLite", path.string()),
                     "build noun with -DNOUN_SQLITE=ON");
#endif
}

}  // namespace

noun::Result<Source> open_source(const Arguments& arguments, std::function<void(const noun::Event&)> observer) {
  // A long run, maybe on a bad network: it retries more than by default, and --deadline limits it. Page cycles are
  // detected without a limit on pages.
  noun::ClientOptions options{.credentials = credentials_of(arguments),
                              .dialect = dialect_of(arguments),
                              .retry = {.max_attempts = 8},
                              .budget = {.capacity = 100, .per_success = 0.5},
                              .quota = {.reserve = arguments.reserve, .max_wait = std::chrono::hours(24 * 366)},
                              .limits = {.pages = std::numeric_limits<std::size_t>::max()},
                              .proxy = arguments.from_environment ? noun::proxy_from_environment() : std::string(),
                              .observer = std::move(observer),
                              .bookmark_key = bookmark_key_of(arguments)};
  if (auto error = share(arguments, options)) return *std::move(error);
  if (!arguments.cache.empty()) {
    auto cache = cache_at(arguments.cache);
    if (!cache) return cache.error();
    options.cache = *std::move(cache);
  }
  for (const auto& [name, value] : arguments.headers) options.headers.add(name, value);
  if (!options.headers.contains("User-Agent")) options.headers.set("User-Agent", "noun-export/" NOUN_VERSION);
  // The path before the collection is passed on as written, percent-encoded or not.
  const auto slash = arguments.path.rfind('/');
  auto client = noun::Client::create(arguments.base_url + arguments.path.substr(0, slash), std::move(options));
  if (!client) return client.error();
  auto collection = client->collection<JsonLine>(noun::runtime(arguments.path.substr(slash + 1)));
  noun::Deadline deadline;
  if (arguments.deadline) deadline = client->now().steady + *arguments.deadline;
  return Source{*std::move(client), std::move(collection),
                noun::Request{.path = arguments.path.substr(slash + 1) + (arguments.trailing_slash ? "/" : "")},
                deadline};
}

noun::ListOptions list_options(const Arguments& arguments, const Source& source, std::string bookmark,
                               std::uint64_t items, const noun::StopToken& stop) {
  noun::ListOptions options{.page_size = arguments.page_size,
                            .prefetch = arguments.concurrency,
                            .resume = std::move(bookmark),
                            .deadline = source.deadline,
                            .stop = stop,
                            .key = arguments.key};
  for (const auto& [name, value] : arguments.query) options.query.add(name, value);
  if (const auto most = arguments.max_items)
    options.max_items = *most - static_cast<std::size_t>(std::min<std::uint64_t>(items, *most));
  return options;
}

noun::StreamOptions stream_options(const Arguments& arguments, const Source& source, const std::string& position,
                                   const noun::StopToken& stop) {
  // Quiet feeds are usual, and their servers often send nothing for a minute.
  constexpr auto longest_silence = std::chrono::minutes(2);
  noun::StreamOptions options{.format = arguments.stream_format,
                              .reconnect = true,
                              .stall_timeout = longest_silence,
                              .deadline = source.deadline,
                              .stop = stop};
  const auto& [parameter, pointer] = arguments.resume_with;
  for (const auto& [name, value] : arguments.query)
    if (position.empty() || name != parameter) options.query.add(name, value);
  if (parameter.empty()) {
    options.last_event_id = position;
  } else {
    if (!position.empty()) options.query.add(parameter, position);
    options.resume_with = [parameter, pointer](std::string_view item) {
      const auto after = position_after(item, pointer);
      return after ? noun::Query{{parameter, *after}} : noun::Query();
    };
  }
  const auto rules = dialect_of(arguments).stream;
  if (arguments.follow)
    options.ends = noun::StreamEnd::never;
  else if (rules.end_marker.empty() && rules.end_events.empty())
    options.ends = noun::StreamEnd::at_close;
  return options;
}

std::optional<std::string> position_after(std::string_view item, const std::string& pointer) {
  std::string fault;
  auto value = line_at(item, pointer, fault);
  if (!value) return std::nullopt;
  auto& text = value->text;
  if (text.starts_with('"')) {
    const auto json = noun::Json::parse(text, nullptr, false);
    if (json.is_discarded()) return std::nullopt;  // a lone surrogate cannot be sent
    text = json.get<std::string>();
  } else if (text.find_first_of("-0123456789") != 0) {
    return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  return std::move(text);
}

}  // namespace noun_export
