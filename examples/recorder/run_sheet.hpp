#pragma once
// The subset of SVG that the picture of a run needs: shapes with CSS classes, and colors for light and dark mode.

#include <string>
#include <string_view>
#include <vector>

namespace recorder {

/// In pixels; y grows downwards.
struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  constexpr double right() const { return x + width; }
  constexpr double bottom() const { return y + height; }
};

/// Text for XML: markup is escaped, and characters that XML does not allow are replaced by U+FFFD.
std::string escaped(std::string_view text);

/// At most `max_size` bytes of UTF-8, cut between characters; a text that is cut ends with an ellipsis.
std::string shortened(std::string_view text, std::size_t max_size);

/// Keeps the first, the highest, the lowest and the last point of each pixel column. `points` is ordered by x.
std::vector<Point> thinned(const std::vector<Point>& points);

/// The path of a step function, which continues to `right`.
std::string steps_path(const std::vector<Point>& points, double right);

/// The path of a box; paths may be concatenated.
std::string box_path(const Box& box);

/// The approximate width of text in pixels.
double text_width(std::string_view text, double size);

class Sheet {
 public:
  /// `title` is the shape's tooltip.
  void box(std::string_view css_class, const Box& box, std::string_view title = {});
  void path(std::string_view css_class, std::string_view path, std::string_view title = {});
  /// `anchor` is start, middle or end.
  void text(std::string_view css_class, Point at, std::string_view anchor, std::string_view text);

  /// The complete document.
  std::string finish(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
};

}  // namespace recorder
