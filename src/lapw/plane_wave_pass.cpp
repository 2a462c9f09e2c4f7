// SPDX-License-Identifier: MIT
#include "lapw/plane_wave_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve::lapw {
namespace {

constexpr int chunk = 256;  // rows that are worked on at a time: their numbers stay in the first cache

/// Places of the plane waves in tables over differences: place of G - G' is offset(G) - offset(G').
std::vector<std::int64_t> wave_offsets(const DifferenceTable& table, std::span<const Index3> g) {
  std::vector<std::int64_t> offsets;
  for (const Index3& wave : g) offsets.push_back(table.offset(wave));
  return offsets;
}

/// Sums over l of one type, for some rows of a column.
struct LegendreSums {
  double s[chunk], h[chunk];

  /// @param cosines  of the angles between these rows' waves and that of the column
  void make(const AtomType& type, const MatchingTables::OfType& matched, std::int64_t waves,
            std::int64_t column, std::int64_t first, int count, const double* cosines) {
    double before[chunk], p[chunk];
    for (int i = 0; i < count; ++i) {
      before[i] = 0.0;
      p[i] = 1.0;
      s[i] = h[i] = 0.0;
    }
    for (int l = 0; l <= type.lmax; ++l) {
      const double* f = matched.f.data() + l * waves + first;
      const double* g = matched.g.data() + l * waves + first;
      const double f_column = (2 * l + 1) * matched.f[l * waves + column];
      const double g_column = (2 * l + 1) * matched.g[l * waves + column];
      const double norm = type.radial.udot_norm[l], energy = type.energy[l];
      const double sf = f_column, sg = norm * g_column;
      const double hf = energy * sf + 0.5 * g_column, hg = energy * sg + 0.5 * f_column;
      const double grow = (2.0 * l + 1.0) / (l + 1.0), fall = l / (l + 1.0);
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        s[i] += p[i] * (sf * f[i] + sg * g[i]);
        h[i] += p[i] * (hf * f[i] + hg * g[i]);
        const double next = grow * cosines[i] * p[i] - fall * before[i];
        before[i] = p[i];
        p[i] = next;
      }
    }
  }
};

/// The pass over plane waves with a lattice.
class LatticePass {
public:
  LatticePass(const MatrixProblem& problem, bool spherical, HermitianPair& out)
      : problem_(problem), spherical_(spherical), out_(out), crystal_(*problem.crystal),
        waves_(*problem.matching), n_(waves_.waves()) {
    for (const double norm : waves_.norm) squares_.push_back(norm * norm);
    if (problem.outside.tables == nullptr) return;
    offsets_ = wave_offsets(problem.outside.tables->theta, waves_.g);
    if (!spherical) return;
    for (int i = 0; i < 3; ++i) {
      for (const Vector3& direction : waves_.direction) directions_[i].push_back(direction[i]);
    }
  }

  void column(std::int64_t column) {
    for (std::int64_t first = column; first < n_; first += chunk) {
      const int count = static_cast<int>(std::min<std::int64_t>(chunk, n_ - first));
      Complex* s = out_.s.data() + column * n_ + first;
      Complex* h = out_.h.data() + column * n_ + first;
      between_spheres(column, first, count, s, h);
      if (spherical_) in_spheres(column, first, count, s, h);
    }
    // Sums of complex numbers leave rounding there.
    out_.s[column * n_ + column].imag(0.0);
    out_.h[column * n_ + column].imag(0.0);
  }

private:
  void between_spheres(std::int64_t column, std::int64_t first, int count, Complex* s, Complex* h) const {
    const Interstitial* tables = problem_.outside.tables;
    if (tables == nullptr || !problem_.outside.between_spheres) {
      std::fill_n(s, count, Complex());
      std::fill_n(h, count, Complex());
      return;
    }
    const Complex* theta = tables->theta.middle() - offsets_[column];
    for (int i = 0; i < count; ++i) {
      s[i] = theta[offsets_[first + i]];
      h[i] = 0.25 * (squares_[first + i] + squares_[column]) * s[i];
    }
    if (!tables->has_potential()) return;
    const Complex* v_theta = tables->v_theta.middle() - offsets_[column];
    for (int i = 0; i < count; ++i) h[i] += v_theta[offsets_[first + i]];
  }

  void in_spheres(std::int64_t column, std::int64_t first, int count, Complex* s, Complex* h) const {
    double cosines[chunk];
    const double x = directions_[0][column], y = directions_[1][column], z = directions_[2][column];
    for (int i = 0; i < count; ++i) {
      const double cosine =
          x * directions_[0][first + i] + y * directions_[1][first + i] + z * directions_[2][first + i];
      cosines[i] = std::clamp(cosine, -1.0, 1.0);
    }
    LegendreSums sums;
    const double factor = 4.0 * std::numbers::pi / crystal_.lattice.volume();
    const std::vector<DifferenceTable>& tables = problem_.outside.tables->structure;
    for (std::size_t type = 0; type < tables.size(); ++type) {
      sums.make(crystal_.types[type], waves_.types[type], n_, column, first, count, cosines);
      const Complex* structure = tables[type].middle() - offsets_[column];
      for (int i = 0; i < count; ++i) {
        const Complex phase = factor * structure[offsets_[first + i]];
        s[i] += phase * sums.s[i];
        h[i] += phase * sums.h[i];
      }
    }
  }

  const MatrixProblem& problem_;
  bool spherical_;
  HermitianPair& out_;
  const Crystal& crystal_;
  const MatchingTables& waves_;
  std::int64_t n_;
  std::vector<std::int64_t> offsets_;
  std::vector<double> squares_;
  std::vector<double> directions_[3];
};

/// Matrices or diagonals that were given, or nothing.
void given_column(const PlaneWavePart& outside, std::int64_t column, HermitianPair& out) {
  const std::int64_t n = out.n, diagonal = column * n + column, rows = n - column;
  if (!outside.h.empty()) {
    std::copy_n(outside.h.data() + diagonal, rows, out.h.data() + diagonal);
    std::copy_n(outside.s.data() + diagonal, rows, out.s.data() + diagonal);
    return;
  }
  std::fill_n(out.h.data() + diagonal, rows, Complex());
  std::fill_n(out.s.data() + diagonal, rows, Complex());
  if (outside.h_diagonal.empty()) return;
  out.h[static_cast<std::size_t>(diagonal)] = outside.h_diagonal[column];
  out.s[static_cast<std::size_t>(diagonal)] = outside.s_diagonal[column];
}

}  // namespace

double plane_wave_flops(const MatrixProblem& problem, bool spherical) {
  if (problem.crystal == nullptr) return 0.0;
  const auto n = static_cast<double>(problem.waves());
  const double pairs = 0.5 * n * (n + 1);
  constexpr double between_spheres = 5.0, per_l = 12.0, per_type = 14.0;
  double flops =
      problem.outside.between_spheres && problem.outside.tables != nullptr ? between_spheres * pairs : 0.0;
  for (const AtomType& type : problem.crystal->types)
    if (spherical) flops += pairs * (per_l * (type.lmax + 1) + per_type);
  return flops;
}

double plane_wave_pass(const MatrixProblem& problem, bool spherical, HermitianPair& out) {
  if (problem.crystal == nullptr) {
    if (spherical) throw DimensionError("plane_wave_pass: the spherical part needs radial functions");
    parallel_for(out.n, 8, [&](std::int64_t column) { given_column(problem.outside, column, out); });
    return 0.0;
  }
  if (spherical && problem.outside.tables == nullptr)
    throw DimensionError("plane_wave_pass: the spherical part needs tables of the structure factors");
  LatticePass pass(problem, spherical, out);
  parallel_for(out.n, 4, [&](std::int64_t column) { pass.column(column); });
  return plane_wave_flops(problem, spherical);
}

}  // namespace cisolve::lapw
