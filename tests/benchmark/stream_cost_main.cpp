// What a stream costs. Run by tests/benchmark/stream_cost.
//
//   stream_cost speed URL    five times in turn: a million events through noun::Stream, and through a write callback of
//                            libcurl that splits them by hand, each decoded to the same struct; exits 1 if the median
//                            throughput of noun is below 0.9 of that by hand
//   stream_cost memory URL   the growth of the resident memory from the 1,000th event to the 1,000,000th; exits 1 above
//                            1 MiB
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>
#include <fmt/format.h>

#include <noun/noun.hpp>

namespace stream_cost {

constexpr std::uint64_t events = 1'000'000;
constexpr double least_ratio = 0.9;
constexpr double most_growth_mib = 1;

struct Change {
  std::uint64_t seq;
  std::string name;
  std::string text;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Change, seq, name, text)

void require(bool done, const char* what) {
  if (done) return;
  fmt::print(stderr, "stream_cost: {}\n", what);
  std::exit(2);
}

/// What was received, so that nothing can be left out.
struct Received {
  std::uint64_t events = 0;
  std::uint64_t sum = 0;

  void add(const Change& change) {
    ++events;
    sum += change.seq + change.text.size();
  }
  friend bool operator==(const Received&, const Received&) = default;
};

template <class Use>
void by_noun(const std::string& url, Use use) {
  const noun::Client api(url);
  for (auto& each : api.stream<Change>({.path = std::to_string(events)})) {
    if (!each) fmt::print(stderr, "{}\n", each.error().message());
    require(each.has_value(), "the stream failed");
    use(each->value);
  }
}

/// The events as a program reads them that relies on LF and on one line of data.
struct ByHand {
  std::string bytes;
  Received received;

  static std::size_t write(char* data, std::size_t, std::size_t size, void* self) {
    static_cast<ByHand*>(self)->take({data, size});
    return size;
  }
  void take(std::string_view more) {
    bytes.append(more);
    std::size_t begin = 0;
    for (;;) {
      const auto end = bytes.find("\n\n", begin);
      if (end == std::string::npos) break;
      event(std::string_view(bytes).substr(begin, end - begin));
      begin = end + 2;
    }
    bytes.erase(0, begin);
  }
  void event(std::string_view lines) {
    while (!lines.empty()) {
      const auto end = std::min(lines.find('\n'), lines.size());
      if (lines.starts_with("data: "))
        received.add(nlohmann::json::parse(lines.substr(6, end - 6)).get<Change>());
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }
};

Received by_hand(const std::string& url) {
  ByHand state;
  auto* const handle = curl_easy_init();
  curl_easy_setopt(handle, CURLOPT_URL, fmt::format("{}/{}", url, events).c_str());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &ByHand::write);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &state);
  require(curl_easy_perform(handle) == CURLE_OK, "the transfer by hand failed");
  curl_easy_cleanup(handle);
  return state.received;
}

struct Times {
  double wall = 0;
  double processor = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Work>
Times measured(Work work) {
  const auto start = std::chrono::steady_clock::now();
  const auto before = processor_seconds();
  work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), processor_seconds() - before};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int speed(const std::string& url) {
  std::vector<double> wall;
  std::vector<double> processor;
  for (int round = 0; round < 5; ++round) {
    Received noun;
    Received hand;
    const auto of_noun = measured([&] { by_noun(url, [&](const Change& change) { noun.add(change); }); });
    const auto of_hand = measured([&] { hand = by_hand(url); });
    require(noun.events == events && noun == hand, "not the same events");
    fmt::print("noun {:.2f} s ({:.2f} s of the processor), by hand {:.2f} s ({:.2f} s)\n", of_noun.wall,
               of_noun.processor, of_hand.wall, of_hand.processor);
    wall.push_back(of_hand.wall / of_noun.wall);
    processor.push_back(of_noun.processor / of_hand.processor);
  }
  fmt::print("throughput {:.2f} of that by hand (bar {:.2f}), seconds of the processor {:.2f}\n", median(wall),
             least_ratio, median(processor));
  return median(wall) >= least_ratio ? 0 : 1;
}

double resident_mib() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

int memory(const std::string& url) {
  double first = 0;
  double last = 0;
  std::uint64_t number = 0;
  by_noun(url, [&](const Change&) {
    if (++number == 1'000) first = resident_mib();
    if (number == events) last = resident_mib();
  });
  require(number == events, "not all events");
  fmt::print("{:.2f} MiB after 1,000 events, {:.2f} MiB after {}: {:+.2f} MiB (bar {:.0f})\n", first, last, events,
             last - first, most_growth_mib);
  return last - first <= most_growth_mib ? 0 : 1;
}

}  // namespace stream_cost

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  stream_cost::require(words.size() == 2 && (words[0] == "speed" || words[0] == "memory"),
                       "see the first lines of its source");
  return words[0] == "speed" ? stream_cost::speed(words[1]) : stream_cost::memory(words[1]);
}
