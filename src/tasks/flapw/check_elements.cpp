// SPDX-License-Identifier: MIT
#include "tasks/flapw/check_elements.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/synthetic.hpp"

namespace cisolve {

bool ElementCheck::is_good() const {
  constexpr double rounding = 1e-10;
  // A difference that is no number is larger than none.
  return !(error_h > rounding * scale) && !(error_s > rounding * scale) && std::isfinite(error_h + error_s);
}

ElementCheck check_elements(const lapw::Engine& engine, const lapw::MatrixProblem& problem, int count) {
  const std::int64_t n = engine.size();
  struct Element {
    std::int64_t row = 0, column = 0;
    lapw::Complex h, s;          // as they are
    lapw::Complex sum_h, sum_s;  // as they should be
  };
  std::vector<Element> elements(static_cast<std::size_t>(count));
  const std::uint64_t stream = lapw::synthetic::stream(1, 11);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const auto draw = [&](std::uint64_t i) {
      return static_cast<std::int64_t>(lapw::synthetic::mix(stream + i) % static_cast<std::uint64_t>(n));
    };
    const std::int64_t a = draw(2 * k), b = draw(2 * k + 1);
    Element& element = elements[k];
    element.row = std::max(a, b);
    element.column = std::min(a, b);
    const std::int64_t rows[] = {element.row, element.column};
    const lapw::HermitianPair block = engine.block(rows);
    constexpr std::size_t first_row_second_column = 2;
    element.h = block.h[first_row_second_column];
    element.s = block.s[first_row_second_column];
  }
  parallel_for(count, 1, [&](std::int64_t k) {
    Element& element = elements[static_cast<std::size_t>(k)];
    std::tie(element.sum_h, element.sum_s) = lapw::defining_element(problem, element.row, element.column);
  });
  ElementCheck check{.count = count};
  for (const Element& element : elements) {
    const auto larger = [](double largest, double value) {
      return value > largest || std::isnan(value) ? value : largest;
    };
    check.error_h = larger(check.error_h, std::abs(element.h - element.sum_h));
    check.error_s = larger(check.error_s, std::abs(element.s - element.sum_s));
    check.scale = std::max({check.scale, std::abs(element.sum_h), std::abs(element.sum_s)});
  }
  return check;
}

}  // namespace cisolve
