#include "export_job.hpp"

#include <chrono>

#include <fmt/format.h>

#include "export_check.hpp"
#include "export_client.hpp"
#include "export_dry_run.hpp"
#include "export_output.hpp"
#include "export_records.hpp"

namespace noun_export {
namespace {

using Clock = std::chrono::steady_clock;

/// The least time between two commits: each costs the disk two round trips, and what is lost with a kill is asked for
/// again.
constexpr auto commit_interval = std::chrono::milliseconds(250);

/// The lines of one run.
class Run {
 public:
  Run(const Arguments& arguments, Screen& screen, Output& output)
      : arguments_(arguments), screen_(screen), output_(output), at_(output.start()), began_at_(at_.items) {}

  Ending drain(const Source& source, const std::stop_token& stop) {
    if (arguments_.max_items && at_.items >= *arguments_.max_items) return end({});
    auto list = source.collection.list(list_options(arguments_, source.client, at_.bookmark, at_.items, stop));
    for (const auto& page : list.pages()) {
      if (!page) return give_up(page.error());
      for (const auto& item : page->items) write(item);
      ++at_.pages;
      at_.bookmark = list.bookmark();
      screen_.progress(at_.items, at_.pages, total_of(list.tally()), list.plan());
      if (const auto now = Clock::now(); now - committed_ >= commit_interval) {
        output_.commit(at_);
        committed_ = now;
      }
    }
    return end(list.tally());
  }

 private:
  std::optional<std::uint64_t> total_of(const noun::ListingTally& tally) const {
    if (!tally.promised) return arguments_.max_items;
    return arguments_.max_items ? std::min(*tally.promised, *arguments_.max_items) : *tally.promised;
  }

  void write(const JsonLine& item) {
    if (arguments_.select.empty()) {
      output_.write(item.text);
    } else {
      std::string fault;
      const auto part = line_at(item.text, arguments_.select, fault);
      // Every item has its line, so that lines can be counted.
      output_.write(part ? std::string_view(part->text) : "null");
    }
    ++at_.items;
  }

  Ending give_up(const noun::Error& error) {
    output_.commit(at_);
    screen_.stop();
    const bool is_stop = error.code() == noun::Errc::cancelled;
    if (!is_stop) screen_.complain(error.message());
    screen_.complain(
        fmt::format("{}{} items are {}", is_stop ? "interrupted: " : "", grouped(at_.items), output_.kept()));
    return ending_of(error);
  }

  Ending end(const noun::ListingTally& tally) {
    if (const auto fault = arguments_.verify ? verify(tally) : std::nullopt) {
      output_.commit(at_);
      screen_.stop();
      screen_.complain(fmt::format("not verified: {}; what came is {}", *fault, output_.kept()));
      return Ending::data;
    }
    output_.finish(at_);
    screen_.stop();
    auto words =
        fmt::format("{} items in {} after {}", grouped(at_.items), output_.name(), in_words(Clock::now() - began_));
    if (began_at_ > 0) words += fmt::format(", {} of them from before", grouped(began_at_));
    if (tally.duplicates > 0) words += fmt::format(", {} came twice and were left out", grouped(tally.duplicates));
    if (tally.changed) words += "; the collection changed while it was read";
    screen_.say(words + (arguments_.verify ? "; verified" : ""));
    return Ending::done;
  }

  std::optional<std::string> verify(const noun::ListingTally& tally) {
    const auto file = output_.readable();
    auto contents = read_contents(*file, arguments_.select.empty() ? arguments_.key : "");
    // Parts of different items may well be equal.
    if (!arguments_.select.empty()) contents.duplicates = 0;
    return fault_of(contents, at_.items, arguments_.max_items ? std::nullopt : total_of(tally));
  }

  const Arguments& arguments_;
  Screen& screen_;
  Output& output_;
  Checkpoint at_;
  const std::uint64_t began_at_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point committed_ = began_;
};

/// The first page alone, whatever is to be read ahead.
Ending try_out(Arguments arguments, Screen& screen, const std::stop_token& stop) {
  arguments.concurrency = 0;
  std::string url;
  const auto source = open_source(arguments, [&](const noun::Event& event) {
    if (url.empty() && event.kind == noun::EventKind::sent) url = event.url;
  });
  if (!source) return screen.complain(source.error().message()), ending_of(source.error());
  auto list = source->collection.list(list_options(arguments, source->client, {}, 0, stop));
  auto pages = list.pages();
  const auto first = pages.begin();
  const bool failed = first != std::default_sentinel && !*first;
  if (!url.empty()) print_out(curl_command(arguments, url) + '\n');
  if (failed) return screen.complain((*first).error().message()), ending_of((*first).error());
  print_out(plan_text(list.plan(), list.tally(), arguments));
  return Ending::done;
}

}  // namespace

Ending run_export(const Arguments& arguments, Screen& screen, const std::stop_token& stop) {
  if (arguments.dry_run) return try_out(arguments, screen, stop);
  std::optional<Records> records;
  const auto source = open_source(arguments, [&](const noun::Event& event) {
    if (records) records->record(event);
    screen.observe(event);
  });
  if (!source) return screen.complain(source.error().message()), ending_of(source.error());
  const auto output = open_output(arguments);
  if (!output)
    return screen.say(fmt::format("{} is whole: nothing is to be done", arguments.out.string())), Ending::done;
  records.emplace(arguments);
  const auto ending = Run(arguments, screen, *output).drain(*source, stop);
  records->finish();
  return ending;
}

}  // namespace noun_export
