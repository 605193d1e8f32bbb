#pragma once
/// @file
/// Which page comes next, and whether it may be asked for. Sees one answer at a time and sends nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/headers.hpp>
#include <noun/limits.hpp>

#include "policy/redirect.hpp"
#include "wire/url.hpp"

namespace noun::inline v0 {

/// What a pager needs to see of a page.
struct PageSeen {
  const Headers& headers;
  /// Where the answer came from, after redirects: what relative links are resolved against.
  std::string_view url;
  std::size_t items = 0;
  /// Of the body: two pages with the same one are the same page.
  std::uint64_t fingerprint = 0;
};

/// Ask for this page next.
struct NextPage {
  std::string url;
};
/// There is no further page.
struct LastPage {};

/// What follows from a page.
struct PageDecision {
  /// Whether the page is news; otherwise its items are those of the page before.
  bool deliver = true;
  std::variant<NextPage, LastPage, Refuse> next = LastPage{};
};

/// Where a listing begins.
enum class PagerStart {
  first_page,  ///< at its first page
  guessed,     ///< where it was left while guessing()
  elsewhere,   ///< where it was left otherwise
};

/// Follows one listing from page to page.
class Pager {
 public:
  /// @param first_url  the first page to be asked for, with its query; of an allowed origin.
  /// @param allowed    where pages may come from: the client's origin and the trusted ones.
  Pager(PagingConvention convention, const Limits& limits, std::string first_url, std::vector<wire::UrlOrigin> allowed,
        PagerStart start = PagerStart::first_page);

  /// Decides on the page that url() answered with, and goes on to the next.
  PageDecision decide(const PageSeen& page);
  /// Whether it is a guess that the service numbers its pages.
  bool guessing() const noexcept { return guessing_; }
  /// Whether pages are counted up: a page behind the last one may then not be found.
  bool counting() const noexcept { return convention_.style == PagingStyle::page_number; }

 private:
  PageDecision by_link(const PageSeen& page);
  PageDecision by_number(const PageSeen& page);
  bool may_be_numbered(const PageSeen& page) const;
  bool at_second_page() const;
  PageDecision go_to(std::string url);
  std::optional<Refuse> over_a_limit(const PageSeen& page);

  PagingConvention convention_;
  Limits limits_;
  std::string url_;
  std::vector<wire::UrlOrigin> allowed_;
  std::unordered_set<std::uint64_t> visited_;
  std::uint64_t last_fingerprint_ = 0;
  std::size_t pages_ = 0;
  std::size_t empty_in_a_row_ = 0;
  bool at_first_page_;
  bool guessing_;
};

/// `url` with the query parameter `name` set to `value`; other parameters and their order stay byte for byte.
std::string with_parameter(std::string_view url, std::string_view name, std::string_view value);
/// The value of the query parameter `name` of `url`, as written there.
std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name);

}  // namespace noun::inline v0
