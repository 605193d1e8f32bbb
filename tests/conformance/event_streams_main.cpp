// What noun reads of random streams of server-sent events, which arrive in random pieces.
// tests/conformance/event_streams compares it with npm's eventsource-parser.
//
//   event_streams COUNT SEED   prints each stream, the sizes of its pieces and what was read as a line of JSON
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "wire/event_stream.hpp"

namespace {

using namespace std::literals;
using noun::Json;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string stream() {
    std::string bytes(
        one_in(8) ? pick({"\xEF\xBB\xBF"sv, "\xEF\xBB\xBF\xEF\xBB\xBF"sv, "\xEF\xBB"sv, "\xC3\xAF\xC2\xBB\xC2\xBF"sv})
                  : ""sv);
    const auto end = pick({"\n"sv, "\r\n"sv, "\r"sv});
    const bool is_mixed = one_in(3);
    for (auto lines = below(24); lines > 0; --lines) {
      bytes += line();
      bytes += is_mixed ? pick({"\n"sv, "\r\n"sv, "\r"sv, "\n\r"sv}) : end;
    }
    if (one_in(2)) bytes += end;
    if (one_in(3)) bytes.resize(below(bytes.size() + 1));
    for (auto faults = one_in(4) ? below(4) : 0; faults > 0 && !bytes.empty(); --faults)
      bytes[below(bytes.size())] = static_cast<char>(random_());
    return bytes;
  }

  std::vector<std::size_t> pieces(std::size_t size) {
    std::vector<std::size_t> sizes;
    const auto largest = pick({std::size_t{1}, std::size_t{3}, std::size_t{16}, size, size});
    for (std::size_t left = size; left > 0; left -= sizes.back())
      sizes.push_back(std::min(left, below(std::max<std::size_t>(largest, 1)) + 1));
    return sizes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return *(of.begin() + below(of.size()));
  }

  std::string line() {
    if (one_in(3)) return "";
    if (one_in(12)) return ":" + value();
    std::string text(pick({"data"sv, "data"sv, "data"sv, "event"sv, "id"sv, "id"sv, "retry"sv, "unknown"sv}));
    if (one_in(30))
      text = pick({"Data"sv, " data"sv, "dat"sv, "datas"sv, "events"sv, "i"sv,
                   "\xEF\xBB\xBF"
                   "data"sv,
                   "da\0ta"sv});
    const bool is_number = text == "retry" && !one_in(3);
    if (one_in(10)) return text;
    text += pick({":"sv, ": "sv, ": "sv, ":  "sv, " :"sv, ":\t"sv, "::"sv});
    return text + (is_number ? std::string(pick({"0"sv, "1"sv, "2500"sv, "0010"sv, "99999999999999"sv})) : value());
  }

  std::string value() {
    std::string text;
    for (auto words = below(4); words > 0; --words)
      text += pick({"a"sv, "b c"sv, "{\"d\":1}"sv, "\xC3\xBC"sv, "\xE2\x82\xAC"sv, "\xF0\x9F\x98\x80"sv, ":"sv, " "sv,
                    "\xEF\xBB\xBF"sv, "7"sv, "\xFF"sv, "\xE2\x82"sv, "\xC0\x80"sv, "\xED\xA0\x80"sv, "\t"sv,
                    one_in(4) ? "\0"sv : "x"sv});
    return text;
  }

  std::mt19937_64 random_;
};

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

/// Bytes in hexadecimal digits: they need not be UTF-8.
Json read(std::string_view stream, const std::vector<std::size_t>& pieces) {
  noun::wire::EventStreamReader reader(stream.size());
  auto events = Json::array();
  for (auto rest = stream; const auto size : pieces) {
    const std::string piece(rest.substr(0, size));
    rest.remove_prefix(size);
    std::string_view unread = piece;
    while (const auto event = reader.take(unread))
      events.push_back({{"data", hex(event->data)}, {"event", hex(event->event)}, {"id", hex(event->id)}});
  }
  using std::chrono::floor;
  using std::chrono::milliseconds;
  const auto retry = reader.retry();
  return {{"stream", hex(stream)},
          {"pieces", pieces},
          {"events", events},
          {"last_id", hex(reader.last_event_id())},
          {"retry", retry ? Json(floor<milliseconds>(*retry).count()) : Json()}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: event_streams COUNT SEED");
  Generator generator(std::stoull(argv[2]));
  for (auto left = std::stoull(argv[1]); left > 0; --left) {
    const auto stream = generator.stream();
    fmt::print("{}\n", read(stream, generator.pieces(stream.size())).dump());
  }
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 2;
}
