#pragma once
/// @file
/// Secrets that tests put into a place, and the search for them in everything that becomes visible.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>

namespace canary {

/// What most texts have to escape; `legal_everywhere` is for grammars that do not allow it.
constexpr std::string_view awkward = R"("/\+&=% ;,)";
constexpr std::string_view legal_everywhere = "-";

/// The middle of the Base64 of a longer text with `mark` at `offset` (modulo 3).
inline std::string inside_base64(std::string_view mark, std::size_t offset) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  mark.remove_prefix((3 - offset) % 3);
  std::string encoded;
  for (std::size_t at = 0; at + 3 <= mark.size(); at += 3) {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = (bits << 8U) | static_cast<unsigned char>(mark[at + i]);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) encoded += letters[(bits >> shift) & 63U];
  }
  return encoded;
}

/// The secret of one place: two marks that occur nowhere else, and `between` them.
struct Secret {
  Secret(std::size_t number, std::string_view between)
      : mark(fmt::format("can{:03}ary", number)), text(fmt::format("{0}{1}{0}", mark, between)) {
    for (std::size_t offset = 0; offset < 3; ++offset) in_base64.push_back(inside_base64(mark, offset));
  }

  std::string mark;
  std::string text;
  /// Of the mark, by its offset in the plain text. Letters and digits only, so that it is base64url too.
  std::vector<std::string> in_base64;
};

inline std::string percent_encoded(std::string_view text, std::string_view digits = "0123456789ABCDEF") {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    for (const char letter : {'%', digits[byte >> 4U], digits[byte & 15U]}) encoded += letter;
  }
  return encoded;
}

/// Every character as \uXXXX.
inline std::string json_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const bool is_ascii = static_cast<unsigned char>(text.front()) < 0x80;
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) ++size;
    if (is_ascii) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(text.front()));
    } else {
      const auto quoted = noun::Json(text.substr(0, size)).dump(-1, ' ', true);
      escaped += quoted.substr(1, quoted.size() - 2);
    }
    text.remove_prefix(size);
  }
  return escaped;
}

/// Without percent-encoding and without \uXXXX of ASCII.
inline std::string decoded(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t before = text[at] == '%' ? 1 : text.compare(at, 4, "\\u00") == 0 ? 4 : 0;
    char digits[] = {'x', 'x', '\0'};
    if (before > 0) text.copy(digits, 2, std::min(at + before, text.size()));
    char* end = nullptr;
    const auto code = static_cast<char>(std::strtol(digits, &end, 16));
    const bool is_code = end == digits + 2;
    plain += is_code ? code : text[at];
    at += is_code ? before + 2 : 1;
  }
  return plain;
}

/// The part of `text` around a mark of the secret, in any spelling: plain, in another case, percent-encoded (twice,
/// too), JSON-escaped or in Base64; empty if there is none.
inline std::string found(const Secret& secret, std::string text) {
  const auto around = [&](std::size_t at) { return text.substr(at - std::min<std::size_t>(at, 40), 120); };
  for (int decodings = 0; decodings < 3; ++decodings) {
    if (std::memchr(text.data(), 0, text.size()) != nullptr) std::replace(text.begin(), text.end(), '\0', ' ');
    if (const char* at = ::strcasestr(text.c_str(), secret.mark.c_str()); at != nullptr)
      return around(static_cast<std::size_t>(at - text.c_str()));
    for (const auto& base64 : secret.in_base64)
      if (const auto at = text.find(base64); at != std::string::npos) return around(at);
    if (text.find('%') == std::string::npos && text.find("\\u") == std::string::npos) break;
    text = decoded(text);
  }
  return {};
}

/// Where texts become visible, with each text and the scene in which it was seen first.
using Surfaces = std::map<std::string_view, std::map<std::string, std::string>>;

/// Collects what a program shows of clients whose observer it is.
/// @threadsafety  begin() and see() are safe.
class Witness {
 public:
  /// The observer. Writes to log_to() too.
  std::function<void(const noun::Event&)> observer() {
    return [this](const noun::Event& event) { see(event); };
  }
  void begin(std::string scene) {
    const std::lock_guard lock(mutex_);
    scene_ = std::move(scene);
  }
  void see(std::string_view surface, const std::string& text) {
    if (text.empty()) return;
    const std::lock_guard lock(mutex_);
    surfaces[surface].emplace(text, scene_);
  }
  void see(const noun::Error& error) {
    see("Error::message()", error.message());
    see("Error::what()", error.what());
    see("Error::advice()", error.advice());
    see("RequestSummary::url", error.request().url);
    see("RequestSummary::curl", error.request().curl);
    see("Error::request_id()", error.request_id());
    see("Error::idempotency_key()", error.idempotency_key());
    if (const auto& problem = error.problem())
      see("Error::problem()",
          fmt::format("{}\n{}\n{}\n{}", problem->type, problem->title, problem->detail, problem->instance));
    see("fmt of an Error", fmt::format("{}", error));
    see("<< of an Error", streamed(error));
    see("GoogleTest's printer of an Error", ::testing::PrintToString(error));
    see("Exception::what()", noun::Exception(error).what());
  }
  template <class T>
  void see(const noun::Result<T>& result) {
    if (result) return;
    see(result.error());
    see("fmt of a Result", fmt::format("{}", result));
    see("<< of a Result", streamed(result));
    see("GoogleTest's printer of a Result", ::testing::PrintToString(result));
  }
  void see(const noun::Event& event) {
    see("Event::url", event.url);
    see("Event::partition", event.partition);
    see("Event::note", event.note);
    see("to_string(Event)", noun::to_string(event));
    see("fmt of an Event", fmt::format("{}", event));
    see("GoogleTest's printer of an Event", ::testing::PrintToString(event));
    char* line = nullptr;
    std::size_t size = 0;
    std::FILE* const file = ::open_memstream(&line, &size);
    noun::log_to(file)(event);
    std::fclose(file);
    see("a line of log_to()", std::string(line, size));
    std::free(line);
  }

  /// After the end of the clients.
  Surfaces surfaces;

 private:
  template <class T>
  static std::string streamed(const T& value) {
    std::ostringstream text;
    text << value;
    return text.str();
  }

  std::mutex mutex_;
  std::string scene_;
};

/// A row of the report: a surface on which the secret of a place was searched.
struct Row {
  std::string place;
  std::string_view surface;
  std::size_t texts = 0;
  /// The scene and the text around the secret; empty if it was not found.
  std::string leak = {};
};

/// Searches the secret in everything that was seen: one row for each surface.
inline void search(const std::string& place, const Secret& secret, const Surfaces& surfaces, std::vector<Row>& rows) {
  for (const auto& [surface, texts] : surfaces) {
    Row row{.place = place, .surface = surface, .texts = texts.size()};
    for (const auto& [text, scene] : texts)
      if (const auto leak = found(secret, text); !leak.empty() && row.leak.empty())
        row.leak = fmt::format("{}: {}", scene, leak);
    rows.push_back(std::move(row));
  }
}

inline std::size_t number_of_leaks(const std::vector<Row>& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.leak.empty(); }));
}

/// The rows with a leak, one a line.
inline std::string leaks_in(const std::vector<Row>& rows) {
  std::string lines;
  for (const auto& row : rows)
    if (!row.leak.empty()) lines += fmt::format("{} | {} | {}\n", row.place, row.surface, row.leak);
  return lines;
}

}  // namespace canary
