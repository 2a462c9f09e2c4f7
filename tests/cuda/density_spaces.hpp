// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analysis/string_density.hpp"
#include "cuda/analysis/string_density_plan.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::test {

/// Rounding of sums of up to 1e5 products, of vectors of norm 1.
inline constexpr double density_rounding = 1e-12;

/// Spaces of every kind whose densities are summed, with more strings than a warp or a block of threads has.
inline std::vector<SpaceShape> density_spaces() {
  std::vector<SpaceShape> shapes = small_product_spaces();
  const std::vector<SpaceShape> more = {
      SpaceShape{.orbitals = 9, .alpha = 4, .beta = 4, .irrep = 3, .num_irreps = 8},  // full CI in D2h
      SpaceShape{.orbitals = 11, .alpha = 4, .beta = 3, .num_irreps = 8},             // all irreps
      SpaceShape{.orbitals = 11, .alpha = 3, .beta = 4},                              // C1
      SpaceShape{.orbitals = 14, .alpha = 5, .beta = 4, .level = 2, .irrep = 0, .num_irreps = 4},
      bounded(SpaceShape{.orbitals = 9, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 4}, {3, 1}, {3, 2}),
      bounded(SpaceShape{.orbitals = 9, .alpha = 4, .beta = 3, .level = 3}, {2, 1}, {4, 2}),
      bounded(SpaceShape{.orbitals = 8, .alpha = 4, .beta = 4, .num_irreps = 2}, {3, 2}),
  };
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

/// Ways to cut the sums: as on a device, and so that borders of tiles and tasks lie everywhere.
inline std::vector<cuda::StringDensityConfig> density_configs() {
  std::vector<cuda::StringDensityConfig> configs(3);
  configs[1].most_tile_strings = 16;
  configs[1].least_alpha_work = configs[1].least_beta_work = 100;
  configs[2].shared_memory = 5 * 2 * 8;  // tiles of five
  configs[2].least_alpha_work = configs[2].least_beta_work = 1;
  configs[2].most_alpha_tasks = configs[2].most_beta_tasks = 1 << 20;
  return configs;
}

inline double largest_difference(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return INFINITY;
  double largest = 0.0;
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) largest = std::max(largest, std::abs(a(p, q) - b(p, q)));
  }
  return largest;
}

inline double largest_difference(const SpinDensity& a, const SpinDensity& b) {
  return std::max(largest_difference(a.alpha, b.alpha), largest_difference(a.beta, b.beta));
}

/// Of every pair of vectors.
inline double largest_difference(const SpinDensities& a, const SpinDensities& b) {
  if (a.num_bras() != b.num_bras() || a.num_kets() != b.num_kets()) return INFINITY;
  double largest = 0.0;
  for (int l = 0; l < a.num_kets(); ++l) {
    for (int k = 0; k < a.num_bras(); ++k) largest = std::max(largest, largest_difference(a(k, l), b(k, l)));
  }
  return largest;
}

/// Singles and doubles of a few electrons in more orbitals than a word has bits.
inline SpaceSelection<2> many_orbitals() {
  SpaceSelection<2> s;
  s.num_orbitals = 70;
  for (int p = 0; p < s.num_orbitals; ++p) s.irreps.push_back((3 * p + p / 4) % 4);
  s.references = {{BitString<2>::lowest(2), BitString<2>::lowest(1)}};
  s.references[0].alpha = s.references[0].alpha.moved(0, 66);
  s.excitation_level = 2;
  s.irrep = any_irrep;
  return s;
}

}  // namespace cisolve::test
