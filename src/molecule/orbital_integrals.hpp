// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"

namespace cisolve {

/// Orbitals count over all of them, active pairs u >= v as pair_index(u, v) over the active ones.
struct OrbitalIntegrals::Data {
  ClassifiedOrbitals orbitals;
  std::vector<int> inactive, active;
  double inactive_energy = 0.0;   ///< nuclei, and inactive orbitals with themselves, hartree
  Eigen::MatrixXd inactive_fock;  ///< F^I = h + sum_i [2 (pq|ii) - (pi|iq)]
  Eigen::MatrixXd coulomb;        ///< (pq|uv): a column per pair uv, of all q n + p
  Eigen::MatrixXd exchange;       ///< (pu|qv): likewise
};

namespace detail {

/// (mn|uv) and (mu|nv) over all functions m, n and active u >= v: a column per pair uv, of all n N + m.
struct ActivePairIntegrals {
  Eigen::MatrixXd coulomb, exchange;
};

/// One pass over the rows of integrals, or as many as `max_bytes` asks for.
/// @param active  coefficients [functions x active]
ActivePairIntegrals active_pair_integrals(const Repulsion& repulsion, const Eigen::MatrixXd& active,
                                          std::int64_t max_bytes);

}  // namespace detail
}  // namespace cisolve
