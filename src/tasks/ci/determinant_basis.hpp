// SPDX-License-Identifier: MIT
#pragma once

#include "tasks/ci/basis.hpp"

namespace cisolve {

/// Slater determinants of one Ms.
class DeterminantBasis final : public Basis {
public:
  /// @param job  must outlive this object
  DeterminantBasis(const CiJob& job, std::unique_ptr<Space<string_words>> space)
      : job_(job), space_(std::move(space)) {}

  std::int64_t size() const override { return space_->size(); }
  std::string function_name() const override { return "determinant"; }
  CiResult::Space describe() const override;
  void list(CiResult::Space& out, DeterminantOutput choice) const override;
  const Space<string_words>* determinants() const override { return space_.get(); }
  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override;
  std::int64_t rows_bytes(const IntegralTables& tables) const override;
  std::vector<double> diagonal() const override;
  Matrix dense_block(std::span<const std::int64_t> rows) const override;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override;
  Matrix s_squared_block(std::span<const std::int64_t> rows) const override;
  std::unique_ptr<SpinStructure> spin_structure() const override;
  std::unique_ptr<RowSource> s_squared_rows() const override;
  std::vector<double> averaged_diagonal(std::span<const double> diagonal) const override;
  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override;
  std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                            double minimum_weight) const override;
  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override;
  std::vector<double> project(const CiResult::Space& space, std::span<const std::span<const double>> vectors,
                              const std::string& name) const override;

private:
  const CiJob& job_;
  std::unique_ptr<Space<string_words>> space_;
};

}  // namespace cisolve
