// SPDX-License-Identifier: MIT
#include "cisolve/lattice/lattice_integrals.hpp"

#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

void require(bool holds, const char* message) {
  if (!holds) throw DimensionError(message);
}

/// C_ip C_iq over the pairs pq, for each site: [pairs x sites].
Matrix pair_products(const Matrix& c) {
  const int sites = c.rows(), orbitals = c.columns();
  Matrix products(static_cast<int>(num_pairs(orbitals)), sites);
  for (int i = 0; i < sites; ++i) {
    for (int p = 0; p < orbitals; ++p) {
      for (int q = 0; q <= p; ++q) products(static_cast<int>(pair_index(p, q)), i) = c(i, p) * c(i, q);
    }
  }
  return products;
}

/// sum_ij c_ip h_ij c_jq of the bonds' hopping.
double hopping_element(const LatticeModel& model, const Matrix& c, int p, int q) {
  double sum = 0.0;
  for (const auto& [pair, t, j, v] : model.bonds)
    sum -= t * pair.phase.real() * (c(pair.i, p) * c(pair.j, q) + c(pair.j, p) * c(pair.i, q));
  return sum;
}

}  // namespace

Integrals hubbard_integrals(const LatticeModel& model, const LatticeOrbitals& orbitals) {
  require(!model.is_t_j() && !model.is_complex(), "hubbard_integrals: the model is t-J, or complex");
  const int n = orbitals.coefficients.columns();
  const Matrix& c = orbitals.coefficients;
  Integrals v(n);
  v.irreps = orbitals.irreps;
  const auto irrep = [&](int p, int q) { return v.irreps[p] ^ v.irreps[q]; };
  const Matrix products = pair_products(c);
  const double u = model.parameters.u;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      if (irrep(p, q) == 0) v.h(p, q) = hopping_element(model, c, p, q);
      const int pq = static_cast<int>(pair_index(p, q));
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          if (irrep(p, q) != irrep(r, s)) continue;
          const int rs = static_cast<int>(pair_index(r, s));
          double sum = 0.0;
          for (int i = 0; i < model.sites(); ++i) sum += u * products(pq, i) * products(rs, i);
          for (const LatticeBond& bond : model.bonds) {
            if (bond.v == 0.0) continue;
            const auto [i, j, phase] = bond.pair;
            sum += bond.v * (products(pq, i) * products(rs, j) + products(pq, j) * products(rs, i));
          }
          v.eri(p, q, r, s) = sum;
        }
      }
    }
  }
  return v;
}

ComplexIntegrals complex_hubbard_integrals(const LatticeModel& model) {
  require(!model.is_t_j(), "complex_hubbard_integrals: the model is t-J");
  ComplexIntegrals v(model.sites(), false);
  for (int i = 0; i < model.sites(); ++i) v.eri(i, i, i, i) = model.parameters.u;
  for (const LatticeBond& bond : model.bonds) {
    const auto [i, j, phase] = bond.pair;
    v.h(i, j) -= bond.t * phase;
    v.h(j, i) -= bond.t * std::conj(phase);
    v.eri(i, i, j, j) += bond.v;
  }
  return v;
}

Integrals t_j_integrals(const LatticeModel& model) {
  require(model.is_t_j() && !model.is_complex(), "t_j_integrals: the model is Hubbard's, or complex");
  Integrals v(model.sites());
  for (const LatticeBond& bond : model.bonds) {
    const auto [i, j, phase] = bond.pair;
    v.h(i, j) -= bond.t * phase.real();
    v.eri(i, i, j, j) += bond.v - 0.5 * bond.j;
    v.eri(i, j, i, j) -= 0.5 * bond.j;
  }
  return v;
}

}  // namespace cisolve
