// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve::test {

/// A result with every field set to something else, of 3 roots in 70 determinants (4 in 8 orbitals).
inline CiResult sample_result() {
  CiResult r;
  r.version = "1.2.3";
  r.created = "2024-05-17T09:30:00Z";
  r.title = "Wasser, 6-31G(d), für alle";
  r.input_text = "[integrals]\nfile = \"h2o.fcidump\"\n";
  r.resolved_text = r.input_text + "# resolved\n";
  r.system = {.integrals_file = "h2o.fcidump",
              .n_orbitals = 8,
              .n_electrons = 4,
              .ms2 = 0,
              .n_frozen_core = 1,
              .n_frozen_virtual = 2,
              .core_energy = 9.1875,
              .reference_energy = -75.98,
              .scf_energy = -75.99,
              .point_group = "C2v",
              .integrals_hash = 0xfedcba9876543210U,
              .orbital_irreps = {1, 1, 2, 3, 1, 2, 4, 1},
              .active_orbitals = {2, 3, 4, 5, 6, 7, 8, 10},
              .core_orbitals = {1}};
  auto& space = r.space;
  space.dimension = 70;
  space.reference_dimension = 3;
  space.excitation_level = 2;
  space.irrep = 1;
  space.spin_complete = false;
  space.hash = 0x0123456789abcdefU;
  space.level_counts = {1, 20, 49};
  space.reference = "22000000";
  for (std::uint64_t bits = 0; bits < 256; ++bits) {
    if (std::popcount(bits) != 4) continue;
    space.alpha.push_back(bits);
    space.beta.push_back(bits << 56);
  }
  r.hamiltonian = {.storage = "hybrid",
                   .rows = 70,
                   .nonzeros = 1234,
                   .bytes = 374089620,
                   .ell_width = 12,
                   .tail_nonzeros = 394,
                   .csr_bytes = 1500,
                   .ell_bytes = 23456,
                   .reference_sparsity = 0.25,
                   .expansion_sparsity = 0.75,
                   .sparsity = 0.748163,
                   .build_seconds = 0.125,
                   .device = "cpu, 2 threads"};
  auto& states = r.states;
  states.energy = {-76.123456789012, -75.9, -75.85};
  states.residual_norm = {1.5e-8, 2.5e-7, 3.5e-5};
  states.s_squared = {-1e-14, 2.0, 0.0};
  states.converged = {1, 1, 0};
  states.irrep = {1, 2, 0};
  states.irrep_name = {"A1", "B1", "mixed"};
  states.reference_weight = {0.9, 0.8, 0.3};
  states.davidson_q = {-0.01, -0.02, std::nan("")};
  states.renormalised_q = {-0.011, -0.025, std::nan("")};
  states.pople_q = {-0.009, -0.018, std::nan("")};
  states.leading = {{{"22000000", 0.9, 0.81}, {"20200000", -0.25, 0.0625}}, {{"2ud00000", 0.5, 0.25}}, {}};
  states.vectors = Array<double>(3 * 70);
  for (std::size_t i = 0; i < states.vectors.size(); ++i) {
    states.vectors[i] = std::sin(static_cast<double>(i));
  }
  r.solver.status = "not converged";
  r.solver.start = "model space of 20 determinants (1 of 1 reference)";
  r.solver.num_applications = 1234567;
  r.solver.history = {{1, 3, 3, 0.25, {-76.0, -75.0}, {0.1, 0.2}},
                      {2, 6, 6, 0.5, {-76.1, -75.8, -75.7}, {1e-3, 2e-3, 3e-2}}};
  r.timing = {.integrals = 0.1,
              .space = 0.2,
              .hamiltonian = 1.5,
              .transfer = 0.05,
              .solve = 2.25,
              .analysis = 0.3,
              .total = 4.75};
  r.warnings = {"the space is not spin-complete", "root 3 is not converged"};
  return r;
}

}  // namespace cisolve::test
