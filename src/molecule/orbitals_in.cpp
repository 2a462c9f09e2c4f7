// SPDX-License-Identifier: MIT
#include "cisolve/molecule/orbitals_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "core/linear_solve.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/molden_functions.hpp"
#include "molecule/orthonormal_basis.hpp"
#include "molecule/superposition.hpp"
#include "molecule/turned_functions.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd overlap_of(const GaussianBasis& basis, const Geometry& geometry) {
  return as_eigen(detail::one_electron_matrices(basis, geometry).overlap);
}

/// Basis and coefficients of a file in the frame.
struct TurnedOrbitals {
  const Geometry& geometry;  ///< of the frame
  GaussianBasis basis;
  MatrixXd coefficients;
};

TurnedOrbitals turn(const MoldenOrbitals& file, const detail::Superposition& placed,
                    const Geometry& geometry) {
  TurnedOrbitals turned{geometry, file.basis, as_eigen(file.coefficients)};
  for (GaussianShell& shell : turned.basis.shells) {
    const auto rows = Eigen::seqN(shell.first_function, shell.num_functions());
    const MatrixXd before = turned.coefficients(rows, Eigen::all);
    turned.coefficients(rows, Eigen::all) =
        detail::turned_functions(shell.angular_momentum, shell.spherical, placed.turn) * before;
    shell.atom = placed.atom[static_cast<std::size_t>(shell.atom)];
    shell.centre = geometry.atoms[static_cast<std::size_t>(shell.atom)].position;
  }
  return turned;
}

void require_orthonormal(const TurnedOrbitals& file, const std::string& where,
                         const OrbitalsInConfig& config) {
  const MatrixXd c = file.coefficients;
  const MatrixXd gram = c.transpose() * overlap_of(file.basis, file.geometry) * c;
  const double error = (gram - MatrixXd::Identity(c.cols(), c.cols())).cwiseAbs().maxCoeff();
  if (error <= config.orthonormality) return;
  throw InputError(fmt::format(
      "{}: its orbitals are not orthonormal: C^T S C differs from 1 by {:.1e}, up to {:.0e} is allowed; "
      "the program that wrote it normalises d and higher functions in another way, or wrote few digits",
      where, error, config.orthonormality));
}

/// The shell of the file that is each of ours; none if one is not there, or the file has others.
std::optional<std::vector<std::size_t>> same_shells(const GaussianBasis& ours, const GaussianBasis& file,
                                                    const OrbitalsInConfig& config) {
  if (ours.shells.size() != file.shells.size()) return std::nullopt;
  std::vector<bool> taken(file.shells.size(), false);
  std::vector<std::size_t> found;
  for (const GaussianShell& shell : ours.shells) {
    const double norm = detail::contraction_overlap(shell, shell);
    std::size_t k = 0;
    for (; k < file.shells.size(); ++k) {
      const GaussianShell& other = file.shells[k];
      if (taken[k] || other.atom != shell.atom || other.angular_momentum != shell.angular_momentum ||
          other.spherical != shell.spherical)
        continue;
      const double product = norm * detail::contraction_overlap(other, other);
      if (std::abs(1.0 - detail::contraction_overlap(shell, other) / std::sqrt(product)) <= config.same_shell)
        break;
    }
    if (k == file.shells.size()) return std::nullopt;
    taken[k] = true;
    found.push_back(k);
  }
  return found;
}

/// Functions of one basis, then of another.
GaussianBasis joined(GaussianBasis first, const GaussianBasis& second) {
  for (GaussianShell shell : second.shells) {
    shell.first_function += first.num_functions;
    first.shells.push_back(std::move(shell));
  }
  first.num_functions += second.num_functions;
  return first;
}

/// Coefficients over our functions, projected where the bases differ.
MatrixXd over_our_functions(const GaussianBasis& ours, const MatrixXd& overlap, const TurnedOrbitals& file,
                            const std::string& where, const OrbitalsInConfig& config,
                            std::vector<std::string>& warnings) {
  const auto same = same_shells(ours, file.basis, config);
  if (same) {
    MatrixXd c(ours.num_functions, file.coefficients.cols());
    for (std::size_t k = 0; k < ours.shells.size(); ++k) {
      const GaussianShell &to = ours.shells[k], &from = file.basis.shells[(*same)[k]];
      c.middleRows(to.first_function, to.num_functions()) =
          file.coefficients.middleRows(from.first_function, from.num_functions());
    }
    return c;
  }
  const MatrixXd both = overlap_of(joined(ours, file.basis), file.geometry);
  const MatrixXd cross = both.topRightCorner(ours.num_functions, file.basis.num_functions);
  const MatrixXd c = solve_semidefinite(overlap, cross * file.coefficients);
  const double kept = (c.transpose() * overlap * c).diagonal().minCoeff();
  if (1.0 - kept <= config.lost) return c;  // other contractions of the same functions
  warnings.push_back(
      fmt::format("{}: its basis functions are not those of molecule.basis; its orbitals were "
                  "projected, of which the worst keeps {:.6f} of itself",
                  where, kept));
  return c;
}

/// Columns by descending occupation; equal ones in the order of the file.
std::vector<Index> by_occupation(const std::vector<double>& occupations) {
  constexpr double equal = 1e-6;
  std::vector<Index> order(occupations.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](Index k) { return std::round(occupations[k] / equal); });
  return order;
}

/// Orthonormal columns that span those given, each as near as can be, beside others that they are orthogonal to.
/// @return none if they are dependent
std::optional<MatrixXd> orthonormal_beside(const MatrixXd& others, MatrixXd columns) {
  constexpr double dependent = 1e-3;  // of the metric of orbitals that were orthonormal
  if (columns.cols() == 0) return columns;
  columns -= others * (others.transpose() * columns);
  const auto [values, vectors] = symmetric_eigenpairs(columns.transpose() * columns);
  if (values[0] < dependent) return std::nullopt;
  MatrixXd found = columns * (vectors * values.cwiseSqrt().cwiseInverse().asDiagonal() * vectors.transpose());
  return found;
}

/// Makes orbitals of pure irrep and orthonormal.
class SymmetricOrbitals {
public:
  SymmetricOrbitals(const detail::OrthonormalBasis& basis, const MatrixXd& overlap, const PointGroup& group,
                    const std::string& where, const OrbitalsInConfig& config)
      : basis_(basis), overlap_(overlap), group_(group), where_(where), config_(config) {}

  /// @param c  [functions x orbitals], doubly, then singly occupied, then empty
  ScfOrbitals make(const MatrixXd& c, Index doubly, Index singly, std::vector<std::string>& warnings) {
    find_irreps(c);
    MatrixXd out = MatrixXd::Zero(c.rows(), c.cols());
    for (int irrep = 0; irrep < basis_.num_irreps(); ++irrep) make_irrep(irrep, c, doubly, singly, out);
    if (change_ > config_.change)
      warnings.push_back(
          fmt::format("{}: making its orbitals orthonormal and of pure irrep changed one by {:.1e} "
                      "(norm)",
                      where_, change_));
    const Index added = std::accumulate(rest_.begin(), rest_.end(), Index{0},
                                        [](Index sum, const MatrixXd& rest) { return sum + rest.cols(); });
    if (added > 0)
      warnings.push_back(
          fmt::format("{}: it has {} orbitals, {} empty ones were added", where_, c.cols(), added));
    ScfOrbitals orbitals;
    MatrixXd all(c.rows(), c.cols() + added);
    all.leftCols(c.cols()) = out;
    orbitals.irreps = irreps_;
    Index next = c.cols();
    for (int irrep = 0; irrep < basis_.num_irreps(); ++irrep) {
      const MatrixXd& rest = rest_[static_cast<std::size_t>(irrep)];
      all.middleCols(next, rest.cols()) = rest;
      next += rest.cols();
      orbitals.irreps.insert(orbitals.irreps.end(), static_cast<std::size_t>(rest.cols()), irrep);
    }
    orbitals.coefficients = detail::to_matrix(all);
    orbitals.occupations.assign(static_cast<std::size_t>(all.cols()), 0);
    std::fill_n(orbitals.occupations.begin(), doubly, 2);
    std::fill_n(orbitals.occupations.begin() + doubly, singly, 1);
    orbitals.energies.assign(static_cast<std::size_t>(all.cols()), 0.0);
    return orbitals;
  }

private:
  /// The irrep that most of each orbital is of.
  void find_irreps(const MatrixXd& c) {
    MatrixXd weights(basis_.num_irreps(), c.cols());
    for (int irrep = 0; irrep < basis_.num_irreps(); ++irrep)
      weights.row(irrep) = (basis_.vectors(irrep).transpose() * overlap_ * c).colwise().squaredNorm();
    for (Index k = 0; k < c.cols(); ++k) {
      Index irrep = 0;
      const double largest = weights.col(k).maxCoeff(&irrep), all = weights.col(k).sum();
      if (!(all - largest <= config_.irrep_weight * all)) {
        throw InputError(fmt::format(
            "{}: its orbital {} is of no irrep of {} ({:.3f} of it is {}); molecule.symmetry = \"c1\" "
            "takes orbitals without symmetry",
            where_, k + 1, group_.name(), largest / all, group_.irrep_name(static_cast<int>(irrep) + 1)));
      }
      irreps_.push_back(static_cast<int>(irrep));
    }
  }

  void make_irrep(int irrep, const MatrixXd& c, Index doubly, Index singly, MatrixXd& out) {
    const MatrixXd& x = basis_.vectors(irrep);
    MatrixXd made(x.cols(), 0);
    const Index ends[] = {doubly, doubly + singly, c.cols()};
    Index begin = 0;
    for (const Index end : ends) {
      std::vector<Index> columns;
      for (Index k = begin; k < end; ++k) {
        if (irreps_[static_cast<std::size_t>(k)] == irrep) columns.push_back(k);
      }
      begin = end;
      const MatrixXd given = x.transpose() * overlap_ * c(Eigen::all, columns);
      const auto found = orthonormal_beside(made, given);
      if (!found || made.cols() + given.cols() > x.cols()) {
        throw InputError(
            fmt::format("{}: its orbitals of {} are linearly dependent over the functions of "
                        "molecule.basis",
                        where_, group_.irrep_name(irrep + 1)));
      }
      const MatrixXd over_functions = x * *found;
      out(Eigen::all, columns) = over_functions;
      for (Index k = 0; k < given.cols(); ++k) {
        const auto difference = c.col(columns[static_cast<std::size_t>(k)]) - over_functions.col(k);
        change_ = std::max(change_, std::sqrt(std::abs(difference.dot(overlap_ * difference))));
      }
      made.conservativeResize(Eigen::NoChange, made.cols() + given.cols());
      made.rightCols(given.cols()) = *found;
    }
    const MatrixXd outside = MatrixXd::Identity(x.cols(), x.cols()) - made * made.transpose();
    rest_.push_back(x.cols() == 0 ? x
                                  : MatrixXd(x * symmetric_eigenpairs(outside).vectors.rightCols(
                                                     x.cols() - made.cols())));
  }

  const detail::OrthonormalBasis& basis_;
  const MatrixXd& overlap_;
  const PointGroup& group_;
  const std::string& where_;
  const OrbitalsInConfig& config_;
  std::vector<int> irreps_;
  std::vector<MatrixXd> rest_;  ///< of each irrep, over the functions
  double change_ = 0.0;
};

}  // namespace

OrbitalsIn place_orbitals(const MoldenOrbitals& file, const SymmetryFrame& frame, const GaussianBasis& basis,
                          const ScfConfig& electrons, const std::string& where,
                          const OrbitalsInConfig& config) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  OrbitalsIn found;
  const auto placed = detail::superpose(file.geometry, frame, config.position, where);
  const TurnedOrbitals turned = turn(file, placed, frame.geometry);
  require_orthonormal(turned, where, config);
  const MatrixXd overlap = overlap_of(basis, frame.geometry);
  const MatrixXd c = over_our_functions(basis, overlap, turned, where, config, found.warnings);
  if (c.cols() < electrons.num_alpha) {
    throw InputError(
        fmt::format("{}: it has {} orbitals, {} are occupied", where, c.cols(), electrons.num_alpha));
  }
  const std::vector<Index> order = by_occupation(file.occupations);
  if (!std::ranges::is_sorted(order))
    found.warnings.push_back(where + ": its orbitals were put into the order of their occupations");
  const detail::OrthonormalBasis combinations(basis, frame, detail::to_matrix(overlap), config.dependence);
  SymmetricOrbitals symmetric(combinations, overlap, frame.group, where, config);
  found.orbitals = symmetric.make(c(Eigen::all, order), electrons.num_beta,
                                  electrons.num_alpha - electrons.num_beta, found.warnings);
  return found;
}

ScfResult determinant_of(const MolecularBasis& molecule, const ScfConfig& config, ScfOrbitals orbitals) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const MatrixXd c = as_eigen(orbitals.coefficients);
  const auto density = [&](int occupied) {
    return detail::to_matrix(c.leftCols(occupied) * c.leftCols(occupied).transpose());
  };
  const Matrix spins[] = {density(config.num_alpha), density(config.num_beta)};
  const auto jk = molecule.repulsion.coulomb_exchange(spins);
  const auto one = detail::one_electron_matrices(molecule.basis, molecule.frame.geometry);
  const MatrixXd h = as_eigen(one.core_hamiltonian);
  const MatrixXd coulomb = as_eigen(jk[0].coulomb) + as_eigen(jk[1].coulomb);
  ScfResult result;
  result.converged = true;
  result.nuclear_repulsion = nuclear_energy(molecule.frame.geometry);
  result.energy = result.nuclear_repulsion;
  MatrixXd fock = h + coulomb;
  for (std::size_t spin = 0; spin < 2; ++spin) {
    const MatrixXd exchange = as_eigen(jk[spin].exchange);
    fock -= 0.5 * exchange;
    result.energy += as_eigen(spins[spin]).cwiseProduct(h + 0.5 * (coulomb - exchange)).sum();
  }
  const double ms = 0.5 * (config.num_alpha - config.num_beta);
  result.s_squared = ms * (ms + 1.0);
  for (Index k = 0; k < c.cols(); ++k)
    orbitals.energies[static_cast<std::size_t>(k)] = c.col(k).dot(fock * c.col(k));
  result.doubly_occupied.assign(static_cast<std::size_t>(molecule.frame.group.num_irreps()), 0);
  result.singly_occupied = result.doubly_occupied;
  for (std::size_t k = 0; k < orbitals.irreps.size(); ++k) {
    const auto irrep = static_cast<std::size_t>(orbitals.irreps[k]);
    if (orbitals.occupations[k] == 2) ++result.doubly_occupied[irrep];
    if (orbitals.occupations[k] == 1) ++result.singly_occupied[irrep];
  }
  result.num_dependent = orbitals.coefficients.rows() - orbitals.coefficients.columns();
  result.orbitals = std::move(orbitals);
  return result;
}

}  // namespace cisolve
