// SPDX-License-Identifier: MIT
#include "tasks/page/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cisolve::page {
namespace {

constexpr std::size_t num_colours = 8, num_shapes = 4;
constexpr double character_width = 7.2;  // at 12.5 px, of digits

/// From values of an axis to places in the picture.
struct Scale {
  double low, high, begin, end;
  bool is_logarithmic;

  bool holds(double value) const { return std::isfinite(value) && (!is_logarithmic || value > 0.0); }
  double operator()(double value) const {
    const double share =
        is_logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
  }
};

bool is_drawn(const PlotAxis& axis, double value) {
  return std::isfinite(value) && (!axis.is_logarithmic || value > 0.0);
}

/// The ends of an axis, which whole decades or a margin are added to.
std::pair<double, double> range_of(const PlotAxis& axis, const std::vector<double>& values, double margin) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!is_drawn(axis, value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (axis.is_logarithmic) {
    low = std::pow(10.0, std::floor(std::log10(low)));
    high = std::pow(10.0, std::ceil(std::log10(high)));
    return {low, high > low ? high : 10.0 * low};
  }
  low = std::min(low, axis.low.value_or(low));
  high = std::max(high, axis.high.value_or(high));
  const double least = 1e-9 * std::max(1.0, std::abs(high));  // an axis of one value has some length too
  const double room = high - low > least ? margin * (high - low) : 0.5;
  low = axis.low.value_or(low - room);
  high = axis.high.value_or(high + room);
  return {low, high > low ? high : low + 1.0};
}

std::string colour_class(std::size_t colour) { return fmt::format("s{}", colour % num_colours + 1); }

/// A circle, a square, a diamond or a triangle.
Markup mark(std::size_t colour, double x, double y, const std::string& label) {
  const double r = 3.2;
  std::string path;
  switch (colour % num_shapes) {
    case 0:
      path = fmt::format("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", place(x - r), place(y),
                         fmt::arg("r", r), fmt::arg("d", 2 * r));
      break;
    case 1:
      path = fmt::format("M{} {}h{d}v{d}h-{d}z", place(x - r), place(y - r), fmt::arg("d", 2 * r));
      break;
    case 2:
      path = fmt::format("M{} {}l4 4l-4 4l-4 -4z", place(x), place(y - 4));
      break;
    default:
      path = fmt::format("M{} {}l4 7h-8z", place(x), place(y - 4));
  }
  const std::string kind = "mark " + colour_class(colour);
  if (label.empty()) return void_element("path", {{"class", kind}, {"d", path}});
  return element("path", {{"class", kind}, {"d", path}}, element("title", {}, label));
}

Markup legend(const Plot& plot) {
  Markup items;
  std::size_t named = 0;
  for (const PlotSeries& series : plot.series) {
    if (series.name.empty()) continue;
    ++named;
    Markup sample;
    if (series.has_line || series.is_sticks)
      sample +=
          svg_line(fmt::format("line {}{}", colour_class(series.colour), series.is_dashed ? " dashed" : ""),
                   0, 6, 24, 6);
    if (series.has_marks && !series.is_sticks) sample += mark(series.colour, 12, 6, "");
    const Markup picture =
        element("svg", {{"width", "24"}, {"height", "12"}, {"aria-hidden", "true"}}, sample);
    items += element("li", {}, picture + Markup(series.name));
  }
  return named == 0 ? Markup() : element("ul", {{"class", "legend"}}, items);
}

/// A plot with its scales.
class Drawing {
public:
  explicit Drawing(const Plot& plot) : plot_(plot) {
    std::vector<double> x, y, right;
    for (const PlotSeries& series : plot.series) {
      for (const PlotPoint& point : series.points) {
        if (!is_drawn(plot.x, point.x) || !is_drawn(series.is_sticks ? *plot.right : plot.y, point.y))
          continue;
        x.push_back(point.x);
        (series.is_sticks ? right : y)
            .insert((series.is_sticks ? right : y).end(), {point.y - point.error, point.y + point.error});
      }
    }
    any_ = !x.empty() && !y.empty();
    if (!any_) return;
    const auto [y_low, y_high] = range_of(plot.y, y, 0.06);
    const double top = plot.top.empty() ? 12.0 : 24.0;
    y_ = {y_low, y_high, height_ - bottom, top, plot.y.is_logarithmic};
    double left = 0.0;
    for (const auto& [value, text] : ticks(y_low, y_high, plot.y.is_logarithmic, plot.y.is_counted))
      left = std::max(left, character_width * characters(text));
    const double at_right = plot.right && !right.empty() ? 58.0 : 14.0;
    const auto [x_low, x_high] = range_of(plot.x, x, 0.04);
    x_ = {x_low, x_high, left + 34.0, width_ - at_right, plot.x.is_logarithmic};
    if (right.empty()) return;
    const auto [low, high] = range_of(*plot.right, right, 0.06);
    right_ = Scale{low, high, y_.begin, y_.end, false};
  }

  Markup markup() const {
    if (!any_) return {};
    Markup content = axes();
    for (const PlotSeries& series : plot_.series) content += series.is_sticks ? sticks(series) : line(series);
    const Markup caption = plot_.caption.empty() ? Markup() : element("figcaption", {}, plot_.caption);
    Markup picture = svg("plot", plot_.title, width_, height_, content);
    // On a phone it would become too small to be read.
    if (plot_.is_wide)
      picture = element(
          "div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", plot_.title}},
          picture);
    return element("figure", {{"class", plot_.is_wide ? "wide" : ""}}, picture + legend(plot_) + caption);
  }

private:
  static constexpr double bottom = 46.0;

  static double characters(const std::string& text) {
    return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  }

  Markup axes() const {
    Markup content;
    for (const auto& [value, text] : ticks(y_.low, y_.high, y_.is_logarithmic, plot_.y.is_counted)) {
      content += svg_line("grid", x_.begin, y_(value), x_.end, y_(value));
      content += svg_text(x_.begin - 6.0, y_(value) + 4.0, "end", text);
    }
    for (const auto& [value, text] : ticks(x_.low, x_.high, x_.is_logarithmic, plot_.x.is_counted)) {
      content += svg_line("axis", x_(value), y_.begin, x_(value), y_.begin + 4.0);
      content += svg_text(x_(value), y_.begin + 18.0, "middle", text);
    }
    const double middle = 0.5 * (y_.begin + y_.end);
    content += turned(13.0, middle, -90, plot_.y.label);
    if (right_) {
      for (const auto& [value, text] : ticks(right_->low, right_->high, false))
        content += svg_text(x_.end + 6.0, (*right_)(value) + 4.0, "start", text);
      content += turned(width_ - 8.0, middle, 90, plot_.right->label);
    }
    content += svg_text(0.5 * (x_.begin + x_.end), height_ - 8.0, "middle", plot_.x.label);
    double last = -1e9;
    constexpr double apart = 20.0;
    for (const auto& [value, text] : plot_.top) {
      if (!x_.holds(value) || x_(value) - last < apart) continue;
      last = x_(value);
      content += svg_text(last, y_.end - 5.0, "middle", text, "small faint");
    }
    const std::string frame = fmt::format("M{} {}V{}H{}{}", place(x_.begin), place(y_.end), place(y_.begin),
                                          place(x_.end), right_ ? "V" + place(y_.end) : "");
    return content + void_element("path", {{"class", "axis"}, {"d", frame}});
  }

  static Markup turned(double x, double y, int angle, const std::string& text) {
    const std::string way = fmt::format("translate({} {}) rotate({})", place(x), place(y), angle);
    return element("text", {{"transform", way}, {"text-anchor", "middle"}}, text);
  }

  Markup line(const PlotSeries& series) const {
    constexpr std::size_t most_marks = 150;
    std::string path;
    Markup marks;
    bool is_open = false;
    for (const PlotPoint& point : series.points) {
      const bool is_in = x_.holds(point.x) && y_.holds(point.y);
      if (is_in) {
        const double x = x_(point.x), y = y_(point.y);
        path += fmt::format("{}{} {}", is_open ? "L" : "M", place(x), place(y));
        if (point.error > 0.0)
          marks += svg_line("line " + colour_class(series.colour), x, y_(point.y - point.error), x,
                            y_(point.y + point.error));
        if (series.has_marks && series.points.size() <= most_marks)
          marks += mark(series.colour, x, y, point.label);
      }
      is_open = is_in;
    }
    const std::string kind =
        fmt::format("line {}{}", colour_class(series.colour), series.is_dashed ? " dashed" : "");
    const Markup drawn = series.has_line ? void_element("path", {{"class", kind}, {"d", path}}) : Markup();
    return drawn + marks;
  }

  Markup sticks(const PlotSeries& series) const {
    Markup content;
    for (const PlotPoint& point : series.points) {
      if (!x_.holds(point.x) || !right_->holds(point.y)) continue;
      const std::string path =
          fmt::format("M{} {}V{}", place(x_(point.x)), place(y_.begin), place((*right_)(point.y)));
      content += element("path", {{"class", "line " + colour_class(series.colour)}, {"d", path}},
                         element("title", {}, point.label));
    }
    return content;
  }

  const Plot& plot_;
  double width_ = plot_.is_wide ? 580.0 : 440.0, height_ = plot_.is_wide ? 370.0 : 300.0;
  bool any_ = false;
  Scale x_ = {}, y_ = {};
  std::optional<Scale> right_;
};

}  // namespace

Markup draw(const Plot& plot) { return Drawing(plot).markup(); }

}  // namespace cisolve::page
