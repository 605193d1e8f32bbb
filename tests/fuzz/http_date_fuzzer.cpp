// Dates: what was read is written and read again, and agrees with libcurl wherever both read an HTTP-date.
#include <chrono>
#include <ctime>
#include <string>

#include <curl/curl.h>

#include "fuzz/invariant.hpp"
#include "wire/deprecation.hpp"
#include "wire/http_date.hpp"

namespace {

using noun_fuzz::require;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

constexpr noun::WallTime now{std::chrono::seconds(1'768'910'400)};
/// libcurl moves earlier dates: to -1, or to 1583.
constexpr sys_seconds curl_begin{sys_days(year(1970) / 1 / 2)};
constexpr sys_seconds curl_end{sys_days(year(9999) / 1 / 1)};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(noun_fuzz::text_of(data, size));
  const auto when = noun::wire::parse_http_date(text, now);
  if (when) {
    const auto written = noun::wire::format_http_date(*when);
    const bool four_digits = *when >= sys_days(year(0) / 1 / 1) && *when < sys_days(year(10000) / 1 / 1);
    if (four_digits) require(noun::wire::parse_http_date(written, now) == when, "a written date reads the same");
    if (*when >= curl_begin && *when < curl_end) {
      const auto seconds = when->time_since_epoch().count();
      require(curl_getdate(written.c_str(), nullptr) == seconds, "libcurl reads the same date");
      // libcurl reads more forms, some of them otherwise.
      const bool is_imf_fixdate = text == written;
      require(!is_imf_fixdate || curl_getdate(text.c_str(), nullptr) == seconds, "libcurl reads the same IMF-fixdate");
    }
  }
  const auto end = noun::wire::read_deprecation({{"Deprecation", text}, {"Sunset", text}}, "https://h/", now);
  require(!when || (end && end->since && end->unavailable_at == when), "a date is that of a deprecation and a sunset");
  noun::wire::parse_javascript_date(text);
  if (const auto stamp = noun::wire::parse_rfc3339(text))
    require(*stamp >= noun::WallTime(sys_days(year(1677) / 12 / 31)) &&
                *stamp <= noun::WallTime(sys_days(year(2262) / 1 / 2)),
            "a timestamp is in the years that are read");
  return 0;
}
