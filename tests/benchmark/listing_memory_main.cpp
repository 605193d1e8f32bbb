// What a listing needs of memory, as the kernel counts it (VmHWM): draining a million items beside ten thousand, and
// holding the first page while others are read ahead. Each figure is of a process of its own, so that none sees
// another's; this one serves them all.
//
//   listing_memory
//
// The status is 1 over a bar, and where items are lost or doubled.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "curl/raw_server.hpp"

namespace paging_memory {

struct Thing {
  std::size_t id = 0;
  std::string text;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Thing, id, text)

}  // namespace paging_memory

namespace {

using namespace std::chrono_literals;
using noun_test::RawServer;
using paging_memory::Thing;

constexpr std::size_t small_page = 100;
constexpr std::size_t all_items = 1'000'000;
constexpr std::size_t few_items = 10'000;
constexpr std::size_t large_page = 1000;
constexpr std::size_t large_pages = 50;
constexpr std::size_t large_text = 1000;
constexpr std::size_t ahead = 4;

template <class T>
T number(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) throw std::runtime_error(fmt::format("'{}' is not a number", text));
  return value;
}

/// A page of so many things with that much text each, linked to the next and the last.
std::string page_of(const std::string& url, std::size_t page, std::size_t pages, std::size_t things, std::size_t text) {
  const std::string words(text, 'x');
  std::string body = "[";
  for (std::size_t id = (page - 1) * things + 1; id <= page * things; ++id)
    body += fmt::format(R"({}{{"id":{},"text":"{}"}})", body.size() == 1 ? "" : ",", id, words);
  std::string link;
  if (page < pages)
    link = fmt::format("Link: <{0}?page={1}>; rel=\"next\", <{0}?page={2}>; rel=\"last\"\r\n", url, page + 1, pages);
  return noun_test::http_response(body + "]", link);
}

/// "/small": 10,000 pages of 6 KiB. "/large": 50 pages of 1 MB.
void serve(RawServer::Peer& peer, const std::string& base_url) {
  while (const auto request = peer.request()) {
    const bool large = request->starts_with("GET /large");
    const auto at = request->find("page=");
    const auto page = at == std::string::npos ? 1 : number<std::size_t>(std::string_view(*request).substr(at + 5, 9));
    const auto sent = large ? page_of(base_url + "/large", page, large_pages, large_page, large_text)
                            : page_of(base_url + "/small", page, all_items / small_page, small_page, 40);
    if (!peer.send(sent)) return;
  }
}

/// Of this process, in KiB.
double high_water() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return number<double>(line.substr(line.find_first_of("0123456789")));
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

/// Takes every item; says the high-water marks after few of them, and after all.
void drain(const noun::Client& api, std::size_t prefetch, const std::string& key) {
  double early = 0;
  std::size_t count = 0;
  for (const auto& thing : api.collection<Thing>("small").list({.prefetch = prefetch, .key = key})) {
    if (thing.value().id != ++count) throw std::runtime_error("items are lost or doubled");
    if (count == few_items) early = high_water();
  }
  if (count != all_items) throw std::runtime_error("items are lost");
  fmt::print("{} {}\n", early, high_water());
}

/// Takes the first large page and nothing else for half a second, or all of them, slowly; says the high-water marks
/// before and after.
void hold(const noun::Client& api, bool to_the_end) {
  for (const auto& thing : api.collection<Thing>("small").list({.max_items = few_items})) thing.value();
  const auto before = high_water();
  auto large = api.collection<Thing>("large").list({.prefetch = ahead});
  for (const auto& thing : large) {
    const auto at_page = thing.value().id % large_page == 1;
    if (at_page) std::this_thread::sleep_for(to_the_end ? 30ms : 500ms);
    if (!to_the_end) break;
  }
  fmt::print("{} {}\n", before, high_water());
}

void work(const std::vector<std::string>& words) {
  const noun::Client api(words.at(1));
  if (words.at(2) == "drain")
    drain(api, number<std::size_t>(words.at(3)), words.size() > 4 ? words[4] : "");
  else
    hold(api, words.at(2) == "all");
}

struct Marks {
  double early = 0;
  double late = 0;
};

/// What a process of its own says.
Marks ask(const std::string& words) {
  const auto command = fmt::format("/proc/{}/exe --within {}", ::getpid(), words);
  auto* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process can be made");
  Marks marks;
  const int read = std::fscanf(pipe, "%lf %lf", &marks.early, &marks.late);
  if (::pclose(pipe) != 0 || read != 2) throw std::runtime_error(words + ": failed");
  return marks;
}

bool judge(std::string_view what, double value, std::string_view unit, double bar) {
  fmt::print("{:<60}{:>9.1f} {:<14} (bar {}): {}\n", what, value, unit, bar, value <= bar ? "met" : "NOT met");
  std::fflush(stdout);
  return value <= bar;
}

std::size_t requests_for(const RawServer& server, std::string_view start) {
  std::size_t count = 0;
  for (const auto& request : server.requests()) count += request.starts_with(start) ? 1 : 0;
  return count;
}

bool measure() {
  std::string base_url;
  RawServer server([&](RawServer::Peer& peer) { serve(peer, base_url); });
  base_url = server.url("");
  bool met = true;
  fmt::print("a million items in pages of {}: more than after ten thousand\n", small_page);
  for (const std::size_t prefetch : {0U, 2U, 16U}) {
    const auto marks = ask(fmt::format("{} drain {}", base_url, prefetch));
    met &= judge(fmt::format("prefetch {}", prefetch), marks.late - marks.early, "KiB", 1024);
  }
  const auto keyed = ask(fmt::format("{} drain 2 /id", base_url));
  met &= judge("prefetch 2, key /id", (keyed.late - keyed.early) * 1024 / (all_items - few_items), "bytes an item", 60);
  const auto page = page_of("", 1, 1, large_page, large_text).size();
  const auto pages_of = [&](const Marks& marks) {
    return (marks.late - marks.early) * 1024 / static_cast<double>(page);
  };
  // What is held, what was told to be ahead, the next one while it takes the held one's place, and buffers.
  constexpr double most_pages = ahead + 2.5;
  fmt::print("prefetch {}, pages of {} bytes\n", ahead, page);
  const auto held = ask(base_url + " first");
  met &= judge("the first page is held: memory", pages_of(held), "pages' worth", most_pages);
  met &= judge("the first page is held: requests", static_cast<double>(requests_for(server, "GET /large")), "pages",
               ahead + 1);
  const auto drained = ask(base_url + " all");
  met &= judge("all pages are taken, slowly: memory", pages_of(drained), "pages' worth", most_pages);
  return met;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "--within") return work(words), 0;
  if (!words.empty()) throw std::runtime_error("usage: listing_memory");
  return measure() ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
