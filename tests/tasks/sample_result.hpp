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
              .orbital_labels = {"2a1", "3a1", "1b1", "1b2", "4a1", "2b1", "1a2", "6a1"},
              .active_orbitals = {2, 3, 4, 5, 6, 7, 8, 10},
              .core_orbitals = {1},
              .left_out_orbitals = {11},
              .cas_orbitals = {4, 5},
              .max_holes_orbitals = {2},
              .max_particles_orbitals = {8, 10}};
  CiResult::Sector& sector = r.sectors.front();
  sector.irrep = 1;
  auto& space = sector.space;
  space.dimension = 70;
  space.reference_dimension = 3;
  space.excitation_level = 2;
  space.irrep = 1;
  space.spin_complete = false;
  space.hash = 0x0123456789abcdefU;
  space.level_counts = {1, 20, 49};
  space.reference = "22000000";
  for (std::uint64_t alpha = 0; alpha < 256; ++alpha) {
    for (std::uint64_t beta = 0; beta < 256 && space.alpha.size() < 70; ++beta) {
      if (std::popcount(alpha) != 2 || std::popcount(beta) != 2) continue;
      space.alpha.push_back(alpha);
      space.beta.push_back(beta);
    }
  }
  sector.hamiltonian = {.storage = "hybrid",
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
                        .device = "cpu, 2 threads",
                        .ranks = 3};
  sector.roots.resize(3);
  Root &ground = sector.roots[0], &second = sector.roots[1], &third = sector.roots[2];
  ground = {.energy = -76.123456789012,
            .residual_norm = 1.5e-8,
            .s_squared = -1e-14,
            .converged = true,
            .irrep = 1,
            .irrep_name = "A1",
            .reference_weight = 0.9,
            .davidson_q = -0.01,
            .renormalised_q = -0.011,
            .pople_q = -0.009,
            .angular_momentum = 4.0,
            .term = "1Delta",
            .leading = {{"22000000", 0.9, 0.81, "reference"}, {"20200000", -0.25, 0.0625, "2a1^2 -> 1b1^2"}}};
  second = {.energy = -75.9,
            .residual_norm = 2.5e-7,
            .s_squared = 2.0,
            .converged = true,
            .irrep = 2,
            .irrep_name = "B1",
            .reference_weight = 0.8,
            .davidson_q = -0.02,
            .renormalised_q = -0.025,
            .pople_q = -0.018,
            .leading = {{"2ud00000", 0.5, 0.25, "2a1(b) -> 1b1(b)"}}};
  third.energy = -75.85;
  third.residual_norm = 3.5e-5;
  third.irrep_name = "mixed";
  third.reference_weight = 0.3;
  const auto certificate = [](double residual_norm, double s_squared) {
    return Certificate{.passed = true,
                       .residual_norm = residual_norm,
                       .residual_in_rows = 0.5 * residual_norm,
                       .rows_checked = 40,
                       .norm_error = 1e-15,
                       .orthogonality_error = 2e-15,
                       .s_squared = s_squared,
                       .spin_deviation = 3e-9,
                       .symmetry_purity = 1.0};
  };
  ground.certificate = certificate(1.6e-8, 0.0);
  second.certificate = certificate(2.4e-7, 2.0);
  third.certificate = certificate(3.4e-5, 0.5);
  Array<double> vectors(3 * 70);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = std::sin(static_cast<double>(i));
  sector.vectors = std::make_shared<HeldVectors>(std::move(vectors), 70, 3);
  sector.solver = {
      .status = "not converged",
      .start = "model space of 20 determinants (1 of 1 reference)",
      .num_applications = 1234567,
      .history = {{1, SearchPhase::roots, 3, 3, 0.25, {-76.0, -75.0}, {0.1, 0.2}},
                  {2, SearchPhase::missed_roots, 6, 6, 0.5, {-76.1, -75.8, -75.7}, {1e-3, 2e-3, 3e-2}}}};
  r.order_roots();
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
