// IMF-fixdate, independent of the locale.
#include "atlas_clock.hpp"

#include <fmt/format.h>

#include <array>

namespace atlas {

std::string http_date_text(WallTime moment) {
  using namespace std::chrono;
  constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<std::chrono::days>(moment);
  const year_month_day date{day};
  const hh_mm_ss time{floor<seconds>(moment - day)};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days[weekday{day}.c_encoding()],
                     static_cast<unsigned>(date.day()), months[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

}  // namespace atlas
