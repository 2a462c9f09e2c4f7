// SPDX-License-Identifier: MIT
#include "tasks/ci/basis.hpp"

#include "tasks/ci/csf_basis.hpp"
#include "tasks/ci/determinant_basis.hpp"
#include "tasks/ci/job/csf_job.hpp"

namespace cisolve {

std::unique_ptr<Basis> make_basis(const CiConfig& config, const CiJob& job, std::int64_t memory) {
  if (config.basis == BasisChoice::csf) {
    return std::make_unique<CsfBasis>(job, build_configuration_space(config, job, memory));
  }
  return std::make_unique<DeterminantBasis>(job, build_space(job, memory));
}

}  // namespace cisolve
