// Link fields: each line of the input is one. What was read is written and read again.
#include <algorithm>
#include <string>

#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"
#include "wire/link.hpp"
#include "wire/url.hpp"

namespace {

using noun_fuzz::require;
using noun::wire::Link;

constexpr std::string_view base = "https://api.example.com/v1/things?page=1";

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

std::string written(const std::vector<Link>& links) {
  std::string line;
  for (const auto& link : links) line += "<" + link.target() + ">; rel=" + quoted(link.relation) + ", ";
  return line;
}

bool same(const Link& left, const Link& right) {
  return left.relation == right.relation && left.target() == right.target();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = noun_fuzz::lines_of(noun_fuzz::text_of(data, size));
  const auto links = noun::wire::parse_links(lines, base);
  noun::Headers headers;
  for (const auto line : lines) headers.push_back({"Link", std::string(line)});
  for (const auto& link : links) {
    require(noun::wire::split_url(link.target()).has_scheme, "a target is absolute");
    require(!link.relation.empty(), "a relation is not empty");
    require(link.relation == noun::wire::lowered(link.relation), "a relation is in lower case");
  }
  const auto written_line = written(links);
  const auto again = noun::wire::parse_links({written_line}, "http://other/");
  require(std::equal(links.begin(), links.end(), again.begin(), again.end(), same), "a written link reads the same");
  for (const auto* relation : {"next", "prev", "last"}) {
    const auto found = noun::wire::find_link(headers, relation, base);
    noun::wire::fault_of_link(headers, relation, base);
    if (!found) continue;
    // A longer text may have more relations than parse_links() returns.
    const bool is_link = std::any_of(links.begin(), links.end(), [&](const Link& one) { return one.target() == *found; });
    require(size > 32 || is_link, "a link that is found is one of the links");
  }
  noun::wire::is_unreadable_link(headers);
  return 0;
}
