// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/potential.hpp"

namespace cisolve::lapw {
namespace {

using TableOfPotential = std::span<const Complex>;

void require_logarithmic(const std::vector<double>& r) {
  constexpr std::size_t fewest_points = 51;
  constexpr double tolerance = 1e-9;  // of ln r; interpolation counts on equal distances
  if (r.size() < fewest_points) {
    throw InputError(fmt::format("r: {} points, where {} or more are needed", r.size(), fewest_points));
  }
  if (!(r.front() > 0.0) || !std::isfinite(r.back()) || !(r.back() > r.front())) {
    throw InputError(
        fmt::format("r: a logarithmic mesh from above 0 upwards is expected, this goes from {} to {}",
                    r.front(), r.back()));
  }
  const double step = std::log(r.back() / r.front()) / static_cast<double>(r.size() - 1);
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double expected = r.front() * std::exp(step * static_cast<double>(i));
    if (std::abs(std::log(r[i] / expected)) <= tolerance) continue;
    throw InputError(
        fmt::format("r: the mesh is not logarithmic: point {} is {}, where {} is expected (ln r uniform to "
                    "{:.0e})",
                    i, r[i], expected, tolerance));
  }
}

void require_components(const std::vector<std::array<int, 2>>& lm) {
  std::map<std::array<int, 2>, std::size_t> rows;
  for (std::size_t i = 0; i < lm.size(); ++i) {
    const auto [l, m] = lm[i];
    if (l < 0 || l > 2 * most_lmax || std::abs(m) > l) {
      throw InputError(fmt::format("lm: row {} is ({}, {}), where 0 <= l <= {} and |m| <= l are expected", i,
                                   l, m, 2 * most_lmax));
    }
    if (!rows.emplace(lm[i], i).second) throw InputError(fmt::format("lm: ({}, {}) is there twice", l, m));
  }
  if (!rows.contains({0, 0})) throw InputError("lm: (0, 0), the spherical part, is not there");
}

/// V_l,-m = (-1)^m conj V_lm.
void require_real(const std::vector<std::array<int, 2>>& lm, const std::vector<Complex>& v,
                  std::size_t points) {
  constexpr double tolerance = 1e-10;  // of max(1, |V|): as of Hermitian matrices that are read
  for (std::size_t row = 0; row < lm.size(); ++row) {
    const auto [l, m] = lm[row];
    const auto partner = std::find(lm.begin(), lm.end(), std::array<int, 2>{l, -m});
    const double sign = m % 2 == 0 ? 1.0 : -1.0;
    for (std::size_t i = 0; i < points; ++i) {
      const Complex value = v[row * points + i];
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
        throw InputError(fmt::format("v: the value of ({}, {}) at point {} is not finite", l, m, i));
      }
      const Complex mirrored =
          partner == lm.end()
              ? 0.0
              : sign * std::conj(v[static_cast<std::size_t>(partner - lm.begin()) * points + i]);
      if (std::abs(value - mirrored) <= tolerance * std::max(1.0, std::abs(value))) continue;
      throw InputError(
          fmt::format("v: the potential is not real: ({}, {}) at point {} is {}{:+}i, where (-1)^m times the "
                      "conjugate of ({}, {}), {}{:+}i, is expected",
                      l, m, i, value.real(), value.imag(), l, -m, mirrored.real(), mirrored.imag()));
    }
  }
}

class TabulatedPotential final : public SpherePotential {
public:
  TabulatedPotential(const std::vector<double>& r, const std::vector<std::array<int, 2>>& lm,
                     const std::vector<Complex>& v)
      : points_(r.size()), first_(r.front()), last_(r.back()),
        step_(std::log(r.back() / r.front()) / static_cast<double>(r.size() - 1)) {
    for (std::size_t row = 0; row < lm.size(); ++row) {
      const TableOfPotential values(v.data() + row * points_, points_);
      if (lm[row][0] == 0) {
        for (std::size_t i = 0; i < points_; ++i)
          spherical_.push_back(r[i] * values[i].real() / std::sqrt(4.0 * std::numbers::pi));
      } else if (std::any_of(values.begin(), values.end(), [](Complex value) { return value != 0.0; })) {
        components_.push_back(lm[row]);
        for (std::size_t i = 0; i < points_; ++i) nonspherical_.push_back(r[i] * values[i]);
      }
    }
  }

  double first_radius() const override {
    // The table needs not begin low enough for the start of the radial equation, nor may it begin so low that r^(l+1)
    // underflows.
    return std::clamp(first_, 1e-12 * last_, 1e-7 * last_);
  }
  std::span<const std::array<int, 2>> components() const override { return components_; }
  double r_spherical(double r) const override { return interpolate(stencil(r), spherical_.data()); }
  void evaluate(double r, std::span<Complex> v) const override {
    const Stencil at = stencil(r);
    for (std::size_t i = 0; i < components_.size(); ++i)
      v[i] = interpolate(at, nonspherical_.data() + i * points_) / r;
  }

private:
  static constexpr std::size_t order = 8;  // points of a polynomial of degree 7
  struct Stencil {
    std::size_t first;
    std::array<double, order> weights;
  };

  /// The Lagrange polynomials of the points about r; of the first point below it.
  Stencil stencil(double r) const {
    const double place = std::max(0.0, std::log(r / first_) / step_);
    const double last_start = static_cast<double>(points_ - order);
    constexpr std::size_t before = order / 2 - 1;
    const double start = std::clamp(std::floor(place) - static_cast<double>(before), 0.0, last_start);
    Stencil at = {static_cast<std::size_t>(start), {}};
    for (std::size_t k = 0; k < order; ++k) {
      at.weights[k] = 1.0;
      for (std::size_t j = 0; j < order; ++j) {
        if (j == k) continue;
        at.weights[k] *=
            (place - start - static_cast<double>(j)) / (static_cast<double>(k) - static_cast<double>(j));
      }
    }
    return at;
  }

  template <class Value>
  static Value interpolate(const Stencil& at, const Value* table) {
    Value sum = 0.0;
    for (std::size_t k = 0; k < order; ++k) sum += at.weights[k] * table[at.first + k];
    return sum;
  }

  std::size_t points_;
  double first_, last_, step_;
  std::vector<std::array<int, 2>> components_;
  std::vector<double> spherical_;      // r V_00 / sqrt(4 pi)
  std::vector<Complex> nonspherical_;  // r V_LM, a component after the other
};

}  // namespace

std::unique_ptr<SpherePotential> tabulated_potential(std::vector<double> r,
                                                     std::vector<std::array<int, 2>> lm,
                                                     std::vector<Complex> v) {
  if (v.size() != lm.size() * r.size()) throw InputError("v: a value per (l, m) and radius is expected");
  require_logarithmic(r);
  require_components(lm);
  require_real(lm, v, r.size());
  return std::make_unique<TabulatedPotential>(r, lm, v);
}

}  // namespace cisolve::lapw
