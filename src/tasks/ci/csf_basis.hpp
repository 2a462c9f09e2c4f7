// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/hamiltonian/csf_rows.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "tasks/ci/basis.hpp"

namespace cisolve {

/// Configuration state functions of one S.
class CsfBasis final : public Basis {
public:
  /// @param job  must outlive this object
  CsfBasis(const CiJob& job, std::unique_ptr<ConfigurationSpace<string_words>> space);

  std::int64_t size() const override { return space_->size(); }
  std::string function_name() const override { return "CSF"; }
  CiResult::Space describe() const override;
  void list(CiResult::Space& out, DeterminantOutput choice) const override;
  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override;
  std::int64_t rows_bytes(const IntegralTables& tables) const override;
  std::int64_t bytes_outside_solver(const CiConfig& config) const override;
  std::vector<double> diagonal() const override;
  Matrix dense_block(std::span<const std::int64_t> rows) const override;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override;
  Matrix s_squared_block(std::span<const std::int64_t> rows) const override;
  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override;
  std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                            double minimum_weight) const override;
  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override;
  std::vector<double> project(const CiResult::Space& space, std::span<const std::span<const double>> vectors,
                              const std::string& name) const override;

private:
  std::int64_t count_determinants() const;

  const CiJob& job_;
  std::unique_ptr<ConfigurationSpace<string_words>> space_;
  IntegralTables exact_;                      ///< without threshold, for the diagonal and dense blocks
  CsfHamiltonian<string_words> hamiltonian_;  ///< over those
  mutable std::weak_ptr<const CsfHamiltonian<string_words>> of_rows_;  ///< what make_rows gave out last
};

}  // namespace cisolve
