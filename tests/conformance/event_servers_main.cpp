// Follows a stream of numbered events. tests/conformance/event_servers gives it servers that others have written, and
// breaks its connections.
//
//   event_servers URL PATH KIND COUNT   the status is 0 if the events 1 to COUNT were delivered, each once and in order
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <noun/noun.hpp>

namespace {

using namespace std::literals;
using noun::Json;

class Follower {
 public:
  Follower(std::string_view url, std::string path, int count)
      : api_(url, {.retry = {.max_attempts = 20, .initial_backoff = 1ms, .max_backoff = 20ms},
                   .budget = {.capacity = 1'000'000}}),
        path_(std::move(path)),
        count_(count) {}

  /// Server-sent events with ids.
  void events() {
    follow({.last_event_id = "0", .reconnect = true}, [](const noun::StreamItem<Json>& each) {
      const auto number = each.value.at("number").get<int>();
      if (each.event != "change" || each.id != std::to_string(number) || each.value.at("text") != "\u00fc")
        throw std::runtime_error(
            fmt::format("event {} has type {}, id {} and data {}", number, each.event, each.id, each.value.dump()));
      return number;
    });
  }

  /// The changes of a database of CouchDB.
  void changes() {
    follow({.query = {{"feed", "continuous"}, {"since", "0"}, {"heartbeat", "5"}},
            .headers = {{"Accept", "application/json"}},
            .format = noun::StreamFormat::json_lines,
            .reconnect = true,
            .resume_with =
                [](std::string_view change) {
                  return noun::Query{{"since", Json::parse(change).at("seq").dump()}};
                }},
           [](const noun::StreamItem<Json>& each) { return std::stoi(each.value.at("id").get<std::string>()); });
  }

  /// The entries of a journal, in one response.
  void journal(noun::StreamFormat format) {
    const bool is_lines = format == noun::StreamFormat::json_lines;
    follow({.headers = is_lines ? noun::Headers{{"Accept", "application/json"}} : noun::Headers{}, .format = format},
           number_of_entry);
    if (next_ <= count_) throw std::runtime_error("the stream has ended");
  }

  /// The entries of a journal while they are written. The server continues after a cursor in the header field Range.
  void followed_journal() {
    std::string cursor;
    while (next_ <= count_)
      follow(
          {.query = {{"follow", ""}},
           .headers = {{"Accept", "application/json"},
                       {"Range", cursor.empty() ? "entries=:0:" : fmt::format("entries={}:1:", cursor)}},
           .format = noun::StreamFormat::json_lines,
           .ends = noun::StreamEnd::never},
          [&](const noun::StreamItem<Json>& each) {
            cursor = each.value.at("__CURSOR").get<std::string>();
            return number_of_entry(each);
          },
          true);
  }

 private:
  static int number_of_entry(const noun::StreamItem<Json>& each) {
    return std::stoi(each.value.at("MESSAGE").get<std::string>());
  }

  /// @param may_break  whether a connection that breaks is not an error.
  void follow(noun::StreamOptions options, const std::function<int(const noun::StreamItem<Json>&)>& number_of,
              bool may_break = false) {
    options.stall_timeout = 20s;
    for (const auto& each : api_.stream<Json>({.path = path_}, std::move(options))) {
      if (!each) {
        if (may_break && (each.error().code() == noun::Errc::truncated || each.error().code() == noun::Errc::protocol))
          return;
        throw std::runtime_error(each.error().message());
      }
      const auto number = number_of(*each);
      if (number != next_) throw std::runtime_error(fmt::format("event {} instead of {}", number, next_));
      if (++next_ > count_) return;
    }
  }

  noun::Client api_;
  std::string path_;
  int count_;
  int next_ = 1;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) throw std::runtime_error("usage: event_servers URL PATH KIND COUNT");
  const std::string_view kind = argv[3];
  Follower follower(argv[1], argv[2], std::stoi(argv[4]));
  if (kind == "events")
    follower.events();
  else if (kind == "changes")
    follower.changes();
  else if (kind == "journal")
    follower.followed_journal();
  else
    follower.journal(kind == "journal_lines" ? noun::StreamFormat::json_lines : noun::StreamFormat::event_stream);
} catch (const std::exception& failure) {
  return fmt::print(stderr, "event_servers: {}\n", failure.what()), 1;
}
