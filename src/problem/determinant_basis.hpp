// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "cisolve/problem/basis.hpp"

namespace cisolve {

/// Slater determinants of one Ms.
template <int Words>
class DeterminantBasis final : public Basis {
public:
  DeterminantBasis(const BasisDefinition& definition, const SpaceSelection<Words>& selection,
                   std::unique_ptr<Space<Words>> space);

  std::int64_t size() const override { return space_->size(); }
  BasisSummary summary() const override;
  FunctionList list(bool as_blocks) const override;
  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override;
  std::int64_t rows_bytes(const IntegralTables& tables) const override;
  const StringProduct* as_product() const override { return space_->as_product(); }
  std::int64_t bytes_outside_solver(int, bool) const override { return 0; }
  std::vector<double> diagonal() const override;
  Matrix dense_block(std::span<const std::int64_t> rows) const override;
  Matrix dense_block(std::span<const std::int64_t> rows, SpinParity parity, double shift) const override;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override;
  Matrix s_squared_block(std::span<const std::int64_t> rows) const override;
  std::optional<SpinStructure> spin_structure() const override;
  std::unique_ptr<RowSource> s_squared_rows() const override;
  std::vector<double> averaged_diagonal(std::span<const double> diagonal) const override;
  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override;
  std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                            double minimum_weight) const override;
  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override;
  std::vector<double> project(const FunctionView& functions,
                              std::span<const std::span<const double>> vectors) const override;

private:
  int ms2() const { return space_->num_alpha() - space_->num_beta(); }
  const Integrals& integrals() const { return *definition().integrals; }

  SpaceSelection<Words> selection_;
  bool spin_complete_;
  std::unique_ptr<Space<Words>> space_;
};

}  // namespace cisolve
