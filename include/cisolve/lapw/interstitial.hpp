// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/potential.hpp"

namespace cisolve::lapw {

/// Complex numbers for the differences of plane waves: a box of integer vectors D with |D_i| <= extent_i, so laid out that
/// offset(G) - offset(G') is the place of G - G' from the middle.
class DifferenceTable {
public:
  DifferenceTable() = default;
  explicit DifferenceTable(const Index3& extent);

  const Index3& extent() const { return extent_; }
  std::int64_t offset(const Index3& d) const {
    return (static_cast<std::int64_t>(d[0]) * width_[1] + d[1]) * width_[2] + d[2];
  }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  Complex* middle() { return values_.data() + middle_; }
  const Complex* middle() const { return values_.data() + middle_; }
  const Complex* data() const { return values_.data(); }
  std::int64_t middle_offset() const { return middle_; }
  Complex& operator()(const Index3& d) { return middle()[offset(d)]; }
  Complex operator()(const Index3& d) const { return middle()[offset(d)]; }

private:
  Index3 extent_ = {}, width_ = {1, 1, 1};
  std::int64_t middle_ = 0;
  std::vector<Complex> values_;
};

/// s_t(D) = sum over the atoms of a type of exp(-2 pi i D.p), a table over the differences for each type.
std::vector<DifferenceTable> structure_factors(const Crystal& crystal, const Index3& extent);

/// Theta(D): Fourier coefficient of the function that is 1 between the spheres and 0 in them,
/// delta_D0 - sum_a (4 pi R^3 / Omega) j_1(x)/x exp(-2 pi i D.p_a), x = |D.b| R.
Complex step_function(const Crystal& crystal, const Index3& d);

/// What is the same for all k-points of a crystal: tables over the differences of plane waves, of what lies between the spheres,
///   S[g, g'] = Theta(G - G'),   H[g, g'] = (kappa^2 + kappa'^2)/4 Theta(G - G') + (V Theta)(G - G'),
/// and of the structure factors that the spheres' part by the addition theorem takes.
struct Interstitial {
  std::vector<DifferenceTable> structure;  ///< one per type
  DifferenceTable theta;
  DifferenceTable v_theta;  ///< hartree; empty: V = 0
  bool has_potential() const { return v_theta.size() > 0; }
};

/// Makes the tables by their sums; exact, whatever the cutoff of the potential.
/// @param extent     largest difference on each axis
/// @param largest    1/bohr; differences D with |D.b| above it are not asked for
/// @param potential  may be null
Interstitial make_interstitial(const Crystal& crystal, const FourierPotential* potential,
                               const Index3& extent, double largest);

/// Largest difference of two plane waves of any of the lists, on each axis.
Index3 largest_differences(std::span<const std::vector<Index3>> lists);

}  // namespace cisolve::lapw
