// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tasks/page/plot.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

/// "10⁻⁸"
std::string power_of_ten(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 0) return "1";
  if (exponent == 1) return "10";
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

std::vector<std::pair<double, std::string>> decades(double low, double high) {
  constexpr double slack = 1e-9;  // of a decade: rounding of the logarithm
  const int first = static_cast<int>(std::ceil(std::log10(low) - slack)),
            last = static_cast<int>(std::floor(std::log10(high) + slack));
  constexpr int most = 7;
  const int step = (last - first) / most + 1;
  std::vector<std::pair<double, std::string>> found;
  for (int k = last; k >= first; k -= step) found.emplace_back(std::pow(10.0, k), power_of_ten(k));
  return found;
}

}  // namespace

std::vector<std::pair<double, std::string>> ticks(double low, double high, bool is_logarithmic,
                                                  bool is_counted) {
  if (is_logarithmic) return decades(low, high);
  constexpr double wanted = 5.0;  // about so many
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power * (rough < 1.5 * power   ? 1.0
                         : rough < 3.0 * power ? 2.0
                         : rough < 7.0 * power ? 5.0
                                               : 10.0);
  if (is_counted) step = std::max(1.0, std::round(step));
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  std::vector<std::pair<double, std::string>> found;
  const double slack = 1e-9 * step;
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; k += 1.0)
    found.emplace_back(k * step, report::fixed(k * step, decimals));
  return found;
}

std::vector<double> spread(std::vector<double> wanted, double distance, double low, double high) {
  const std::size_t count = wanted.size();
  if (count < 2) return wanted;
  distance = std::min(distance, (high - low) / static_cast<double>(count - 1));
  // Neighbours that are too close become a block about the mean of what they want, until none are.
  struct Block {
    double sum;  // of the places that its first one should have
    std::size_t size;
    double first() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (const double place : wanted) {
    blocks.push_back({place, 1});
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      const double offset = distance * static_cast<double>(before.size);
      if (before.first() + offset <= last.first()) break;
      before.sum += last.sum - offset * static_cast<double>(last.size);
      before.size += last.size;
      blocks.pop_back();
    }
  }
  std::size_t k = 0;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.size; ++i)
      wanted[k++] = block.first() + distance * static_cast<double>(i);
  }
  // What the ends push back goes on to its neighbours.
  for (std::size_t i = 0; i < count; ++i)
    wanted[i] = std::max(wanted[i], low + distance * static_cast<double>(i));
  for (std::size_t i = 0; i < count; ++i)
    wanted[count - 1 - i] = std::min(wanted[count - 1 - i], high - distance * static_cast<double>(i));
  return wanted;
}

std::string place(double value) { return report::fixed(value, 1); }

Markup svg(const std::string& kind, const std::string& title, double width, double height,
           const Markup& content) {
  return element("svg",
                 {{"class", kind},
                  {"viewBox", fmt::format("0 0 {} {}", place(width), place(height))},
                  {"width", place(width)},
                  {"height", place(height)},
                  {"role", "img"},
                  {"aria-label", title}},
                 content);
}

Markup svg_text(double x, double y, std::string_view anchor, const Markup& text, std::string_view kind) {
  return element(
      "text",
      {{"x", place(x)}, {"y", place(y)}, {"text-anchor", std::string(anchor)}, {"class", std::string(kind)}},
      text);
}

Markup svg_line(std::string_view kind, double x1, double y1, double x2, double y2) {
  return void_element("line", {{"class", std::string(kind)},
                               {"x1", place(x1)},
                               {"y1", place(y1)},
                               {"x2", place(x2)},
                               {"y2", place(y2)}});
}

}  // namespace cisolve::page
