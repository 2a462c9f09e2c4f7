// SPDX-License-Identifier: MIT
#include "tasks/ci/certification.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/analysis/states.hpp"

namespace cisolve {
namespace {

/// Claims of a sector's roots.
StateClaims claims_of(const CiResult::Sector& sector, const CertifiedInput& input,
                      std::vector<double>& energies, std::vector<double>& residual_norms) {
  StateClaims claims;
  for (const Root& root : sector.roots) {
    energies.push_back(root.energy);
    residual_norms.push_back(root.residual_norm);
    claims.converged.push_back(root.converged);
    claims.irreps.push_back(root.irrep == 0 ? mixed_irrep : root.irrep - 1);
  }
  claims.energies = energies;
  claims.residual_norms = residual_norms;
  claims.vectors = sector.vectors.get();
  claims.tolerance = input.tolerance;
  if (sector.multiplicity > 0 && sector.space.spin_complete && !input.follow)
    claims.twice_spin = sector.multiplicity - 1;
  return claims;
}

/// What is known of missed roots: by this run, or by the one that left the certificates.
MissedRootProbe probe_of(const CiResult::Sector& sector) {
  const std::optional<Certificate>& earlier = sector.roots.front().certificate;
  if (sector.probe.starts > 0 || !earlier) return sector.probe;
  return {earlier->probe_starts, earlier->probe_products, earlier->probe_energy};
}

}  // namespace

CertificateConfig certificate_config(const CiResult::Sector& sector, double share, std::uint64_t seed) {
  CertificateConfig config;
  const double products =
      static_cast<double>(sector.solver.num_applications) * product_nanoseconds(sector.hamiltonian);
  config.budget = std::max(config.budget, share * products);
  constexpr double of_spins = 0.5;  // of what the rows of H may cost
  config.spin_budget = std::max(config.spin_budget, of_spins * config.budget);
  config.seed = sector.space.hash ^ seed;
  return config;
}

void certify_sector(const Integrals& integrals, const CertifiedInput& input, const FunctionList& functions,
                    const CertificateConfig& config, CiResult::Sector& sector) {
  if (sector.roots.empty() || !sector.vectors) return;
  const auto rows = make_definition_rows(integrals, sector.space, functions, input.threshold);
  std::vector<double> energies, residual_norms;
  const auto certificates = certify(*rows, claims_of(sector, input, energies, residual_norms), config);
  const MissedRootProbe probe = probe_of(sector);
  for (std::size_t k = 0; k < certificates.size(); ++k) {
    const Root& root = sector.roots[k];
    Certificate& certificate = sector.roots[k].certificate.emplace(certificates[k]);
    certificate.probe_starts = probe.starts;
    certificate.probe_products = probe.products;
    certificate.probe_energy = probe.lowest;
    // Those below what was missed are right.
    if (!(probe.lowest < root.energy - missed_root_margin(root.residual_norm))) continue;
    certificate.passed = false;
    certificate.failure += fmt::format("{}a root was missed: there is a state at {:.6f} hartree or below",
                                       certificate.failure.empty() ? "" : "; ", probe.lowest);
  }
}

}  // namespace cisolve
