// SPDX-License-Identifier: MIT
#include "cisolve/analysis/one_body_norm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// What an electron of an orbital becomes.
using Targets = std::vector<std::vector<std::pair<int, double>>>;

Targets targets_of(const Matrix& a, double smallest) {
  Targets targets(static_cast<std::size_t>(a.columns()));
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) {
      if (std::abs(a(p, q)) > smallest) targets[q].emplace_back(p, a(p, q));
    }
  }
  return targets;
}

/// Calls visit(string, factor) for E_pq a_pq on one string.
template <int Words, class Visit>
void for_each_moved(const BitString<Words>& string, const Targets& targets, Visit&& visit) {
  string.for_each([&](int q) {
    for (const auto& [p, element] : targets[q]) {
      if (p == q) {
        visit(string, element);
      } else if (!string.test(p)) {
        const bool is_odd = string.count_between(p, q) % 2 != 0;
        visit(string.moved(q, p), is_odd ? -element : element);
      }
    }
  });
}

}  // namespace

template <int Words>
double one_body_norm(const DeterminantVector<Words>& psi, const Matrix& a, double smallest) {
  if (psi.determinants.size() != psi.coefficients.size())
    throw DimensionError("one_body_norm: one coefficient per determinant is needed");
  const Targets targets = targets_of(a, smallest);
  std::vector<std::pair<Determinant<Words>, double>> image;  // of each determinant, one after another
  double norm = 0.0;
  for (std::size_t i = 0; i < psi.determinants.size(); ++i) {
    const Determinant<Words>& d = psi.determinants[i];
    const double c = psi.coefficients[i];
    norm += c * c;
    for_each_moved(d.alpha, targets, [&](const auto& alpha, double factor) {
      image.push_back({{alpha, d.beta}, c * factor});
    });
    for_each_moved(d.beta, targets, [&](const auto& beta, double factor) {
      image.push_back({{d.alpha, beta}, c * factor});
    });
  }
  std::ranges::stable_sort(image, {}, [](const auto& term) { return term.first; });
  double square = 0.0;
  for (std::size_t first = 0, last; first < image.size(); first = last) {
    double sum = 0.0;
    for (last = first; last < image.size() && image[last].first == image[first].first; ++last)
      sum += image[last].second;
    square += sum * sum;
  }
  return norm > 0.0 ? square / norm : 0.0;
}

#define INSTANTIATE(W) template double one_body_norm(const DeterminantVector<W>&, const Matrix&, double);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
