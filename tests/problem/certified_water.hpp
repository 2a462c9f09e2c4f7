// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/certificate.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve::test {

inline const Resources roomy{.memory = std::int64_t{8} << 30, .devices = {}};

inline FcidumpFile water() {
  return read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump", {});
}

/// Singlets of water, all irreps: singles and doubles of one reference, in determinants or CSFs.
inline BasisDefinition singles_and_doubles(const Integrals& integrals, FunctionKind kind) {
  BasisDefinition made;
  made.integrals = std::make_shared<const Integrals>(integrals);
  made.multiplicity = 1;
  if (kind == FunctionKind::csf) {
    CsfSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(5), {}}};
    selection.excitation_level = 2;
    made.functions = selection;
  } else {
    DeterminantSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(5), WideString::lowest(5)}};
    selection.excitation_level = 2;
    made.functions = selection;
  }
  return made;
}

/// Roots of a problem, with what a certificate is given of them.
struct Solved {
  explicit Solved(const Problem& problem, const std::string& storage = "csr") {
    PlanOptions options;
    options.storage = storage;
    options.solver.num_roots = 3;
    const auto finder = make_root_finder(problem, make_plan(problem, options, roomy));
    const Roots roots = finder->solve({});
    energies = roots.energies;
    Array<double> buffer;
    const auto columns = roots.vectors->view(0, roots.vectors->columns(), buffer);
    vectors.assign(columns.begin(), columns.end());
    irreps.clear();
    for (const StateLabel& label : problem.basis->label(energies, vectors, {}, nullptr))
      irreps.push_back(label.irrep);
    residual_norms = finder->residual_norms(vectors, energies);
    converged = roots.converged;
  }

  StateClaims claims() const {
    StateClaims claims;
    claims.energies = energies;
    claims.residual_norms = residual_norms;
    seen.emplace(vectors, std::ssize(vectors) / std::ssize(energies), static_cast<int>(energies.size()));
    claims.vectors = &*seen;
    claims.converged = converged;
    claims.irreps = irreps;
    claims.tolerance = tolerance;
    claims.twice_spin = 0;
    return claims;
  }

  std::vector<double> energies, residual_norms, vectors;
  std::vector<bool> converged;
  std::vector<int> irreps;
  double tolerance = DavidsonConfig().tolerance;
  mutable std::optional<SeenVectors> seen;  ///< by the last claims
};

/// Some rows at random, so few that errors show in spite of the sampling.
inline CertificateConfig sampled(std::uint64_t seed = 1) {
  CertificateConfig config;
  config.budget = 0.0;
  config.spin_budget = 0.0;
  config.fewest_rows = config.least_rows = 40;
  config.seed = seed;
  return config;
}

/// A basis, and the same as a file would hold it.
class CertificateOf : public testing::TestWithParam<FunctionKind> {
protected:
  const FcidumpFile file_ = water();
  const Problem problem_{make_basis(singles_and_doubles(file_.integrals, GetParam()), roomy.memory)};
  const BasisSummary summary_ = problem_.basis->summary();
  const FunctionList list_ = problem_.basis->list(false);

  std::unique_ptr<DefinitionRows> rows(double threshold = 0.0) const {
    return make_definition_rows(file_.integrals, summary_, list_, threshold);
  }
};

}  // namespace cisolve::test
