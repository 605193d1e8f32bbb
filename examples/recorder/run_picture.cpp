#include "run_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "run_axis.hpp"
#include "run_sheet.hpp"
#include "run_timeline.hpp"

namespace recorder {
namespace {

constexpr double width = 960;
constexpr double margin = 62;
constexpr Box plot{margin, 106, width - 2 * margin, 232};
constexpr double row_height = 22;
constexpr double label_size = 11.5;
constexpr double text_size = 12;

constexpr std::size_t max_quotas = 4;
/// With more requests than this, their density is drawn instead of each request.
constexpr std::size_t max_bars = 2000;
constexpr std::size_t max_lanes = 25;
constexpr double thickest_bar = 16;
constexpr double strip_height = 50;
/// Narrower shapes would be invisible.
constexpr double hairline = 0.7;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> reason_texts{
    {{"quota", "waits: quota exhausted"},
     {"reset_probe", "waits: reset probe"},
     {"first_response", "waits: first response"},
     {"probe", "waits: probe of the new window"},
     {"concurrency", "waits: concurrency limit"},
     {"rejected", "waits: rejection"},
     {"retry_after", "waits: Retry-After"},
     {"backoff", "waits: backoff"}}};

std::string_view text_of(std::string_view reason) {
  for (const auto& [name, text] : reason_texts)
    if (name == reason) return text;
  return "waits: another reason";
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string class_of_hold(std::string_view reason) {
  return text_of(reason) == text_of("quota") ? "hold" : fmt::format("hold {}", escaped(reason));
}

std::string class_of_quota(std::size_t index) { return fmt::format("line quota-{}", index + 1); }

std::string cross(Point at) { return fmt::format("M{:.1f} {:.1f}l8 8m0-8l-8 8", at.x - 4, at.y - 4); }

std::string diamond(Point at) { return fmt::format("M{:.1f} {:.1f}l5 5l-5 5l-5-5z", at.x, at.y - 5); }

class Painter {
 public:
  explicit Painter(Timeline timeline) : timeline_(std::move(timeline)) {
    for (const auto& quota : timeline_.quotas)
      highest_limit_ = std::max(highest_limit_, static_cast<double>(quota.limit));
    request_ticks_ = ticks(static_cast<double>(timeline_.ended.size()), 5, true);
    quota_ticks_ = ticks(in_percent() ? 100 : highest_limit_, 5, true);
    if (has_bars())
      strip_.height = std::clamp(static_cast<double>(timeline_.lanes) * thickest_bar, thickest_bar, strip_height);
  }

  std::string paint() {
    head();
    grid();
    holds();
    requests();
    quotas();
    marks();
    const double height = legend();
    return sheet_.finish(width, height, title(), description());
  }

 private:
  bool has_bars() const { return timeline_.attempts.size() <= max_bars && timeline_.lanes <= max_lanes; }
  /// The limits of several quotas may differ too much for one scale.
  bool in_percent() const { return timeline_.quotas.size() > 1; }

  double x_of(double t) const { return plot.x + (timeline_.length > 0 ? t / timeline_.length : 0) * plot.width; }
  static double y_of(double value, const std::vector<Tick>& scale) {
    return plot.bottom() - value / scale.back().at * plot.height;
  }

  std::string title() const {
    const auto rejected =
        timeline_.rejected == 0 ? "none rejected" : fmt::format("{} rejected", grouped(timeline_.rejected));
    return fmt::format("{} in {}, {}", plural(timeline_.attempts.size(), "request"), span_text(timeline_.length),
                       rejected);
  }

  std::string description() const {
    std::string text = shortened(timeline_.url_prefix, 80);
    if (timeline_.pages > 0)
      text += fmt::format("  ·  {}, {}", plural(timeline_.pages, "page"), plural(timeline_.items, "item"));
    if (timeline_.quotas.size() == 1)
      text += fmt::format("  ·  quota {}", grouped(static_cast<std::size_t>(timeline_.quotas.front().limit)));
    if (timeline_.failed > 0) text += fmt::format("  ·  {}", plural(timeline_.failed, "fault"));
    return text;
  }

  void head() {
    sheet_.text("head", {24, 38}, "start", title());
    sheet_.text("soft", {24, 60}, "start", description());
    sheet_.text("of-requests", {plot.x - 38, plot.y - 18}, "start", "requests completed");
    if (timeline_.quotas.empty()) return;
    sheet_.text(in_percent() ? "soft" : "of-quota", {plot.right() + 38, plot.y - 18}, "end",
                in_percent() ? "remaining quota, %" : "remaining quota");
  }

  void grid() {
    std::string lines;
    for (const auto& tick : request_ticks_) {
      const double y = y_of(tick.at, request_ticks_);
      lines += fmt::format("M{:.1f} {:.1f}h{:.1f}", plot.x, y, plot.width);
      sheet_.text("of-requests", {plot.x - 8, y + 4}, "end", tick.text);
    }
    if (!timeline_.quotas.empty())
      for (const auto& tick : quota_ticks_)
        sheet_.text(in_percent() ? "soft" : "of-quota", {plot.right() + 8, y_of(tick.at, quota_ticks_) + 4}, "start",
                    tick.text);
    sheet_.path("grid", lines);
    const auto time = time_axis(timeline_.length, 10);
    std::string edge = fmt::format("M{:.1f} {:.1f}h{:.1f}", strip_.x, strip_.bottom(), strip_.width);
    for (const auto& tick : time.ticks) {
      edge += fmt::format("M{:.1f} {:.1f}v5", x_of(tick.at), strip_.bottom());
      sheet_.text("soft", {x_of(tick.at), strip_.bottom() + 19}, "middle", tick.text);
    }
    sheet_.path("edge", edge);
    sheet_.text("soft", {plot.x + plot.width / 2, strip_.bottom() + 38}, "middle",
                fmt::format("{} since the first request", time.unit));
  }

  struct Band {
    double left = 0;
    double right = 0;
    std::string reason = {};
    std::size_t count = 0;
    double held = 0;
  };

  /// Holds of one reason that touch each other in the picture are one band.
  std::vector<Band> bands() const {
    std::vector<Band> found;
    std::map<std::string_view, std::size_t> last;
    for (const auto& hold : timeline_.holds) {
      const double left = x_of(hold.from);
      const double right = std::max(x_of(hold.until), left + hairline);
      const auto before = last.find(hold.reason);
      if (before == last.end() || left - found[before->second].right > hairline) {
        last[hold.reason] = found.size();
        found.push_back({left, right, hold.reason});
      }
      auto& band = found[last[hold.reason]];
      band.right = std::max(band.right, right);
      ++band.count;
      band.held += hold.until - hold.from;
    }
    return found;
  }

  void holds() {
    double free = plot.x;
    for (const auto& band : bands()) {
      const bool wide = band.right - band.left > 6;
      const Box box{band.left, plot.y, band.right - band.left, strip_.bottom() - plot.y};
      sheet_.box(class_of_hold(band.reason), box,
                 wide ? fmt::format("{}, {}", text_of(band.reason), span_text(band.held)) : "");
      auto label = fmt::format("{} {}", band.reason, span_text(band.held));
      std::replace(label.begin(), label.end(), '_', ' ');
      const double half = text_width(label, label_size) / 2;
      const double middle = (band.left + band.right) / 2;
      if (band.right - band.left < half || middle - half < free) continue;
      free = middle + half + 4;
      sheet_.text("label", {middle, plot.y - 3}, "middle", label);
    }
  }

  void requests() {
    std::vector<Point> points{{plot.x, plot.bottom()}};
    for (std::size_t i = 0; i < timeline_.ended.size(); ++i)
      points.push_back({x_of(timeline_.ended[i]), y_of(static_cast<double>(i + 1), request_ticks_)});
    sheet_.path("line completed", steps_path(thinned(points), plot.right()));
    if (has_bars())
      draw_bars();
    else
      draw_density();
  }

  void draw_bars() {
    std::array<std::string, 3> paths;
    const double each = strip_.height / static_cast<double>(std::max<std::size_t>(timeline_.lanes, 1));
    for (const auto& attempt : timeline_.attempts) {
      const double left = x_of(attempt.sent);
      const double gap = each > 5 ? 1 : 0;
      paths[static_cast<std::size_t>(attempt.outcome)] +=
          box_path({left, strip_.bottom() - each * static_cast<double>(attempt.lane + 1) + gap,
                    std::max(x_of(attempt.ended) - left, 1.0), each - gap});
    }
    fill_strip(paths);
    sheet_.text("of-requests", {strip_.x - 8, strip_.bottom() - 4}, "end", "in flight");
    sheet_.text("of-requests", {strip_.right() + 8, strip_.bottom() - 4}, "start",
                fmt::format("≤ {}", timeline_.lanes));
  }

  void draw_density() {
    constexpr double column = 3;
    const auto columns = static_cast<std::size_t>(strip_.width / column) + 1;
    // Element 0 counts all attempts; those rejected and failed are drawn over it.
    std::array<std::vector<std::size_t>, 3> counts;
    for (auto& count : counts) count.resize(columns);
    for (const auto& attempt : timeline_.attempts) {
      const auto at = static_cast<std::size_t>((x_of(attempt.sent) - strip_.x) / column);
      ++counts[0][at];
      if (attempt.outcome != Outcome::responded) ++counts[static_cast<std::size_t>(attempt.outcome)][at];
    }
    const auto peak = static_cast<double>(*std::max_element(counts[0].begin(), counts[0].end()));
    std::array<std::string, 3> paths;
    for (std::size_t kind = 0; kind < paths.size(); ++kind) {
      for (std::size_t i = 0; i < columns; ++i) {
        if (counts[kind][i] == 0) continue;
        const double height = std::max(static_cast<double>(counts[kind][i]) / peak * strip_.height, 1.0);
        const double left = strip_.x + static_cast<double>(i) * column;
        paths[kind] += box_path({left, strip_.bottom() - height, std::min(column, strip_.right() - left), height});
      }
    }
    fill_strip(paths);
    const double rate = peak / (column / strip_.width * timeline_.length);
    sheet_.text("of-requests", {strip_.x - 8, strip_.y + 22}, "end", "sent");
    sheet_.text("of-requests", {strip_.x - 8, strip_.y + 38}, "end", "per s");
    sheet_.text("of-requests", {strip_.right() + 8, strip_.y + 12}, "start",
                fmt::format("≤ {}", grouped(static_cast<std::size_t>(std::llround(rate)))));
  }

  void fill_strip(const std::array<std::string, 3>& paths) {
    sheet_.path("requests", paths[static_cast<std::size_t>(Outcome::responded)]);
    sheet_.path("requests-failed", paths[static_cast<std::size_t>(Outcome::failed)]);
    sheet_.path("requests-rejected", paths[static_cast<std::size_t>(Outcome::rejected)]);
  }

  void quotas() {
    for (std::size_t i = 0; i < std::min(timeline_.quotas.size(), max_quotas); ++i) {
      const auto& quota = timeline_.quotas[i];
      const double scale = in_percent() ? 100.0 / static_cast<double>(std::max<std::int64_t>(quota.limit, 1)) : 1;
      std::vector<Point> points;
      for (const auto& reading : quota.readings)
        points.push_back({x_of(reading.t), y_of(static_cast<double>(reading.remaining) * scale, quota_ticks_)});
      sheet_.path(class_of_quota(i), steps_path(thinned(points), plot.right()), quota.partition);
    }
  }

  void marks() {
    constexpr double apart = 3;
    std::array<double, 3> last{-apart, -apart, -apart};
    for (const auto& attempt : timeline_.attempts) {
      const double x = x_of(attempt.ended);
      auto& before = last[static_cast<std::size_t>(attempt.outcome)];
      if (attempt.outcome == Outcome::responded || x - before < apart) continue;
      before = x;
      const auto count = std::upper_bound(timeline_.ended.begin(), timeline_.ended.end(), attempt.ended);
      const Point at{x, y_of(static_cast<double>(count - timeline_.ended.begin()), request_ticks_)};
      const bool rejected = attempt.outcome == Outcome::rejected;
      sheet_.path(rejected ? "rejections" : "faults", rejected ? cross(at) : diamond(at), shortened(attempt.what, 200));
    }
  }

  /// Places entries from left to right in rows, each with a symbol.
  class Legend {
   public:
    Legend(Sheet& sheet, double top) : sheet_(sheet), at_{margin, top} {}

    template <class Symbol>
    void add(std::string_view text, Symbol symbol) {
      const double needed = 30 + text_width(text, text_size) + 18;
      if (at_.x > margin && at_.x + needed > width - 20) at_ = {margin, at_.y + row_height};
      symbol(Point{at_.x, at_.y - 4});
      sheet_.text("soft", {at_.x + 30, at_.y}, "start", text);
      at_.x += needed;
    }
    double bottom() const { return at_.y; }

   private:
    Sheet& sheet_;
    Point at_;
  };

  void line_symbol(std::string_view kind, Point at) { sheet_.path(kind, fmt::format("M{:.1f} {:.1f}h22", at.x, at.y)); }

  double legend() {
    Legend legend(sheet_, strip_.bottom() + 72);
    legend.add("requests completed", [&](Point at) { line_symbol("line completed", at); });
    for (std::size_t i = 0; i < std::min(timeline_.quotas.size(), max_quotas); ++i) {
      const auto& quota = timeline_.quotas[i];
      const auto name = quota.partition.empty() ? "remaining quota" : shortened(quota.partition, 40);
      const auto limit =
          in_percent() ? fmt::format("{}, of {}", name, grouped(static_cast<std::size_t>(quota.limit))) : name;
      legend.add(limit, [&](Point at) { line_symbol(class_of_quota(i), at); });
    }
    if (timeline_.quotas.size() > max_quotas)
      legend.add(fmt::format("and {} not drawn", plural(timeline_.quotas.size() - max_quotas, "quota")), [](Point) {});
    if (timeline_.rejected > 0)
      legend.add(fmt::format("{} rejected", grouped(timeline_.rejected)), [&](Point at) {
        sheet_.path("rejections", cross({at.x + 14, at.y}));
      });
    if (timeline_.failed > 0)
      legend.add(plural(timeline_.failed, "fault"), [&](Point at) {
        sheet_.path("faults", diamond({at.x + 14, at.y}));
      });
    std::map<std::string_view, std::pair<std::size_t, double>> held;
    for (const auto& hold : timeline_.holds) {
      auto& [count, seconds] = held[hold.reason];
      ++count;
      seconds += hold.until - hold.from;
    }
    for (const auto& [reason, sum] : held)
      legend.add(fmt::format("{}, {}×, {}", text_of(reason), grouped(sum.first), span_text(sum.second)), [&](Point at) {
        sheet_.box(class_of_hold(reason), {at.x, at.y - 7, 22, 14});
      });
    return legend.bottom() + 22;
  }

  Timeline timeline_;
  Sheet sheet_;
  Box strip_{margin, plot.bottom() + 14, plot.width, strip_height};
  double highest_limit_ = 0;
  std::vector<Tick> request_ticks_;
  std::vector<Tick> quota_ticks_;
};

}  // namespace

std::string draw_run(std::vector<Step> steps) { return Painter(timeline_of(std::move(steps))).paint(); }

}  // namespace recorder
