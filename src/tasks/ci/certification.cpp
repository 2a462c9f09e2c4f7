// SPDX-License-Identifier: MIT
#include "tasks/ci/certification.hpp"

#include <algorithm>

#include "cisolve/analysis/states.hpp"

namespace cisolve {
namespace {

/// Claims of a sector's roots.
StateClaims claims_of(const CiResult::Sector& sector, const CertifiedInput& input,
                      std::span<const double> vectors, std::vector<double>& energies,
                      std::vector<double>& residual_norms) {
  StateClaims claims;
  for (const Root& root : sector.roots) {
    energies.push_back(root.energy);
    residual_norms.push_back(root.residual_norm);
    claims.converged.push_back(root.converged);
    claims.irreps.push_back(root.irrep == 0 ? mixed_irrep : root.irrep - 1);
  }
  claims.energies = energies;
  claims.residual_norms = residual_norms;
  claims.vectors = vectors;
  claims.tolerance = input.tolerance;
  if (sector.multiplicity > 0 && sector.space.spin_complete && !input.follow)
    claims.twice_spin = sector.multiplicity - 1;
  return claims;
}

}  // namespace

CertificateConfig certificate_config(const CiResult::Sector& sector, double share) {
  // Nanoseconds of a product per nonzero, as if H were stored; a device is that much faster than one processor.
  constexpr double of_nonzero = 1.0, on_device = 1.0 / 40.0;
  CertificateConfig config;
  const bool is_host = sector.hamiltonian.device.starts_with("cpu");
  const double products = static_cast<double>(sector.solver.num_applications) *
                          static_cast<double>(sector.hamiltonian.nonzeros) * of_nonzero *
                          (is_host ? 1.0 : on_device);
  config.budget = std::max(config.budget, share * products);
  config.seed = sector.space.hash;
  return config;
}

void certify_sector(const Integrals& integrals, const CertifiedInput& input, const FunctionList& functions,
                    const CertificateConfig& config, CiResult::Sector& sector) {
  if (sector.roots.empty() || !sector.vectors) return;
  const auto rows = make_definition_rows(integrals, sector.space, functions, input.threshold);
  Array<double> buffer;
  std::vector<double> energies, residual_norms;
  const auto vectors = sector.vectors->view(0, static_cast<int>(sector.roots.size()), buffer);
  const auto certificates =
      certify(*rows, claims_of(sector, input, vectors, energies, residual_norms), config);
  for (std::size_t k = 0; k < certificates.size(); ++k) sector.roots[k].certificate = certificates[k];
}

}  // namespace cisolve
