#include "export_check.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "export_keys.hpp"
#include "export_lines.hpp"
#include "json_line.hpp"
#include "text_hash.hpp"

namespace noun_export {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& key) : key_(key) {}

  void take(std::string_view line) {
    ++contents_.lines;
    std::string fault;
    const auto whole = line_at(line, "", fault);
    if (!whole) return note(contents_.damaged);
    if (key_.empty()) return hashes_.push_back(hash_.of(whole->text));
    const auto key = key_hash(hash_, whole->text, key_);
    if (!key) return note(contents_.without_key);
    hashes_.push_back(*key);
  }
  /// A line without a line break is incomplete.
  void take_torn() {
    ++contents_.lines;
    note(contents_.damaged);
  }
  Contents contents() {
    std::sort(hashes_.begin(), hashes_.end());
    const auto different = std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin();
    (key_.empty() ? contents_.equal : contents_.duplicates) = hashes_.size() - static_cast<std::size_t>(different);
    return contents_;
  }

 private:
  void note(std::optional<std::uint64_t>& first) const {
    if (!first) first = contents_.lines;
  }

  const std::string& key_;
  Contents contents_;
  TextHash hash_;
  std::vector<TextDigest> hashes_;
};

std::string count_of(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string were(std::uint64_t number) { return number == 1 ? "was" : "were"; }

std::string have(std::uint64_t number) { return number == 1 ? "has" : "have"; }

}  // namespace

Contents read_contents(const std::filesystem::path& file, const std::string& key) {
  Reader reader(key);
  read_lines(file, [&](std::string_view line, bool whole) { whole ? reader.take(line) : reader.take_torn(); });
  return reader.contents();
}

std::optional<std::string> fault_of(const Contents& contents, std::uint64_t items, std::optional<std::uint64_t> total) {
  if (contents.damaged)
    return fmt::format("line {} is damaged; the disk or another program changed the file", *contents.damaged);
  if (contents.lines != items)
    return fmt::format("the file has {}, but {} {} written; another program changed it",
                       count_of(contents.lines, "line"), count_of(items, "item"), were(items));
  if (contents.without_key)
    return fmt::format("line {} has no value at the key; use a --key that all items have", *contents.without_key);
  if (contents.duplicates != 0)
    return fmt::format(
        "{} of {} {} a duplicate key; the collection changed during the export, or the key is not unique: use "
        "another --key",
        contents.duplicates, count_of(items, "item"), have(contents.duplicates));
  if (total && *total > items)
    return fmt::format(
        "the server counts {}, but {} {} written, {} too few; the collection changed during "
        "the export, or the API does not list all of it",
        count_of(*total, "item"), items, were(items), *total - items);
  if (total && *total < items)
    return fmt::format(
        "the server counts {}, but {} {} written, {} too many; the collection changed during the export",
        count_of(*total, "item"), items, were(items), items - *total);
  return std::nullopt;
}

std::string verified_text(const Contents& contents, bool is_counted) {
  std::string text =
      is_counted ? "verified"
                 : "the lines are valid, but not verified: the server does not report how many items there are; "
                   "compare with an export of another run, or with the API's own count";
  if (contents.equal == 1) text += "; 1 line is identical to another";
  if (contents.equal > 1) text += fmt::format("; {} lines are identical to others", contents.equal);
  return text;
}

}  // namespace noun_export
