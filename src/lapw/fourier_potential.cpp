// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/potential.hpp"
#include "cisolve/lapw/special_functions.hpp"

namespace cisolve::lapw {
namespace {

/// Coefficients of one length |D.b|.
struct Shell {
  double length = 0.0;         // 1/bohr
  std::vector<std::size_t> d;  // places in the list
};

std::vector<Shell> shells_of(const Matrix3& reciprocal, const std::vector<Index3>& g) {
  constexpr double same = 1e-12;  // relative; lengths that symmetry makes equal differ by rounding
  std::vector<double> lengths;
  for (const Index3& d : g) lengths.push_back(length(wave_vector(reciprocal, {}, d)));
  std::vector<std::size_t> order(g.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return lengths[i] < lengths[j]; });
  std::vector<Shell> shells;
  for (const std::size_t i : order) {
    if (shells.empty() || lengths[i] > shells.back().length * (1.0 + same))
      shells.push_back({lengths[i], {}});
    shells.back().d.push_back(i);
  }
  return shells;
}

/// V_LM(r) = sum over shells of j_L(length r) coefficient(L, M).
class FourierSpherePotential final : public SpherePotential {
public:
  FourierSpherePotential(const Crystal& crystal, const AtomSite& atom, const FourierPotential& potential)
      : radius_(crystal.types[static_cast<std::size_t>(atom.type)].radius),
        largest_(2 * std::max(crystal.types[static_cast<std::size_t>(atom.type)].lmax_nonspherical, 0)) {
    const Matrix3 reciprocal = crystal.lattice.reciprocal();
    std::vector<std::vector<Complex>> sums;  // [shell][(L, M)]
    std::vector<double> sizes;               // sum of |V_D| of the shell
    for (const Shell& shell : shells_of(reciprocal, potential.g)) {
      lengths_.push_back(shell.length);
      sums.push_back(sum_over(shell, reciprocal, atom, potential));
      sizes.push_back(std::accumulate(shell.d.begin(), shell.d.end(), 0.0, [&](double sum, std::size_t i) {
        return sum + std::abs(potential.v[i]);
      }));
    }
    for (const std::vector<Complex>& sum : sums)
      spherical_.push_back(sum[0].real() / std::sqrt(4.0 * std::numbers::pi));
    keep_components(sums, sizes);
  }

  double first_radius() const override { return 1e-7 * radius_; }
  std::span<const std::array<int, 2>> components() const override { return components_; }

  double r_spherical(double r) const override {
    double sum = 0.0, j = 0.0;
    for (std::size_t s = 0; s < lengths_.size(); ++s) {
      spherical_bessel(lengths_[s] * r, {&j, 1});
      sum += j * spherical_[s];
    }
    return r * sum;
  }

  void evaluate(double r, std::span<Complex> v) const override {
    std::vector<double> j(static_cast<std::size_t>(largest_) + 1);
    std::fill(v.begin(), v.end(), Complex(0.0));
    for (std::size_t s = 0; s < lengths_.size(); ++s) {
      spherical_bessel(lengths_[s] * r, j);
      const Complex* const of_shell = coefficients_.data() + s * components_.size();
      for (std::size_t i = 0; i < components_.size(); ++i)
        v[i] += j[static_cast<std::size_t>(components_[i][0])] * of_shell[i];
    }
  }

private:
  /// 4 pi i^L sum_D V_D exp(2 pi i D.p) conj Y_LM(Q D.b)
  std::vector<Complex> sum_over(const Shell& shell, const Matrix3& reciprocal, const AtomSite& atom,
                                const FourierPotential& potential) const {
    std::vector<Complex> y(static_cast<std::size_t>(num_functions(largest_))), sum(y.size());
    for (const std::size_t i : shell.d) {
      const Index3& d = potential.g[i];
      const Vector3 fractional = {static_cast<double>(d[0]), static_cast<double>(d[1]),
                                  static_cast<double>(d[2])};
      const double angle = 2.0 * std::numbers::pi * dot(fractional, atom.position);
      const Complex factor = 4.0 * std::numbers::pi * potential.v[i] * std::polar(1.0, angle);
      spherical_harmonics(rotate(atom.rotation, wave_vector(reciprocal, {}, d)), largest_, y);
      for (std::size_t f = 0; f < y.size(); ++f) sum[f] += factor * std::conj(y[f]);
    }
    Complex phase = 1.0;
    for (int l = 0; l <= largest_; ++l) {
      for (int m = -l; m <= l; ++m) sum[static_cast<std::size_t>(function_index(l, m))] *= phase;
      phase *= Complex(0.0, 1.0);
    }
    return sum;
  }

  /// Those with L > 0 that are not zero but for rounding, which is what a site's symmetry leaves of them.
  void keep_components(const std::vector<std::vector<Complex>>& sums, const std::vector<double>& sizes) {
    constexpr double rounding = 32.0 * std::numeric_limits<double>::epsilon();  // of phase, Y_LM and sum
    std::vector<std::size_t> kept;
    for (int l = 1; l <= largest_; ++l) {
      const double bound = rounding * std::sqrt(4.0 * std::numbers::pi * (2 * l + 1));  // of 4 pi |Y_LM|
      for (int m = -l; m <= l; ++m) {
        const auto f = static_cast<std::size_t>(function_index(l, m));
        bool vanishes = true;
        for (std::size_t s = 0; s < sums.size(); ++s) {
          // The direction of D = 0 counts for l = 0 only: j_l(0) = 0.
          vanishes = vanishes && (lengths_[s] == 0.0 || std::abs(sums[s][f]) <= bound * sizes[s]);
        }
        if (vanishes) continue;
        components_.push_back({l, m});
        kept.push_back(f);
      }
    }
    for (const std::vector<Complex>& sum : sums) {
      for (const std::size_t f : kept) coefficients_.push_back(sum[f]);
    }
  }

  double radius_;
  int largest_;                  // L
  std::vector<double> lengths_;  // of the shells, 1/bohr
  std::vector<std::array<int, 2>> components_;
  std::vector<double> spherical_;      // of j_0 in V_00 / sqrt(4 pi), by shell
  std::vector<Complex> coefficients_;  // [shell][component]
};

/// V_LM(r) at function_index(L, M), zero where there is no such component.
std::vector<Complex> all_components(const SpherePotential& potential, double r, int largest) {
  const auto lm = potential.components();
  std::vector<Complex> v(lm.size()), all(static_cast<std::size_t>(num_functions(largest)));
  potential.evaluate(r, v);
  for (std::size_t i = 0; i < lm.size(); ++i)
    all[static_cast<std::size_t>(function_index(lm[i][0], lm[i][1]))] = v[i];
  all[0] = std::sqrt(4.0 * std::numbers::pi) * potential.r_spherical(r) / r;
  return all;
}

/// Largest difference of any V_LM of both at some radii, hartree.
double largest_difference(const SpherePotential& one, const SpherePotential& other, const AtomType& type) {
  double largest = 0.0;
  const int largest_l = 2 * std::max(type.lmax_nonspherical, 0);
  for (const double part : {0.3, 0.55, 0.8, 1.0}) {
    const std::vector<Complex> v = all_components(one, part * type.radius, largest_l);
    const std::vector<Complex> v2 = all_components(other, part * type.radius, largest_l);
    for (std::size_t i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(v[i] - v2[i]));
  }
  return largest;
}

}  // namespace

std::unique_ptr<SpherePotential> potential_at(const Crystal& crystal, int atom,
                                              const FourierPotential& potential) {
  if (potential.has_step)
    throw DimensionError("potential_at: V times the step function does not tell V in the spheres");
  return std::make_unique<FourierSpherePotential>(crystal, crystal.atoms[static_cast<std::size_t>(atom)],
                                                  potential);
}

void require_same_surroundings(const Crystal& crystal, const FourierPotential& potential) {
  constexpr double tolerance = 1e-8;  // hartree; far below what LAPW itself leaves
  const auto type_of = [&](std::size_t atom) { return static_cast<std::size_t>(crystal.atoms[atom].type); };
  std::vector<std::unique_ptr<SpherePotential>> of_first(crystal.types.size());
  std::vector<std::size_t> first(crystal.types.size());
  for (std::size_t atom = crystal.atoms.size(); atom-- > 0;) first[type_of(atom)] = atom;
  for (std::size_t t = 0; t < of_first.size(); ++t)
    of_first[t] = potential_at(crystal, static_cast<int>(first[t]), potential);

  std::vector<double> differences(crystal.atoms.size());
  parallel_for(static_cast<std::int64_t>(differences.size()), 1, [&](std::int64_t i) {
    const auto atom = static_cast<std::size_t>(i);
    const std::size_t t = type_of(atom);
    if (first[t] == atom) return;
    const auto seen = potential_at(crystal, static_cast<int>(i), potential);
    differences[atom] = largest_difference(*of_first[t], *seen, crystal.types[t]);
  });
  for (std::size_t atom = 0; atom < differences.size(); ++atom) {
    if (differences[atom] <= tolerance) continue;
    const std::size_t t = type_of(atom);
    throw InputError(fmt::format(
        "atoms {} and {} are of type \"{}\", but the potential about them, each in its own frame, "
        "differs by {:.1e} hartree: a type of its own or another rotation is needed",
        first[t] + 1, atom + 1, crystal.types[t].name, differences[atom]));
  }
}

}  // namespace cisolve::lapw
