#include "export_check.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "export_disk.hpp"
#include "json_line.hpp"

namespace noun_export {
namespace {

/// FNV-1a, 64 bits.
/// @source http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

class Reader {
 public:
  explicit Reader(const std::string& key) : key_(key) {}

  void take(std::string_view line) {
    ++contents_.lines;
    std::string fault;
    const auto whole = line_at(line, "", fault);
    if (!whole) return note(contents_.damaged);
    if (key_.empty()) return hashes_.push_back(hash_of(whole->text));
    const auto key = line_at(whole->text, key_, fault);
    if (!key) return note(contents_.without_key);
    hashes_.push_back(hash_of(key->text));
  }
  /// A line without an end is one that was not written to its end.
  void take_torn() {
    ++contents_.lines;
    note(contents_.damaged);
  }
  Contents contents() {
    std::sort(hashes_.begin(), hashes_.end());
    const auto different = std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin();
    contents_.duplicates = hashes_.size() - static_cast<std::size_t>(different);
    return contents_;
  }

 private:
  void note(std::optional<std::uint64_t>& first) const {
    if (!first) first = contents_.lines;
  }

  const std::string& key_;
  Contents contents_;
  std::vector<std::uint64_t> hashes_;
};

std::string count_of(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string were(std::uint64_t number) { return number == 1 ? "was" : "were"; }

}  // namespace

Contents read_contents(const std::filesystem::path& file, const std::string& key) {
  const auto data = try_open(file, O_RDONLY);
  if (!data.is_open()) throw_unreadable(file, errno);
  Reader reader(key);
  std::vector<char> buffer(256 * 1024);
  std::string torn;
  while (const auto size = read_some(data, buffer.data(), buffer.size(), file)) {
    std::string_view text(buffer.data(), size);
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      reader.take(torn.empty() ? text.substr(0, end) : torn.append(text.substr(0, end)));
      torn.clear();
      text.remove_prefix(end + 1);
    }
    torn += text;
  }
  if (!torn.empty()) reader.take_torn();
  return reader.contents();
}

std::optional<std::string> fault_of(const Contents& contents, std::uint64_t items, std::optional<std::uint64_t> total) {
  if (contents.damaged)
    return fmt::format("line {} is damaged: the disk or another program changed the file; remove it and export again",
                       *contents.damaged);
  if (contents.lines != items)
    return fmt::format("the file has {}, but {} {} written: another program changed it; remove it and export again",
                       count_of(contents.lines, "line"), count_of(items, "item"), were(items));
  if (contents.without_key)
    return fmt::format("line {} has nothing at the key: take a --key that all items have", *contents.without_key);
  if (contents.duplicates != 0)
    return fmt::format(
        "{} of {} {} there before: the collection changed while it was read, or the key is not one of a "
        "kind; export again, or take another --key",
        contents.duplicates, count_of(items, "item"), were(contents.duplicates));
  if (total && *total > items)
    return fmt::format(
        "the service counts {}, but {} {} written, {} too few: the collection changed while it was read, "
        "or not all of it can be listed; export again",
        count_of(*total, "item"), items, were(items), *total - items);
  if (total && *total < items)
    return fmt::format(
        "the service counts {}, but {} {} written, {} too many: the collection changed while it was read; "
        "export again",
        count_of(*total, "item"), items, were(items), items - *total);
  return std::nullopt;
}

}  // namespace noun_export
