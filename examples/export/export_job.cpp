#include "export_job.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "export_check.hpp"
#include "export_client.hpp"
#include "export_committer.hpp"
#include "export_dry_run.hpp"
#include "export_keys.hpp"
#include "export_lines.hpp"
#include "export_output.hpp"
#include "export_records.hpp"

namespace noun_export {
namespace {

using progress::grouped;
using progress::in_words;
using progress::Screen;

using Clock = std::chrono::steady_clock;

constexpr auto commit_interval = std::chrono::milliseconds(250);

/// What the client's events have reported so far.
struct Observed {
  std::atomic<std::uint64_t> unchanged_pages = 0;  ///< that the server confirmed
  std::atomic<bool> is_continued = false;          ///< whether a stream needed another connection after a part of it
};

/// Exports a collection or a stream to an output.
class Run {
 public:
  Run(const Arguments& arguments, Screen& screen, Output& output, const Observed& observed)
      : arguments_(arguments),
        screen_(screen),
        output_(output),
        observed_(observed),
        at_(output.start()),
        items_before_(at_.items) {}

  /// Whether nothing was written, now or by a previous run.
  bool is_empty() const { return at_ == Checkpoint(); }

  Ending drain(const Source& source, const noun::StopToken& stop) {
    if (items_before_ > 0 && !has_ended()) {
      screen_.say(fmt::format("{} items from the previous run", grouped(items_before_)));
      screen_.progress(at_.items, at_.pages, std::nullopt, {});
    }
    while (!has_ended()) {
      const auto left_out = left_out_;
      if (const auto error = arguments_.stream ? follow(source, stop) : list(source, stop)) return give_up(*error);
      // The listing counts items that are omitted here toward --max-items: list again for the rest.
      if (!arguments_.max_items || left_out_ == left_out) break;
    }
    return end();
  }

 private:
  std::optional<std::uint64_t> total_of(const noun::ListingTally& tally) const {
    if (!tally.total) return arguments_.max_items;
    return arguments_.max_items ? std::min(*tally.total, *arguments_.max_items) : *tally.total;
  }

  /// Lists after the checkpoint, up to the end or an error.
  std::optional<noun::Error> list(const Source& source, const noun::StopToken& stop) {
    at_.complete = false;
    at_.limit = 0;
    if (at_.items > 0 && !arguments_.key.empty()) before_ = KnownKeys(*output_.readable(), arguments_.key, at_.items);
    noun::StopSource halt;
    const auto stop_here = [&] { halt.request_stop(); };
    const noun::StopCallback<decltype(stop_here)&> relay(stop, stop_here);
    auto list =
        source.collection.list(list_options(arguments_, source, at_.bookmark, at_.items, halt.get_token()));
    Committer committer(output_, commit_interval, stop_here);
    std::optional<noun::Error> error;
    for (const auto& page : list.pages()) {
      if (!page) {
        error = page.error();
        break;
      }
      committer.write_page([&] {
        for (const auto& item : page->items) write(item);
        ++at_.pages;
        at_.bookmark = list.bookmark();
        return at_;
      });
      screen_.progress(at_.items, at_.pages, total_of(list.tally()), list.plan());
    }
    committer.stop();
    tally_ = list.tally();
    duplicates_ += tally_.duplicates;
    return error;
  }

  /// Reads the stream after the checkpoint, up to its end or an error.
  std::optional<noun::Error> follow(const Source& source, const noun::StopToken& stop) {
    if (at_.items > 0 && !has_position())
      return noun::Error(noun::Errc::invalid_argument, "the items of the previous run have no ids to continue after",
                         "set --resume-with NAME=POINTER, or export again");
    at_.complete = false;
    at_.limit = 0;
    noun::StopSource halt;
    const auto stop_here = [&] { halt.request_stop(); };
    const noun::StopCallback<decltype(stop_here)&> relay(stop, stop_here);
    auto stream = source.client.stream<JsonLine>(
        source.stream, stream_options(arguments_, source, at_.bookmark, halt.get_token()));
    Committer committer(output_, commit_interval, stop_here);
    std::optional<noun::Error> error;
    for (const auto& each : stream) {
      if (each)
        error = take(*each, committer);
      else
        error = each.error();
      if (error || is_full()) break;
      screen_.progress(at_.items, at_.pages, arguments_.max_items, {});
    }
    committer.stop();
    return error;
  }

  /// Writes an item of the stream.
  std::optional<noun::Error> take(const noun::StreamItem<JsonLine>& item, Committer& committer) {
    const auto& pointer = arguments_.resume_with.second;
    const auto position = pointer.empty() ? item.id : position_after(item.value.text, pointer).value_or("");
    if (position.empty() && !pointer.empty())
      return noun::Error(noun::Errc::decode,
                         fmt::format("item {} has no text or number at {}", at_.items + 1, pointer),
                         "check --resume-with");
    if (observed_.is_continued && (position.empty() || !last_has_position_))
      return noun::Error(noun::Errc::truncated, "the connection broke, and the items have no ids to continue after",
                         "set --resume-with NAME=POINTER, or export again");
    // With an earlier id or none, an item would be sent again. By --resume-with, each item has a position of its own.
    last_has_position_ = !position.empty();
    is_resumable_ = !pointer.empty() || (!position.empty() && position != at_.bookmark);
    if (!is_resumable_) {
      committer.write_without_checkpoint([&] { write(item.value); });
      return std::nullopt;
    }
    committer.write_page([&] {
      write(item.value);
      at_.bookmark = position;
      return at_;
    });
    return std::nullopt;
  }

  bool is_full() const { return arguments_.max_items && at_.items >= *arguments_.max_items; }
  /// Whether no request is needed: the previous run was complete but not finished, or --max-items is reached.
  bool has_ended() const { return is_full() || (at_.complete && at_.limit == 0); }

  void write(const JsonLine& item) {
    if (before_.has(item.text)) {
      ++left_out_;
      return;
    }
    if (arguments_.select.empty()) {
      write_line(item.text);
    } else {
      std::string fault;
      const auto part = line_at(item.text, arguments_.select, fault);
      // One line per item, so that lines can be counted.
      write_line(part ? std::string_view(part->text) : "null");
    }
    ++at_.items;
  }

  void write_line(std::string_view line) {
    if (output_.is_terminal())
      screen_.write_above([&] { output_.write(line); });
    else
      output_.write(line);
  }

  Ending give_up(const noun::Error& error) {
    const bool is_stop = error.code() == noun::Errc::cancelled;
    const bool was_empty = is_empty();
    if (was_empty)
      output_.discard();
    else if (is_resumable_)
      output_.commit(at_);
    else
      output_.readable();
    screen_.stop();
    if (!is_stop) screen_.complain(message_of(error));
    if (error.code() == noun::Errc::unauthorized && arguments_.token_env.empty() && arguments_.token_file.empty())
      screen_.complain("no token was sent; set one with --token-env NAME or --token-file FILE");
    if (!was_empty)
      screen_.complain(fmt::format("{}{} items are {}", is_stop ? "interrupted: " : "", grouped(at_.items),
                                   is_dead_end(error) ? output_.kept_to_no_end() : output_.kept()));
    else if (is_stop)
      screen_.complain("interrupted: no items received");
    return ending_of(error);
  }

  /// Whether the bookmark cannot be resumed.
  bool is_dead_end(const noun::Error& error) const {
    const bool refused = error.code() == noun::Errc::invalid_argument && at_.pages == output_.start().pages;
    return refused || error.code() == noun::Errc::expired_cursor || error.code() == noun::Errc::incomplete ||
           error.code() == noun::Errc::refused || !has_position();
  }

  /// Whether there is something to continue after, if it is a stream.
  bool has_position() const { return !arguments_.stream || !at_.bookmark.empty(); }

  Ending end() {
    const auto contents = arguments_.verify ? read_contents(*output_.readable(), arguments_.key) : Contents();
    if (const auto fault = arguments_.verify ? fault_in(contents) : std::nullopt) {
      if (is_resumable_) output_.commit(at_);
      screen_.stop();
      screen_.complain(fmt::format("not verified: {}; the items received are {}", *fault,
                                   has_position() ? output_.kept_to_look_at() : output_.kept_to_no_end()));
      return Ending::data;
    }
    if (is_full()) {
      at_.limit = at_.items;
      if (!is_resumable_) at_.bookmark.clear();  // a larger --max-items would continue before the last items
    }
    output_.finish(at_);
    screen_.stop();
    auto words = fmt::format("{} {} {} after {}", grouped(at_.items), at_.items == 1 ? "item" : "items",
                             output_.place(), in_words(Clock::now() - began_));
    if (items_before_ > 0) words += fmt::format(", {} of them from the previous run", grouped(items_before_));
    const auto twice = left_out_ + duplicates_;
    if (twice > 0) words += fmt::format(", {} duplicate{} omitted", grouped(twice), twice == 1 ? "" : "s");
    words += unchanged_text();
    if (tally_.changed) words += "; the collection changed during the export";
    const bool is_counted = is_full() || tally_.total;
    if (arguments_.verify) words += "; " + verified_text(contents, is_counted);
    screen_.say(words);
    if (may_be_first_page_only())
      screen_.say("one page was read, and it does not report whether there are more; if there are, set --paging NAME");
    return Ending::done;
  }

  /// What the cache saved, as a clause of the summary.
  std::string unchanged_text() const {
    const std::uint64_t unchanged = observed_.unchanged_pages;
    if (unchanged == 0) return "";
    const bool free = dialect_of(arguments_).not_modified_cost == 0 && has_token(arguments_);
    return fmt::format("; {} page{} had not changed and {} not sent again{}", grouped(unchanged),
                       unchanged == 1 ? "" : "s", unchanged == 1 ? "was" : "were",
                       free ? fmt::format(", which saved {} request{} of the quota", grouped(unchanged),
                                          unchanged == 1 ? "" : "s")
                            : "");
  }

  std::optional<std::string> fault_in(const Contents& contents) const {
    if (tally_.changed)
      return "the server's count changed during the export, so that items may be missing" +
             std::string(arguments_.key.empty() ? " or duplicated: set --key, and request a stable order"
                                                : "");
    return fault_of(contents, at_.items, is_full() ? total_of(tally_) : tally_.total);
  }

  /// Whether the response may report further pages in a member that noun does not know.
  bool may_be_first_page_only() const {
    const auto paging = dialect_of(arguments_).paging;
    return tally_.pages == 1 && at_.pages == 1 && !is_full() && !paging.items.empty() && !tally_.total &&
           std::holds_alternative<noun::paging::Automatic>(paging.style);
  }

  const Arguments& arguments_;
  Screen& screen_;
  Output& output_;
  const Observed& observed_;
  Checkpoint at_;
  const std::uint64_t items_before_;
  const Clock::time_point began_ = Clock::now();
  /// The items written before the listing started, which knows only its own items.
  KnownKeys before_;
  /// Whether the output may be resumed after what was written.
  bool is_resumable_ = true;
  /// Whether the last item had a position, after which the stream's next connection continues.
  bool last_has_position_ = true;
  std::uint64_t left_out_ = 0;
  std::uint64_t duplicates_ = 0;  // omitted by the listings
  /// The tally of the last listing.
  noun::ListingTally tally_;
};

/// The files that --dry-run does not write, besides --out, as a list.
std::string unwritten_files(const Arguments& arguments) {
  std::string all;
  for (const auto* file : {&arguments.stats, &arguments.plot, &arguments.report, &arguments.cache})
    if (!file->empty()) all.append(all.empty() ? "" : ", ").append(file->string());
  return all;
}

/// --dry-run: requests only the first page.
Ending try_out(Arguments arguments, Screen& screen, const noun::StopToken& stop) {
  const auto unwritten = unwritten_files(arguments);
  arguments.concurrency = 0;
  arguments.cache.clear();
  std::string url;
  const auto source = open_source(arguments, [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::sent && url.empty()) url = event.url;
  });
  if (!source) return screen.complain(message_of(source.error())), ending_of(source.error());
  noun::StopSource halt;
  const auto stop_here = [&] { halt.request_stop(); };
  const noun::StopCallback<decltype(stop_here)&> relay(stop, stop_here);
  auto list = source->collection.list(list_options(arguments, *source, {}, 0, halt.get_token()));
  auto pages = list.pages();
  auto page = pages.begin();
  const auto error_of = [&] {
    return page == std::default_sentinel || *page ? std::nullopt : std::optional(page->error());
  };
  auto error = error_of();
  if (!url.empty()) print_out(curl_command(arguments, url) + '\n');
  if (!error) {
    const auto plan = plan_text(list.plan(), list.tally(), arguments);
    // The next result is an error of the first page, if there is one. No further request is sent.
    halt.request_stop();
    ++page;
    error = error_of();
    if (!error || error->code() == noun::Errc::cancelled) {
      print_out(plan);
      if (!unwritten.empty()) screen.say(fmt::format("--dry-run does not write {}", unwritten));
      return Ending::done;
    }
  }
  return screen.complain(message_of(*error)), ending_of(*error);
}

/// The number of lines of a file.
/// @throws FileError  if its last line has no line break: an export that is complete ends with one.
std::uint64_t whole_lines_of(const std::filesystem::path& file) {
  std::uint64_t lines = 0;
  read_lines(file, [&](std::string_view, bool whole) {
    if (!whole)
      throw FileError(fmt::format("{} already exists, but its last line has no line break: it is no complete export; "
                                  "move it, or replace it with --force",
                                  file.string()),
                      true);
    ++lines;
  });
  return lines;
}

/// --resume of a file without a part. The file does not show which export it is of.
Ending look_at(const Arguments& arguments, Screen& screen) {
  const auto file = arguments.out.string();
  constexpr auto anew = "--force replaces it";
  const auto contents = arguments.verify ? read_contents(arguments.out, arguments.key) : Contents();
  const auto lines = arguments.verify ? contents.lines : whole_lines_of(arguments.out);
  if (const auto fault = fault_of(contents, contents.lines, std::nullopt)) {
    screen.complain(fmt::format("{} already exists but is not verified: {}; {}", file, *fault, anew));
    return Ending::data;
  }
  if (arguments.max_items && lines < *arguments.max_items)
    throw FileError(fmt::format("{} already exists with fewer lines ({}) than --max-items {}, and the collection may "
                                "have more; replace it with --force, or omit --max-items to keep it",
                                file, grouped(lines), grouped(*arguments.max_items)),
                    true);
  if (arguments.verify)
    screen.say(fmt::format("{} already exists; {} lines, not compared with the server: {}; {}", file, grouped(lines),
                           verified_text(contents, true), anew));
  else
    screen.say(fmt::format("{} already exists with {} line{}; nothing was done; {}", file, grouped(lines),
                           lines == 1 ? "" : "s", anew));
  return Ending::done;
}

}  // namespace

Ending run_export(const Arguments& arguments, Screen& screen, const noun::StopToken& stop) {
  if (arguments.dry_run) return try_out(arguments, screen, stop);
  std::optional<Records> records;
  Observed observed;
  std::mutex records_mutex;  // a shared quota has notices at any time
  const auto source = open_source(arguments, [&](const noun::Event& event) {
    {
      const std::lock_guard lock(records_mutex);
      if (records) records->record(event);
    }
    if (event.kind == noun::EventKind::page_delivered && event.cache == noun::CacheStatus::validated)
      ++observed.unchanged_pages;
    if (arguments.stream && event.kind == noun::EventKind::sent && event.bytes > 0) observed.is_continued = true;
    screen.observe(event);
  });
  if (!source) return screen.complain(message_of(source.error())), ending_of(source.error());
  const auto output = open_output(arguments);
  if (!output) return look_at(arguments, screen);
  try {
    const std::lock_guard lock(records_mutex);
    records.emplace(arguments);
  } catch (...) {
    if (output->start() == Checkpoint()) output->discard();
    throw;
  }
  const auto finish_records = [&] {
    const std::lock_guard lock(records_mutex);
    records->finish();
    records.reset();
    if (!arguments.report.empty()) screen.say(fmt::format("{} shows the run", arguments.report.string()));
  };
  auto ending = Ending::done;
  Run run(arguments, screen, *output, observed);
  try {
    ending = run.drain(*source, stop);
  } catch (const std::exception& fault) {
    const bool is_of_file = dynamic_cast<const FileError*>(&fault) != nullptr;
    if (!is_of_file && run.is_empty()) output->discard();
    try {
      finish_records();
    } catch (const FileError&) {  // the first error is the cause of this one
    }
    throw;
  }
  finish_records();
  return ending;
}

}  // namespace noun_export
