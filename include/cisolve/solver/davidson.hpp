// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/operator.hpp"
#include "cisolve/vectors/vector_backend.hpp"

namespace cisolve {

/// What `davidson` is to find, how exactly, and with how much memory.
struct DavidsonConfig {
  int num_roots = 1;             ///< roots wanted, >= 1; fewer are returned if the matrix is smaller
  double tolerance = 1e-6;       ///< residual norm ||H c - E S c|| where c^H S c = 1, hartree, > 0
  int max_iterations = 100;      ///< block iterations of this call, >= 1
  int max_subspace = 0;          ///< basis vectors before a restart; 0: default_subspace(num_roots).
                                 ///< Raised to what num_roots and the start block need
  std::int64_t max_columns = 0;  ///< vectors of the matrix's order that may be allocated; 0: any number.
                                 ///< The subspace shrinks until davidson_columns is no more than that,
                                 ///< a start block of more columns than then fit is cut, and clusters
                                 ///< are completed as far as vectors are left
  double cluster_width = 1e-7;   ///< hartree; roots closer than this belong together: a cluster that
                                 ///< num_roots would cut is completed with further roots
  double orthogonality_floor = 1e-10;  ///< a direction whose norm falls below this fraction of
                                       ///< itself while being orthogonalised is linearly dependent
  double denominator_floor = 1e-4;     ///< hartree; smallest |E - H_ii / S_ii| in the preconditioner
  double metric_floor = 1e-10;         ///< a direction x whose x^H S x / x^H x is below this fraction of
                                       ///< the largest S_ii is taken as in the null space of the metric S
                                       ///< and left out: rounding is 1e-16 / 1e-10 of its square, and more
                                       ///< would show in the orthogonality of the basis
  int stagnation_window = 20;          ///< iterations without any progress that end the run
  double start_perturbation = 1e-4;    ///< norm of the pseudo-random vector added to each normalised start
                                       ///< vector, so that a root of a block of H (a spin, an irrep) in
                                       ///< which no start vector lives isn't missed; 0: none. Raised to 100
                                       ///< times the tolerance (hartree): it must not pass for converged
  double guard_margin = 4.0;  ///< a guard root above the wanted ones is left alone once this many times
                              ///< its second-order energy correction cannot bring it into their cluster
  int watched_roots = 0;  ///< roots above the wanted ones that are followed, too, until the next holds: what
                          ///< no search from as many vectors shows, further states of a degenerate level,
                          ///< comes up among them
  double watched_tolerance = 1e-2;  ///< residual norm that ends that, hartree, > 0
  bool follow_start = false;  ///< track the Ritz vectors of largest overlap with the first num_roots start
                              ///< vectors, whatever lies below them, instead of the lowest; no clusters are
                              ///< completed, and no lower root is looked for
  bool resumes =
      true;  ///< start vectors with a history are where that stopped, and its search for missed roots
             ///< goes on; false: they begin another search, whose iterations are counted on
  double filter_threshold = 1e-12;  ///< largest part outside a SubspaceFilter's subspace that a normalised
                                    ///< basis vector may have. The Ritz vectors then have at most sqrt(basis
                                    ///< vectors) times that, and its effect on energies is the square
  double exploration_margin = 1.0;  ///< before the run ends, a low diagonal element that lies above the
                                    ///< highest root by less than this many times that root's own distance
                                    ///< to its leading diagonal element gets a basis vector, unless it has
                                    ///< one: a missed root or partner may be dominated by it; 0: none
  std::int64_t long_vectors = 1'000'000'000;  ///< rows; of longer vectors restart_vectors hands out two for
                                              ///< each tracked root, since files of more take too long
};

/// Basis vectors kept by default before a restart: 2 (this number) + few vectors of length n are stored.
/// Larger costs memory and orthogonalisation; smaller costs applications of H.
int default_subspace(int num_roots);

enum class SolverStatus { converged, not_converged, stagnated, interrupted };

/// What an iteration is for. Numbers as in files.
enum class SearchPhase {
  roots = 0,     ///< the wanted roots converge
  new_root = 1,  ///< likewise, after another root came up among them that the start vectors had not shown
  missed_roots =
      2,  ///< they were converged; low rows of which the basis held little were added, which a missed
          ///< root might be made of
  next_root =
      3  ///< they were converged; the root above them is followed until it is clear whether it belongs
         ///< to their cluster
};

/// One block iteration.
struct IterationRecord {
  int iteration = 0;  ///< from 1; counts on after a restart from a checkpoint
  SearchPhase phase = SearchPhase::roots;
  int subspace_size = 0;
  std::int64_t num_applications = 0;   ///< H times one vector, since the start of the run, also before
                                       ///< a restart from a checkpoint
  double seconds = 0.0;                ///< since the start of the run, likewise
  std::vector<double> energies;        ///< hartree, one per tracked root (wanted, then guard), ascending
  std::vector<double> residual_norms;  ///< hartree
};

/// What the observer tells the solver after each iteration.
enum class SolverAction { proceed, stop };

/// The block from which a later run can restart the subspace: the Ritz vectors of all tracked roots followed
/// by the directions a thick restart would keep; of long vectors (DavidsonConfig) by those of the iteration before alone.
/// Orthonormal; valid until the observer returns.
template <VectorBackend Backend>
struct RestartVectors {
  int columns = 0;
  /// Computes a column; valid until the next call.
  std::function<typename Backend::ConstView(int column)> column;
};

/// Handed to the observer after each iteration.
template <VectorBackend Backend>
struct SolverState {
  const IterationRecord& record;
  const std::vector<IterationRecord>& history;
  std::function<RestartVectors<Backend>()> restart_vectors;
};

template <VectorBackend Backend>
using SolverObserver = std::function<SolverAction(const SolverState<Backend>&)>;

/// The roots found, ascending; all arrays have the same length.
template <VectorBackend Backend>
struct EigenResult {
  SolverStatus status = SolverStatus::not_converged;
  std::vector<double> energies;        ///< hartree
  std::vector<double> residual_norms;  ///< hartree
  std::vector<bool> converged;
  typename Backend::Block vectors;  ///< n x roots, orthonormal
  std::vector<IterationRecord> history;
  std::int64_t num_applications = 0;  ///< H times one vector, as in the last record
};

/// A small set of rows in which H is diagonalised exactly: the preconditioner inverts H - E S there
/// and uses the diagonals elsewhere. Empty: diagonals everywhere.
template <VectorScalar Scalar>
struct BasicModelSpace {
  std::vector<std::int64_t> rows;  ///< distinct
  std::vector<double> energies;    ///< of H(rows, rows) c = E S(rows, rows) c, ascending
  BasicMatrix<Scalar> vectors;     ///< c, rows.size() x energies.size(), orthonormal in S(rows, rows)
};
using ModelSpace = BasicModelSpace<double>;

/// Start vectors, made a few at a time, so that they need no memory of their own.
template <VectorBackend Backend>
struct StartBlock {
  int columns = 0;  ///< >= 1
  /// Writes columns first .. first + out.columns - 1.
  std::function<void(int first, typename Backend::View out)> write;
};

/// Diagonalises the dense block of `h` over `rows`, in that of its metric if it has one.
/// @param h             the problem
/// @param rows          of the model space
/// @param metric_floor  see DavidsonConfig
/// @throws DimensionError if a row is not in the matrix or listed twice
template <VectorBackend Backend>
BasicModelSpace<typename Backend::Scalar> make_model_space(
    const Operator<Backend>& h, std::vector<std::int64_t> rows,
    double metric_floor = DavidsonConfig().metric_floor);

/// Vectors of the matrix's order that `davidson` allocates: basis, products, work, result. Completing a
/// cluster of roots takes more. For planning memory before a run.
/// @param config  of the run
/// @param size    order of the matrix
/// @param metric  whether the problem has one
int davidson_columns(const DavidsonConfig& config, std::int64_t size, bool metric = false);

/// Basis vectors that `davidson` holds before a restart.
/// @param config  of the run
/// @param size    order of the matrix
/// @param metric  whether the problem has one
int davidson_subspace(const DavidsonConfig& config, std::int64_t size, bool metric = false);

/// Lowest eigenpairs of `h` by the block Davidson-Liu method with thick restart; of H c = E S c if it has a
/// metric. All vectors are then orthonormal in the metric.
///
/// Each iteration applies H to the new basis vectors alone, diagonalises H in the basis, and expands
/// it by one correction vector per wanted root whose residual is above the tolerance: the
/// preconditioned residual with Olsen's correction. A matrix of few rows is diagonalised whole.
/// If the returned roots would cut a cluster, it is completed as far as a third of the subspace
/// holds it. Runs with the same start give the same bits.
///
/// @param start        n x m block with 1 <= m; orthonormalised here, dependent columns replaced, and
///                     filled up to num_roots by unit vectors of the lowest diagonal elements. More
///                     columns than num_roots help where roots are close. The vectors of an earlier
///                     result, or SolverState::restart_vectors. Each column is asked for once, or twice with
///                     follow_start
/// @param model_space  see ModelSpace
/// @param observer     called after every iteration; may stop the run (status interrupted); may be empty
/// @param history      of the run that is continued (its start vectors are taken as they are), empty
///                     otherwise; the new records are appended
/// @param filter       if given, only eigenvectors in its subspace are sought. The preconditioner (model space
///                     and diagonal) should map the subspace into itself, as far as speed is concerned. Not with
///                     a metric
/// @throws DimensionError if shapes disagree or the configuration is out of range
/// @throws Error if H times a vector is not finite, or a diagonal element of the metric not positive
/// @see B. Liu, LBL-8158 (1978) 49; E. R. Davidson, J. Comput. Phys. 17 (1975) 87,
///      doi:10.1016/0021-9991(75)90065-0; J. Olsen, P. Jorgensen, J. Simons, Chem. Phys. Lett. 169 (1990)
///      463, doi:10.1016/0009-2614(90)85633-N (correction vector); A. Stathopoulos, Y. Saad, ETNA 7
///      (1998) 163 (thick restart, previous directions)
template <VectorBackend Backend>
EigenResult<Backend> davidson(const Backend& backend, const Operator<Backend>& h,
                              const StartBlock<Backend>& start,
                              const BasicModelSpace<typename Backend::Scalar>& model_space,
                              const DavidsonConfig& config, const SolverObserver<Backend>& observer = {},
                              std::vector<IterationRecord> history = {},
                              const SubspaceFilter<Backend>* filter = nullptr);

/// Lowest eigenpairs of `h` by the block Davidson-Liu method, from start vectors that stand in memory.
/// @param start  local rows x m block; see davidson over a StartBlock for this and all else
template <VectorBackend Backend>
EigenResult<Backend> davidson(const Backend& backend, const Operator<Backend>& h,
                              typename Backend::ConstView start,
                              const BasicModelSpace<typename Backend::Scalar>& model_space,
                              const DavidsonConfig& config, const SolverObserver<Backend>& observer = {},
                              std::vector<IterationRecord> history = {},
                              const SubspaceFilter<Backend>* filter = nullptr) {
  if (start.rows != h.local_rows()) {
    throw DimensionError("davidson: the start vectors must have one element per row of the matrix");
  }
  const StartBlock<Backend> block{start.columns, [&](int first, typename Backend::View out) {
                                    backend.copy(start.slice(first, out.columns), out);
                                  }};
  return davidson<Backend>(backend, h, block, model_space, config, observer, std::move(history), filter);
}

}  // namespace cisolve
