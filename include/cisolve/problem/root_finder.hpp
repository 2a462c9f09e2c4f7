// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/problem/plan.hpp"
#include "cisolve/problem/problem.hpp"
#include "cisolve/problem/requests.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/solver/missed_roots.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

/// Handed to the observer of a search after each iteration.
struct SearchState {
  const IterationRecord& record;
  const std::vector<IterationRecord>& history;
  /// What a later search can go on from; valid until the observer returns. Columns are to be read one after another.
  std::function<std::unique_ptr<VectorSource>()> restart_vectors;
  Requests requests = {};  ///< that came to other processes since the iteration before
};

/// From what, and how long, roots are sought.
struct Search {
  int num_roots = 0;       ///< 0: as many as planned for, if there are so many
  double tolerance = 0.0;  ///< hartree; 0: as planned
  int max_iterations = 0;  ///< 0: as planned
  std::shared_ptr<const VectorSource> start =
      {};                                     ///< what is known of them, read piece by piece; null: nothing
  bool continues = false;                     ///< `start` is what a search left, taken as it is
  bool add_model_space = false;               ///< beside `start`, what the model space has beyond it
  std::vector<IterationRecord> history = {};  ///< of the search that this one goes on from
  std::function<SolverAction(const SearchState&)> observer = {};

  int num_start() const { return start ? start->columns() : 0; }
};

/// The roots that were found, ascending.
struct Roots {
  SolverStatus status = SolverStatus::not_converged;
  std::vector<double> energies, residual_norms;  ///< hartree
  std::vector<bool> converged;
  std::shared_ptr<VectorSource>
      vectors;  ///< orthonormal, where they were found; the finder must outlive them
  std::vector<IterationRecord> history;
  std::int64_t num_applications = 0;  ///< of H to a vector
};

/// What was built to apply H.
struct HamiltonianSummary {
  std::string storage;
  std::int64_t rows = 0, nonzeros = 0, bytes = 0;
  std::int64_t ell_width = 0, tail_nonzeros = 0;  ///< hybrid
  std::int64_t csr_bytes = 0, ell_bytes = 0;      ///< what those formats would take
  double reference_sparsity = 0.0, expansion_sparsity = 0.0, sparsity = 0.0;
  double build_seconds = 0.0, transfer_seconds = 0.0;
  std::string device;      ///< e.g. "cpu, 2 threads", "NVIDIA H200"
  std::int64_t ranks = 1;  ///< that had the rows of vectors among them
};

/// Finds eigenstates of a planned problem, on the host or on a device.
class RootFinder {
public:
  virtual ~RootFinder() = default;

  virtual const HamiltonianSummary& hamiltonian() const = 0;

  /// The rows in which H is diagonalised for start vectors and preconditioner: when they are first asked for.
  virtual const ModelSpace& model_space() = 0;

  /// Wants fewer of these rows than suit a search from scratch: beside good start vectors, diagonalising them can take
  /// longer than the products that they save.
  /// @param rows  about so many, and what the roots and open shells need beyond that
  /// @pre nobody has asked for the model space yet
  virtual void limit_model_space(std::int64_t rows) = 0;

  /// States among which roots are sought now: of the wanted spin or parity, where searches are kept to it.
  virtual std::int64_t num_states() const = 0;

  /// Whether roots of other spins can be told from those wanted by a projection.
  virtual bool separates_spins() const = 0;

  /// Whether they can be but are not yet: those wanted are expected to lie lowest, and project_on_spin costs products
  /// with S^2.
  virtual bool may_project_on_spin() const = 0;

  /// Keeps further searches to the wanted spin.
  virtual void project_on_spin() = 0;

  /// Finds the lowest roots by the block Davidson method; see davidson.
  virtual Roots solve(const Search& search) = 0;

  /// y = H x, for vectors on the host; of a parity planned with, where H is applied string by string.
  /// @param x  [rows x any], column-major
  /// @param y  as many; does not overlap x
  virtual void apply(std::span<const double> x, std::span<double> y) const = 0;

  /// The device whose memory the finder works in; none: the host's.
  virtual std::optional<int> device() const = 0;

  /// y = H x, for vectors in the memory that the finder works in, where no copy is made. On a device it waits for all
  /// that was begun there, and has ended on return.
  /// @param x, y  [rows x columns], column-major; do not overlap
  virtual void apply_there(const double* x, int columns, double* y) const = 0;

  /// ||H c - E c|| of some vectors, hartree.
  /// @param vectors  [rows x energies.size()], column-major
  virtual std::vector<double> residual_norms(std::span<const double> vectors,
                                             std::span<const double> energies) const = 0;

  /// The same of vectors anywhere: those that its searches found are taken where they are.
  virtual std::vector<double> residual_norms(const VectorSource& vectors,
                                             std::span<const double> energies) const;

  /// Looks for a root below the highest of those found, see probe_missed_roots. Nothing is done where searches are not
  /// kept to the wanted spin yet: roots of another spin may well lie lower.
  /// @param vectors        [rows x roots], column-major, orthonormal: all that a search found
  /// @param lowest         energy of the lowest of them, hartree
  /// @param highest        energy of the highest of them, hartree
  /// @param most_products  of H with a vector
  /// @param[out] below     what was found below the highest, normalised and orthogonal to all; empty: nothing was
  virtual MissedRootProbe probe(std::span<const double> vectors, double lowest, double highest,
                                std::int64_t most_products, std::vector<double>& below) const = 0;

  /// The same with vectors anywhere, likewise.
  virtual MissedRootProbe probe(const VectorSource& vectors, double lowest, double highest,
                                std::int64_t most_products, std::vector<double>& below) const;

  /// What label_states does, where the vectors are and for functions of one irrep: within clusters they become
  /// eigenvectors of S^2, and each gets its sign.
  /// @param vectors   that a search of this finder found
  /// @param energies  of them, ascending, hartree
  /// @param[out] rotated  true for each vector of a cluster
  /// @return <S^2> of each, hbar^2; none: nothing was done, as S^2 is not applied there, and Basis::label is to be asked
  virtual std::optional<std::vector<double>> resolve_spins(VectorSource& vectors,
                                                           std::span<const double> energies,
                                                           const ClusterConfig& config,
                                                           std::vector<bool>& rotated);

  /// leading_determinants of a vector anywhere, likewise.
  virtual std::vector<LeadingDeterminant> leading(const VectorSource& vectors, int column, int most,
                                                  double minimum_weight) const;

  /// Copies vectors for when this object is gone: to the host, where several processes share them each its rows.
  /// @param vectors  that a search of this finder found, or some of those (ChosenVectors); others stay as they are
  virtual std::shared_ptr<const VectorSource> keep(const std::shared_ptr<const VectorSource>& vectors) const;

  /// <c|H|c> of a vector that is zero but in some rows, hartree.
  /// @param coefficients  [rows.size()]
  virtual double expectation(std::span<const std::int64_t> rows,
                             std::span<const double> coefficients) const = 0;

  /// One-particle density and transition density matrices of vectors, where the finder makes them sooner than
  /// Basis::spin_densities does: on a device, of determinants in blocks of strings, where there is room for that. Those
  /// that its searches found are taken where they are, others are brought there.
  /// @param vectors  [rows x any]
  /// @param pairs    of every vector with every other; false: of each with itself, the others are left empty
  /// @return none: the basis is to be asked
  /// @throws CudaError
  virtual std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const = 0;
};

/// Builds what the plan says.
/// @param problem  must outlive the root finder
/// @param options  progress of, and a request to stop, the building of a matrix
/// @throws ResourceError  memory is less than was planned with
/// @throws Interrupted, CudaError
std::unique_ptr<RootFinder> make_root_finder(const Problem& problem, Plan plan,
                                             const BuildOptions& options = {});

}  // namespace cisolve
