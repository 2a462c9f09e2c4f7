// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/hamiltonian/csf_rows.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/space/configuration_space.hpp"

namespace cisolve {

/// Configuration state functions of one S.
template <int Words>
class CsfBasis final : public Basis {
public:
  CsfBasis(const BasisDefinition& definition, std::unique_ptr<ConfigurationSpace<Words>> space);

  std::int64_t size() const override { return space_->size(); }
  BasisSummary summary() const override;
  FunctionList list(bool as_blocks) const override;
  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override;
  std::int64_t rows_bytes(const IntegralTables& tables) const override;
  std::int64_t bytes_outside_solver(int num_roots, bool with_densities) const override;
  std::vector<double> diagonal() const override;
  using Basis::dense_block;
  Matrix dense_block(std::span<const std::int64_t> rows) const override;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override;
  Matrix s_squared_block(std::span<const std::int64_t> rows) const override;
  std::optional<SpinStructure> spin_structure() const override { return std::nullopt; }
  std::unique_ptr<RowSource> s_squared_rows() const override { return nullptr; }
  std::vector<double> averaged_diagonal(std::span<const double> diagonal) const override {
    return {diagonal.begin(), diagonal.end()};
  }
  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override;
  std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                            double minimum_weight) const override;
  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override;
  std::vector<double> project(const FunctionView& functions,
                              std::span<const std::span<const double>> vectors) const override;

private:
  std::int64_t count_determinants() const;
  const Integrals& integrals() const { return *definition().integrals; }

  std::unique_ptr<ConfigurationSpace<Words>> space_;
  IntegralTables exact_;               ///< without threshold, for the diagonal and dense blocks
  CsfHamiltonian<Words> hamiltonian_;  ///< over those
  mutable std::weak_ptr<const CsfHamiltonian<Words>> of_rows_;  ///< what make_rows gave out last
};

}  // namespace cisolve
