#include "export_client.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

namespace noun_export {
namespace {

noun::Error unreadable(std::string_view what) {
  return noun::Error(noun::Errc::credentials, fmt::format("the token cannot be read: {}", what), noun::Sent::no);
}

noun::Result<std::string> token_of(const Arguments& arguments) {
  if (!arguments.token_env.empty()) {
    const char* token = std::getenv(arguments.token_env.c_str());
    if (token == nullptr || *token == '\0')
      return unreadable(fmt::format("the environment variable {} is not set", arguments.token_env));
    return std::string(token);
  }
  std::ifstream file(arguments.token_file);
  std::string token;
  if (!std::getline(file, token))
    return unreadable(fmt::format("{} is not there, not readable, or empty", arguments.token_file.string()));
  while (token.ends_with('\r') || token.ends_with(' ')) token.pop_back();
  return token;
}

noun::Result<noun::Credentials> credentials_of(const Arguments& arguments) {
  if (arguments.token_env.empty() && arguments.token_file.empty()) return noun::Credentials();
  auto token = token_of(arguments);
  if (!token) return token.error();
  return arguments.token_header.empty() ? noun::bearer(*token) : noun::header(arguments.token_header, *token);
}

}  // namespace

noun::Result<Source> open_source(const Arguments& arguments, std::function<void(const noun::Event&)> observer) {
  auto credentials = credentials_of(arguments);
  if (!credentials) return credentials.error();
  noun::ClientOptions options{.credentials = *std::move(credentials),
                              .dialect = dialect_of(arguments),
                              // A long run that somebody waits for, on a network that may be bad.
                              .retry = {.max_attempts = 8},
                              .budget = {.capacity = 100, .per_success = 0.5},
                              .quota = {.reserve = arguments.reserve},
                              .observer = std::move(observer)};
  options.headers.set("User-Agent", "noun-export/" NOUN_VERSION);
  for (const auto& [name, value] : arguments.headers) options.headers.add(name, value);
  // What is above the collection is taken as it was written, encoded or not.
  const auto slash = arguments.path.rfind('/');
  auto client = noun::Client::create(arguments.base_url + arguments.path.substr(0, slash), std::move(options));
  if (!client) return client.error();
  auto collection = client->collection<JsonLine>(noun::runtime(arguments.path.substr(slash + 1)));
  return Source{*std::move(client), std::move(collection)};
}

noun::ListOptions list_options(const Arguments& arguments, const noun::Client& client, std::string bookmark,
                               std::uint64_t items, const std::stop_token& stop) {
  noun::ListOptions options{.page_size = arguments.page_size,
                            .prefetch = arguments.concurrency,
                            .resume = std::move(bookmark),
                            .stop = stop,
                            .key = arguments.key};
  for (const auto& [name, value] : arguments.query) options.query.add(name, value);
  if (arguments.max_items)
    options.max_items = *arguments.max_items - std::min<std::size_t>(items, *arguments.max_items);
  if (arguments.deadline) options.deadline = client.now().steady + *arguments.deadline;
  return options;
}

}  // namespace noun_export
