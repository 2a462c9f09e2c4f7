// SPDX-License-Identifier: MIT
#include "cisolve/analysis/site_correlations.hpp"

#include <Eigen/Core>

#include <cstddef>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

using SiteMatrix = Eigen::MatrixXd;
using SitePairs = Eigen::Map<const SiteMatrix>;

SitePairs as_eigen(const Matrix& m) { return {m.data(), m.rows(), m.columns()}; }

void copy(const SiteMatrix& from, Matrix& to) {
  Eigen::Map<SiteMatrix>(to.data(), to.rows(), to.columns()) = from;
}

/// G[p,q,r,s] of some spins as a matrix [p n + q, r n + s].
template <class Element>
SiteMatrix as_matrix(int n, const Element& element) {
  SiteMatrix g(n * n, n * n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) g(p * n + q, r * n + s) = element(p, q, r, s);
      }
    }
  }
  return g;
}

/// C_ip C_iq at (i, p n + q).
SiteMatrix densities_of_sites(const SiteMatrix& c) {
  const Eigen::Index n = c.cols();
  SiteMatrix products(c.rows(), n * n);
  for (Eigen::Index p = 0; p < n; ++p) {
    for (Eigen::Index q = 0; q < n; ++q) products.col(p * n + q) = c.col(p).cwiseProduct(c.col(q));
  }
  return products;
}

/// G[i,j,j,i] of sites from G^ab over orbitals, which is symmetric in the exchange of pq with rs' transposes.
SiteMatrix exchanged(const SiteMatrix& g, const SiteMatrix& c) {
  const Eigen::Index n = c.cols();
  SiteMatrix found(c.rows(), c.rows());
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    SiteMatrix inner = SiteMatrix::Zero(n, n);  // sum_ps C_ip C_is G[p,q,r,s] at (q, r)
    for (Eigen::Index r = 0; r < n; ++r) {
      const Eigen::VectorXd column = g.middleCols(r * n, n) * c.row(i).transpose();  // over s, at p n + q
      const Eigen::Map<const SiteMatrix> by_pair(column.data(), n, n);               // (q, p)
      inner.col(r) = by_pair * c.row(i).transpose();
    }
    for (Eigen::Index j = 0; j < c.rows(); ++j) found(i, j) = c.row(j) * inner * c.row(j).transpose();
  }
  return found;
}

}  // namespace

SiteCorrelations::SiteCorrelations(int sites)
    : density(sites, 0.0), double_occupancy(sites, 0.0), s_s(sites, sites), sz_sz(sites, sites),
      n_n(sites, sites), hop_up(sites, sites), hop_down(sites, sites) {}

void SiteCorrelations::add(const SiteCorrelations& other, double share) {
  for (std::size_t i = 0; i < density.size(); ++i) {
    density[i] += share * other.density[i];
    double_occupancy[i] += share * other.double_occupancy[i];
  }
  for (Matrix SiteCorrelations::*member :
       {&SiteCorrelations::s_s, &SiteCorrelations::sz_sz, &SiteCorrelations::n_n, &SiteCorrelations::hop_up,
        &SiteCorrelations::hop_down}) {
    Matrix& sum = this->*member;
    const Matrix& added = other.*member;
    for (int j = 0; j < sum.columns(); ++j) {
      for (int i = 0; i < sum.rows(); ++i) sum(i, j) += share * added(i, j);
    }
  }
}

SiteCorrelations site_correlations(const SpinDensity& one, const TwoParticleDensity& two,
                                   const Matrix& coefficients) {
  const int sites = coefficients.rows(), n = coefficients.columns();
  if (one.alpha.rows() != n || two.num_orbitals != n || n != sites)
    throw DimensionError("site_correlations: densities and sites differ in number");
  const SiteMatrix c = as_eigen(coefficients), pairs = densities_of_sites(c);
  const SiteMatrix up = c * as_eigen(one.alpha) * c.transpose(),
                   down = c * as_eigen(one.beta) * c.transpose();
  const SiteMatrix same = as_matrix(
      n, [&](int p, int q, int r, int s) { return two.alpha_alpha(p, q, r, s) + two.beta_beta(p, q, r, s); });
  const SiteMatrix opposite =
      as_matrix(n, [&](int p, int q, int r, int s) { return two.alpha_beta(p, q, r, s); });
  const SiteMatrix of_same = pairs * same * pairs.transpose();
  const SiteMatrix of_opposite = pairs * opposite * pairs.transpose();
  const SiteMatrix both = of_opposite + of_opposite.transpose();
  const Eigen::VectorXd density = up.diagonal() + down.diagonal();
  const SiteMatrix own = density.asDiagonal();
  const SiteMatrix sz_sz = 0.25 * (of_same - both + own);
  SiteCorrelations found(sites);
  copy(of_same + both + own, found.n_n);
  copy(sz_sz, found.sz_sz);
  copy(sz_sz + 0.5 * own - exchanged(opposite, c), found.s_s);
  copy(up, found.hop_up);
  copy(down, found.hop_down);
  for (int i = 0; i < sites; ++i) {
    found.density[i] = density[i];
    found.double_occupancy[i] = of_opposite(i, i);
  }
  return found;
}

LatticeEnergies lattice_energies(const LatticeModel& model, const SiteCorrelations& correlations) {
  LatticeEnergies energies;
  for (const LatticeBond& bond : model.bonds) {
    const auto [i, j, phase] = bond.pair;
    const double hop = correlations.hop_up(i, j) + correlations.hop_down(i, j);
    energies.kinetic -= 2.0 * bond.t * phase.real() * hop;
    energies.exchange += bond.j * (correlations.s_s(i, j) - 0.25 * correlations.n_n(i, j));
    energies.repulsion += bond.v * correlations.n_n(i, j);
  }
  for (const double d : correlations.double_occupancy) energies.interaction += model.parameters.u * d;
  return energies;
}

}  // namespace cisolve
