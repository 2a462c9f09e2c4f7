// SPDX-License-Identifier: MIT
#include "cisolve/lapw/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/special_functions.hpp"

namespace cisolve::lapw {
namespace {

/// F_l and G_l of one wave.
/// @param stride  between values of neighbouring l
void match(const AtomType& type, double kappa, std::vector<double>& j, double* f, double* g,
           std::int64_t stride) {
  const double x = kappa * type.radius;
  j.resize(static_cast<std::size_t>(type.lmax) + 2);
  spherical_bessel(x, j);
  for (int l = 0; l <= type.lmax; ++l) {
    // |kappa| j_l'(x), by j_l' = l j_l / x - j_(l+1)
    const double over_radius = x > 0.0 ? l * j[l] / type.radius : 0.0;
    const double slope = over_radius - kappa * j[l + 1];
    const RadialFunctions& at = type.radial;
    const double w = at.udot[l] * at.u_r[l] - at.u[l] * at.udot_r[l];
    f[l * stride] = (at.udot[l] * slope - at.udot_r[l] * j[l]) / w;
    g[l * stride] = (at.u_r[l] * j[l] - at.u[l] * slope) / w;
  }
}

}  // namespace

MatchingTables match_waves(const Crystal& crystal, const Vector3& k, std::vector<Index3> g) {
  MatchingTables tables;
  tables.g = std::move(g);
  tables.k = k;
  const Matrix3 reciprocal = crystal.lattice.reciprocal();
  for (const Index3& wave : tables.g) {
    const Vector3 kappa = wave_vector(reciprocal, k, wave);
    const double norm = length(kappa);
    tables.kappa.push_back(kappa);
    tables.norm.push_back(norm);
    tables.direction.push_back(norm > 0.0 ? Vector3{kappa[0] / norm, kappa[1] / norm, kappa[2] / norm}
                                          : Vector3{0.0, 0.0, 1.0});
  }
  const std::int64_t waves = tables.waves();
  for (const AtomType& type : crystal.types) {
    auto& table = tables.types.emplace_back();
    const auto size = static_cast<std::size_t>((type.lmax + 1) * waves);
    table.f.resize(size);
    table.g.resize(size);
    parallel_for(waves, 64, [&](std::int64_t wave) {
      thread_local std::vector<double> j;
      match(type, tables.norm[wave], j, table.f.data() + wave, table.g.data() + wave, waves);
    });
  }
  return tables;
}

MatchingCoefficients::MatchingCoefficients(const Crystal& crystal, const MatchingTables& tables)
    : crystal_(crystal), tables_(tables),
      prefactor_(4.0 * std::numbers::pi / std::sqrt(crystal.lattice.volume())) {
  std::vector<Matrix3> rotations;
  for (const AtomSite& atom : crystal.atoms) {
    auto found = std::ranges::find(rotations, atom.rotation);
    if (found == rotations.end()) {
      rotations.push_back(atom.rotation);
      harmonics_.emplace_back();
      found = rotations.end() - 1;
    }
    rotations_.push_back(static_cast<int>(found - rotations.begin()));
    int& lmax = harmonics_[rotations_.back()].lmax;
    lmax = std::max(lmax, crystal.types[atom.type].lmax);
  }
  for (std::size_t r = 0; r < rotations.size(); ++r) {
    Harmonics& table = harmonics_[r];
    const int functions = num_functions(table.lmax);
    table.values.resize(static_cast<std::size_t>(functions) * tables.g.size());
    parallel_for(tables.waves(), 64, [&](std::int64_t wave) {
      const std::span<Complex> y(table.values.data() + wave * functions, static_cast<std::size_t>(functions));
      spherical_harmonics(rotate(rotations[r], tables_.direction[wave]), table.lmax, y);
      for (Complex& value : y) value = std::conj(value);
    });
  }
}

void MatchingCoefficients::fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a,
                                Complex* b, std::int64_t ld) const {
  const AtomSite& site = crystal_.atoms[atom];
  const MatchingTables::OfType& matched = tables_.types[site.type];
  const Harmonics& harmonics = harmonics_[rotations_[atom]];
  const int functions = num_functions(harmonics.lmax);
  const std::int64_t waves = tables_.waves();
  for (std::int64_t wave = first; wave < last; ++wave) {
    double turns = 0.0;
    for (int i = 0; i < 3; ++i) turns += (tables_.k[i] + tables_.g[wave][i]) * site.position[i];
    turns -= std::round(turns);
    const Complex phase = std::polar(prefactor_, 2.0 * std::numbers::pi * turns);
    const Complex* y = harmonics.values.data() + wave * functions;
    Complex* a_column = a + (wave - first) * ld;
    Complex* b_column = b + (wave - first) * ld;
    for (int l = 0; l <= lmax; ++l) {
      const double f = matched.f[l * waves + wave], g = matched.g[l * waves + wave];
      for (int row = l * l; row < (l + 1) * (l + 1); ++row) {
        // Plain products: those of the standard look for infinities.
        const double re = phase.real() * y[row].real() - phase.imag() * y[row].imag();
        const double im = phase.real() * y[row].imag() + phase.imag() * y[row].real();
        a_column[row] = {re * f, im * f};
        b_column[row] = {re * g, im * g};
      }
    }
  }
}

std::vector<std::int64_t> first_rows(std::span<const int> atom_types, std::span<const MuffinTin> tins) {
  std::vector<std::int64_t> first = {0};
  for (const int type : atom_types) first.push_back(first.back() + num_functions(tins[type].lmax));
  return first;
}

FileCoefficients::FileCoefficients(const GivenCoefficients& given, std::span<const int> atom_types,
                                   std::span<const MuffinTin> tins)
    : given_(given), first_row_(first_rows(atom_types, tins)) {}

void FileCoefficients::fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
                            std::int64_t ld) const {
  const int functions = num_functions(lmax);
  for (std::int64_t wave = first; wave < last; ++wave) {
    const std::int64_t from = wave * given_.rows + first_row_[atom], to = (wave - first) * ld;
    std::copy_n(given_.a.data() + from, functions, a + to);
    std::copy_n(given_.b.data() + from, functions, b + to);
  }
}

}  // namespace cisolve::lapw
