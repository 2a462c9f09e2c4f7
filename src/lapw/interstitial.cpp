// SPDX-License-Identifier: MIT
#include "cisolve/lapw/interstitial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/special_functions.hpp"

namespace cisolve::lapw {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

/// exp(-2 pi i D.p)
Complex structure_phase(const Index3& d, const Vector3& position) {
  double turns = 0.0;
  for (int i = 0; i < 3; ++i) turns += d[i] * position[i];
  return std::polar(1.0, -two_pi * (turns - std::round(turns)));
}

Complex step_function(const Crystal& crystal, const Matrix3& reciprocal, double volume, const Index3& d) {
  const double norm = length(wave_vector(reciprocal, {}, d));
  Complex sum = d == Index3{} ? 1.0 : 0.0;
  for (const AtomSite& atom : crystal.atoms) {
    const double radius = crystal.types[atom.type].radius;
    const double ball = 4.0 * std::numbers::pi * radius * radius * radius / volume;
    sum -= ball * ball_transform(norm * radius) * structure_phase(d, atom.position);
  }
  return sum;
}

/// All integer vectors of the box.
template <class Body>
void for_box(const Index3& extent, const Body& body) {
  parallel_for(2 * extent[0] + 1, 1, [&](std::int64_t plane) {
    const int i = static_cast<int>(plane) - extent[0];
    for (int j = -extent[1]; j <= extent[1]; ++j) {
      for (int k = -extent[2]; k <= extent[2]; ++k) body(Index3{i, j, k});
    }
  });
}

/// Theta over a box, from the structure factors there.
DifferenceTable step_table(const Crystal& crystal, const std::vector<DifferenceTable>& structure) {
  const Matrix3 reciprocal = crystal.lattice.reciprocal();
  const double volume = crystal.lattice.volume();
  DifferenceTable theta(structure.front().extent());
  for_box(theta.extent(), [&](const Index3& d) {
    const double norm = length(wave_vector(reciprocal, {}, d));
    Complex sum = d == Index3{} ? 1.0 : 0.0;
    for (std::size_t type = 0; type < structure.size(); ++type) {
      const double radius = crystal.types[type].radius;
      sum -= 4.0 * std::numbers::pi * radius * radius * radius / volume * ball_transform(norm * radius) *
             structure[type](d);
    }
    theta(d) = sum;
  });
  return theta;
}

/// exp(-2 pi i n p) for n from -extent to extent.
std::vector<Complex> phases_along(double p, int extent) {
  std::vector<Complex> phases;
  for (int n = -extent; n <= extent; ++n)
    phases.push_back(std::polar(1.0, -two_pi * (n * p - std::round(n * p))));
  return phases;
}

}  // namespace

DifferenceTable::DifferenceTable(const Index3& extent) : extent_(extent) {
  for (int i = 0; i < 3; ++i) width_[i] = 2 * extent[i] + 1;
  middle_ = offset(extent);
  values_.resize(static_cast<std::size_t>(width_[0]) * static_cast<std::size_t>(width_[1]) *
                 static_cast<std::size_t>(width_[2]));
}

std::vector<DifferenceTable> structure_factors(const Crystal& crystal, const Index3& extent) {
  std::vector<DifferenceTable> tables(crystal.types.size(), DifferenceTable(extent));
  std::vector<std::array<std::vector<Complex>, 3>> phases;
  for (const AtomSite& atom : crystal.atoms) {
    auto& of_atom = phases.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) of_atom[i] = phases_along(atom.position[i], extent[i]);
  }
  parallel_for(2 * extent[0] + 1, 1, [&](std::int64_t plane) {
    const auto i = static_cast<std::size_t>(plane);
    for (int j = -extent[1]; j <= extent[1]; ++j) {
      for (std::size_t atom = 0; atom < phases.size(); ++atom) {
        const Complex outer = phases[atom][0][i] * phases[atom][1][static_cast<std::size_t>(j + extent[1])];
        const double re = outer.real(), im = outer.imag();
        const std::vector<Complex>& inner = phases[atom][2];
        DifferenceTable& table = tables[static_cast<std::size_t>(crystal.atoms[atom].type)];
        Complex* line = &table({static_cast<int>(plane) - extent[0], j, -extent[2]});
        for (std::size_t k = 0; k < inner.size(); ++k)
          line[k] += Complex(re * inner[k].real() - im * inner[k].imag(),
                             re * inner[k].imag() + im * inner[k].real());
      }
    }
  });
  return tables;
}

Complex step_function(const Crystal& crystal, const Index3& d) {
  return step_function(crystal, crystal.lattice.reciprocal(), crystal.lattice.volume(), d);
}

Interstitial make_interstitial(const Crystal& crystal, const FourierPotential* potential,
                               const Index3& extent, double largest) {
  const Matrix3 reciprocal = crystal.lattice.reciprocal();
  const auto is_asked_for = [&](const Index3& d) {
    return length(wave_vector(reciprocal, {}, d)) <= largest * (1.0 + 1e-9);
  };
  Interstitial result{.structure = structure_factors(crystal, extent), .theta = {}, .v_theta = {}};
  result.theta = step_table(crystal, result.structure);
  if (potential == nullptr || potential->g.empty()) return result;
  result.v_theta = DifferenceTable(extent);
  if (potential->has_step) {
    for (std::size_t n = 0; n < potential->g.size(); ++n) {
      const Index3& d = potential->g[n];
      const bool is_inside =
          std::abs(d[0]) <= extent[0] && std::abs(d[1]) <= extent[1] && std::abs(d[2]) <= extent[2];
      if (is_inside) result.v_theta(d) = potential->v[n];
    }
    return result;
  }
  // (V Theta)(D) = sum over D' of V_D' Theta(D - D'), with Theta in a table that reaches far enough.
  Index3 far = extent;
  for (const Index3& d : potential->g) {
    for (int i = 0; i < 3; ++i) far[i] = std::max(far[i], extent[i] + std::abs(d[i]));
  }
  const DifferenceTable theta = step_table(crystal, structure_factors(crystal, far));
  for_box(extent, [&](const Index3& d) {
    if (!is_asked_for(d)) return;
    Complex sum = 0.0;
    const Complex* at = theta.middle() + theta.offset(d);
    for (std::size_t n = 0; n < potential->g.size(); ++n)
      sum += potential->v[n] * at[-theta.offset(potential->g[n])];
    result.v_theta(d) = sum;
  });
  return result;
}

Index3 largest_differences(std::span<const std::vector<Index3>> lists) {
  Index3 largest = {};
  for (const auto& list : lists) {
    for (int i = 0; i < 3; ++i) {
      int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
      for (const Index3& g : list) {
        low = std::min(low, g[i]);
        high = std::max(high, g[i]);
      }
      if (!list.empty()) largest[i] = std::max(largest[i], high - low);
    }
  }
  return largest;
}

}  // namespace cisolve::lapw
