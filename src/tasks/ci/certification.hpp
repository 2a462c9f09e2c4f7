// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/problem/certificate.hpp"
#include "cisolve/problem/state_search.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// What certificates have to know of an input.
struct CertifiedInput {
  double tolerance = 0.0;  ///< solver.tolerance, hartree
  double threshold = 0.0;  ///< hamiltonian.threshold, hartree
  bool follow = false;     ///< solver.follow: roots may be of any spin

  static CertifiedInput of(const CiConfig& config) {
    return {config.tolerance, config.threshold, config.follow};
  }
};

/// How much of the time of a sector's solution its certificates may take.
/// @param share  of the products with H, on one processor
/// @param seed   other rows are drawn for another
CertificateConfig certificate_config(const CiResult::Sector& sector, double share, std::uint64_t seed = 0);

/// What a run spends on certificates: well below the 2% that a run of a minute may take.
inline constexpr double share_in_run = 0.01;

/// Gives each root of a sector its certificate.
/// @param functions  of the sector's space
/// @throws InputError  the functions are damaged
void certify_sector(const Integrals& integrals, const CertifiedInput& input, const FunctionList& functions,
                    const CertificateConfig& config, CiResult::Sector& sector);

}  // namespace cisolve
