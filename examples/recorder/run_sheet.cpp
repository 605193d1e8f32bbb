#include "run_sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace recorder {
namespace {

constexpr std::string_view style = R"(<style>
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif }
text { font-size: 12px; fill: #59636e }
.sheet { fill: #ffffff; stroke: #d1d9e0 }
.head { font-size: 19px; font-weight: 600; fill: #1f2328 }
.label { font-size: 11.5px }
.grid { fill: none; stroke: #818b98; stroke-opacity: .25 }
.edge { fill: none; stroke: #818b98 }
.requests { fill: #0969da }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.completed { stroke: #0969da }
.of-requests { fill: #0969da }
.quota-1 { stroke: #bc4c00 }
.quota-2 { stroke: #1a7f37; stroke-dasharray: 7 2 }
.quota-3 { stroke: #8250df; stroke-dasharray: 4 2 }
.quota-4 { stroke: #bf3989; stroke-dasharray: 2 2 }
.of-quota { fill: #bc4c00 }
.hold { fill: #6e7781; fill-opacity: .15 }
.reset_probe { fill: #1b7c83; fill-opacity: .22 }
.first_response { fill: #bf3989; fill-opacity: .18 }
.probe { fill: #8250df; fill-opacity: .22 }
.concurrency { fill: #7d4e00; fill-opacity: .18 }
.rejected, .retry_after { fill: #d1242f; fill-opacity: .18 }
.backoff { fill: #bf8700; fill-opacity: .25 }
.rejections, .faults { stroke-width: 2.2; stroke-linecap: round }
.rejections { fill: none; stroke: #d1242f }
.faults { fill: #ffffff; stroke: #9a6700 }
.requests-rejected { fill: #d1242f }
.requests-failed { fill: #bf8700 }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1 }
.sheet { fill: #0d1117; stroke: #3d444d }
.head { fill: #f0f6fc }
.requests { fill: #4493f8 }
.completed { stroke: #4493f8 }
.of-requests { fill: #4493f8 }
.quota-1 { stroke: #f0883e }
.quota-2 { stroke: #3fb950 }
.quota-3 { stroke: #ab7df8 }
.quota-4 { stroke: #db61a2 }
.of-quota { fill: #f0883e }
.hold { fill: #9198a1; fill-opacity: .17 }
.reset_probe { fill: #39c5cf }
.first_response { fill: #db61a2 }
.probe { fill: #ab7df8; fill-opacity: .28 }
.concurrency { fill: #d4a72c }
.rejected, .retry_after { fill: #f85149; fill-opacity: .24 }
.backoff { fill: #d29922; fill-opacity: .28 }
.rejections { stroke: #f85149 }
.faults { fill: #0d1117; stroke: #d29922 }
.requests-rejected { fill: #f85149 }
.requests-failed { fill: #d29922 }
}
</style>
)";

constexpr std::string_view ellipsis = "\u2026";
constexpr std::string_view replacement = "\uFFFD";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// U+FFFE and U+FFFF are valid in UTF-8 but not in XML.
bool starts_with_noncharacter(std::string_view rest) {
  return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
}

std::string end_of_element(std::string_view name, std::string_view title) {
  if (title.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(title), name);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (control)
      safe += replacement;
    else if (starts_with_noncharacter(text.substr(i)))
      safe += replacement, i += 2;
    else
      safe += c;
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t max_size) {
  if (text.size() <= max_size) return std::string(text);
  std::size_t end = max_size - ellipsis.size();
  while (end > 0 && continues(text[end])) --end;
  return fmt::format("{}{}", text.substr(0, end), ellipsis);
}

std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> kept;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    while (end < points.size() && std::floor(points[end].x) == std::floor(points[begin].x)) ++end;
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = points.begin() + static_cast<std::ptrdiff_t>(end);
    const auto [top, bottom] = std::minmax_element(first, last, [](Point a, Point b) { return a.y < b.y; });
    std::array wanted{first, top, bottom, last - 1};
    std::sort(wanted.begin(), wanted.end());
    const auto unique = std::unique(wanted.begin(), wanted.end());
    std::transform(wanted.begin(), unique, std::back_inserter(kept), [](auto point) { return *point; });
  }
  return kept;
}

std::string steps_path(const std::vector<Point>& points, double right) {
  if (points.empty()) return {};
  auto path = fmt::format("M{:.1f} {:.1f}", points.front().x, points.front().y);
  for (std::size_t i = 1; i < points.size(); ++i) path += fmt::format("H{:.1f}V{:.1f}", points[i].x, points[i].y);
  return path + fmt::format("H{:.1f}", right);
}

std::string box_path(const Box& box) {
  return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", box.x, box.y, box.width, box.height, -box.width);
}

double text_width(std::string_view text, double size) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); });
  constexpr double mean = 0.56;
  return static_cast<double>(characters) * size * mean;
}

void Sheet::box(std::string_view css_class, const Box& box, std::string_view title) {
  body_ += fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}")", css_class, box.x,
                       box.y, box.width, box.height);
  body_ += end_of_element("rect", title);
}

void Sheet::path(std::string_view css_class, std::string_view path, std::string_view title) {
  if (path.empty()) return;
  body_ += fmt::format(R"(<path class="{}" d="{}")", css_class, path);
  body_ += end_of_element("path", title);
}

void Sheet::text(std::string_view css_class, Point at, std::string_view anchor, std::string_view text) {
  body_ += fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", css_class, at.x, at.y,
                       anchor, escaped(text));
  body_ += '\n';
}

std::string Sheet::finish(double columns, double rows, std::string_view title, std::string_view description) const {
  auto document = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n",
      columns, rows, escaped(title), escaped(description));
  document += style;
  document += fmt::format(R"(<rect class="sheet" x="0.5" y="0.5" width="{:.0f}" height="{:.0f}" rx="8"/>)", columns - 1,
                          rows - 1);
  return document + "\n" + body_ + "</svg>\n";
}

}  // namespace recorder
