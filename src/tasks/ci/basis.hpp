// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/model_rows.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// How the states of the wanted spin are told from the others in a basis that is closed under spin flips.
struct SpinStructure {
  std::int64_t dimension = 0;  ///< states of the wanted spin in the basis
  double wanted = 0.0;         ///< S (S + 1) of the wanted spin
  std::vector<double> others;  ///< S (S + 1) of all other spins in the basis, ascending
};

/// The functions that the states of one sector (irrep and multiplicity) are expanded in, as the tasks
/// see them: nothing else in `tasks` knows whether they are determinants or CSFs. Rows are numbered in
/// the order of files: references first.
class Basis {
public:
  virtual ~Basis() = default;

  virtual std::int64_t size() const = 0;

  /// "determinant": what a message calls one function.
  virtual std::string function_name() const = 0;

  /// The group `space` of the result file but for the lists of the functions.
  virtual CiResult::Space describe() const = 0;

  /// Those lists.
  /// @param choice  for determinants
  virtual void list(CiResult::Space& out, DeterminantOutput choice) const = 0;

  /// The determinants if that is what the functions are, else null.
  virtual const Space<string_words>* determinants() const { return nullptr; }

  /// Rows of H; `tables` and this basis must outlive them.
  virtual std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const = 0;

  /// Estimated bytes of what make_rows tabulates.
  virtual std::int64_t rows_bytes(const IntegralTables& tables) const = 0;

  /// The most bytes that are held while the functions are generated, or when the solver has ended and they
  /// are listed and its vectors analysed; 0: less than while it solves.
  virtual std::int64_t bytes_outside_solver(const CiConfig& config) const {
    static_cast<void>(config);
    return 0;
  }

  /// Diagonal of H, hartree.
  virtual std::vector<double> diagonal() const = 0;

  /// H over some rows, shape rows.size() x rows.size(), hartree.
  virtual Matrix dense_block(std::span<const std::int64_t> rows) const = 0;

  /// Rows in which start vectors are found; see choose_model_rows.
  virtual std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                               const ModelRowsConfig& config) const = 0;

  /// S^2 over some rows, shape rows.size() x rows.size(), hbar^2.
  virtual Matrix s_squared_block(std::span<const std::int64_t> rows) const = 0;

  /// How the states of the sector's spin are told from the others; null where the functions have that
  /// spin themselves, no spin is asked for, or the basis is not closed under spin flips.
  virtual std::unique_ptr<SpinStructure> spin_structure() const { return nullptr; }

  /// Where there is such a structure, rows of S^2, hbar^2; this basis must outlive them.
  virtual std::unique_ptr<RowSource> s_squared_rows() const { return nullptr; }

  /// Where there is such a structure, the diagonal of H averaged over each configuration, which commutes with S^2.
  /// @param diagonal  of H
  virtual std::vector<double> averaged_diagonal(std::span<const double> diagonal) const {
    return {diagonal.begin(), diagonal.end()};
  }

  /// Labels the roots and, within clusters, rotates their vectors; see label_states.
  virtual std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                        const ClusterConfig& config, std::vector<bool>* rotated) const = 0;

  /// The functions of largest weight in a vector; see leading_determinants.
  virtual std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                                    double minimum_weight) const = 0;

  /// One-particle density matrices of vectors over the functions.
  /// @param vectors  [size() x num_vectors], column-major
  virtual DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const = 0;

  /// The part of vectors of an earlier result that lies in this basis, not normalised: determinants and CSFs
  /// are expanded in each other. Empty where no function of one can have a part in those of the other:
  /// determinants of another Ms, CSFs of another spin or of one without a component of that Ms.
  /// @param vectors  each [space.dimension], of a space with its functions listed
  /// @param name     of the file, for messages
  /// @return [size() x vectors.size()], column-major
  /// @throws InputError if the file is damaged
  virtual std::vector<double> project(const CiResult::Space& space,
                                      std::span<const std::span<const double>> vectors,
                                      const std::string& name) const = 0;
};

/// The basis that space.basis asks for: the one place where it is chosen.
/// @param memory  bytes that may be used
/// @throws InputError     there is no function of the sector's irrep and spin
/// @throws ResourceError  it would not fit, said before anything is generated
std::unique_ptr<Basis> make_basis(const CiConfig& config, const CiJob& job, std::int64_t memory);
std::unique_ptr<Basis> make_basis(const CiConfig&, CiJob&&,
                                  std::int64_t) = delete;  // it would outlive the job

}  // namespace cisolve
