// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// Vectors over a product space.
struct StringVectors {
  const StringProduct& space;
  std::span<const double> vectors;  ///< [space.size() x count], column-major
  int count = 0;

  friend bool are_same(const StringVectors& a, const StringVectors& b) {
    return &a.space == &b.space && a.vectors.data() == b.vectors.data() && a.count == b.count;
  }
};

/// spin_densities over product spaces, from strings: what an excitation of one spin joins are whole rows of a block,
/// or a list of columns of it. Every step adds something, however few determinants the blocks have, and nothing of the
/// length of a vector is needed.
SpinDensities string_spin_densities(const StringVectors& bras, const StringVectors& kets);

/// spin_flip_densities likewise.
SpinFlipDensities string_spin_flip_densities(const StringVectors& bras, const StringVectors& kets);

}  // namespace cisolve
