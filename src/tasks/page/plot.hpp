// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tasks/page/markup.hpp"

namespace cisolve::page {

struct PlotPoint {
  double x = 0.0, y = 0.0;  ///< what is not finite, or not positive on a logarithmic axis, is not drawn
  std::string label = {};   ///< shown by the pointer
  double error = 0.0;       ///< half the length of its error bar
};

struct PlotSeries {
  std::string name;               ///< in the legend; empty: not there
  std::vector<PlotPoint> points;  ///< from left to right; a point that is not drawn breaks the line
  std::size_t colour = 0;         ///< and shape of its marks
  bool has_line = true, has_marks = true, is_dashed = false;
  bool is_sticks = false;  ///< from the bottom up, by the axis on the right
};

struct PlotAxis {
  std::string label;
  bool is_logarithmic = false;
  std::optional<double> low = {}, high = {};  ///< none: by the points
  bool is_counted = false;                    ///< whole numbers only
};

struct Plot {
  std::string title;  ///< what is read in place of the picture
  Markup caption;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  std::optional<PlotAxis> right = {};  ///< of sticks
  std::vector<std::pair<double, std::string>> top =
      {};  ///< texts above values of x, ascending; left out where they are too close
  bool is_wide = false;
};

/// A figure with axes, legend and caption; nothing where no series has a point that can be drawn.
Markup draw(const Plot& plot);

/// Values between two ends where an axis is marked, with their texts.
std::vector<std::pair<double, std::string>> ticks(double low, double high, bool is_logarithmic,
                                                  bool is_counted = false);

/// Places as near to those wanted as a distance between neighbours allows, in the same order.
/// @param wanted  ascending
std::vector<double> spread(std::vector<double> wanted, double distance, double low, double high);

/// A picture that is read as its title.
Markup svg(const std::string& kind, const std::string& title, double width, double height,
           const Markup& content);

/// A coordinate as SVG has it.
std::string place(double value);

Markup svg_text(double x, double y, std::string_view anchor, const Markup& text, std::string_view kind = {});
Markup svg_line(std::string_view kind, double x1, double y1, double x2, double y2);

}  // namespace cisolve::page
