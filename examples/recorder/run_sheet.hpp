#pragma once
// SVG, as far as the picture of a run needs it: shapes by class, whose colours follow the reader's light or dark.

#include <string>
#include <string_view>
#include <vector>

namespace recorder {

/// In pixels; y grows downwards.
struct Spot {
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

/// Text as XML may hold it: markup escaped, and what no XML may hold replaced.
std::string escaped(std::string_view text);

/// At most so many bytes, never a part of a character, with an ellipsis where something is left out.
std::string shortened(std::string_view text, std::size_t most);

/// Of the spots of a line from left to right: the first, the highest, the lowest and the last of each pixel column.
std::vector<Spot> thinned(const std::vector<Spot>& spots);

/// A path that keeps its height until the next spot, and on to `right`.
std::string steps_path(const std::vector<Spot>& spots, double right);

/// A path of a box, to be put behind others.
std::string box_path(const Box& box);

/// The width of text of this size in pixels, roughly.
double text_width(std::string_view text, double size);

class Sheet {
 public:
  /// `title` is shown by a reader that points at the shape.
  void box(std::string_view kind, const Box& box, std::string_view title = {});
  void path(std::string_view kind, std::string_view path, std::string_view title = {});
  /// `anchor` is start, middle or end.
  void text(std::string_view kind, Spot at, std::string_view anchor, std::string_view text);

  /// The whole document.
  std::string finish(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
};

}  // namespace recorder
