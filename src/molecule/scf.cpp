// SPDX-License-Identifier: MIT
#include "cisolve/molecule/scf.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/diis.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/orthonormal_basis.hpp"
#include "molecule/scf_steps.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using detail::Blocks;
using detail::Occupation;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Occupied orbitals come first in each block of orthonormal orbitals.
MatrixXd projector(const MatrixXd& orbitals, int occupied) {
  const auto c = orbitals.leftCols(occupied);
  return c * c.transpose();
}

std::vector<std::vector<double>> as_lists(const std::vector<VectorXd>& levels) {
  std::vector<std::vector<double>> lists;
  for (const VectorXd& e : levels) lists.emplace_back(e.begin(), e.end());
  return lists;
}

/// One calculation: matrices are over the orthonormal basis, a block per irrep.
class ScfRun {
public:
  ScfRun(const MolecularBasis& molecule, const ScfConfig& config, const ScfObserver& observer,
         std::stop_token stop)
      : molecule_(molecule), config_(config), observer_(observer), stop_(std::move(stop)),
        one_electron_(detail::one_electron_matrices(molecule.basis, molecule.frame.geometry)),
        basis_(molecule.basis, molecule.frame, one_electron_.overlap, config.dependence),
        core_(basis_.project(one_electron_.core_hamiltonian)),
        repulsion_energy_(nuclear_repulsion(molecule.frame.geometry)), diis_(config.diis_vectors) {
    for (int irrep = 0; irrep < basis_.num_irreps(); ++irrep) sizes_.push_back(basis_.size(irrep));
    const int most = std::accumulate(sizes_.begin(), sizes_.end(), 0);
    if (config.num_alpha > most) {
      throw InputError(fmt::format("{}: {} electrons of one spin do not fit the {} orbitals of the basis",
                                   config.names.basis, config.num_alpha, most));
    }
    if (config.doubly_occupied) occupation_ = detail::given_occupation(config, molecule.frame, sizes_);
  }

  ScfResult operator()() {
    ScfResult result;
    result.nuclear_repulsion = repulsion_energy_;
    result.num_dependent = basis_.num_dependent();
    result.from_guess = carry_guess();
    if (!result.from_guess) guess();
    double before = 0.0;
    int reoccupations = 0;
    for (int iteration = 1; iteration <= config_.max_iterations; ++iteration) {
      if (stop_.stop_requested()) throw Interrupted("interrupted in the SCF; there is nothing to keep yet");
      build_fock(basis_.expand(density_[0]), basis_.expand(density_[1]));
      const VectorXd error = errors();
      const double gradient = error.size() > 0 ? error.cwiseAbs().maxCoeff() : 0.0;
      result.energy = energy();
      const double change = iteration == 1 ? 0.0 : result.energy - before;
      before = result.energy;
      result.num_iterations = iteration;
      if (observer_) observer_({iteration, result.energy, change, gradient});
      if (iteration > 1 && gradient < config_.gradient_tolerance &&
          std::abs(change) < config_.energy_tolerance) {
        result.converged = true;
        diagonalise(iterated_focks(), 0.0);
        if (reoccupations >= config_.most_reoccupations || !reoccupy()) break;
        ++reoccupations;
        result.converged = false;
        diis_.clear();
      } else {
        settled_ = settled_ || gradient < config_.settled_gradient || iteration > config_.max_iterations / 4;
        diagonalise(diis_.extrapolate(iterated_focks(), error), config_.level_shift);
      }
      make_densities();
    }
    finish(result);
    return result;
  }

private:
  bool closed_shell() const { return !config_.unrestricted && config_.num_alpha == config_.num_beta; }
  bool occupation_is_given() const { return config_.doubly_occupied.has_value(); }

  void build_fock(const Matrix& alpha, const Matrix& beta) {
    std::vector<Matrix> densities = {alpha};
    if (!closed_shell()) densities.push_back(beta);
    const auto jk = molecule_.repulsion.coulomb_exchange(densities);
    MatrixXd coulomb = as_eigen(jk.front().coulomb) + as_eigen(jk.back().coulomb);
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const auto& own = jk[std::min(spin, jk.size() - 1)];
      fock_[spin] = basis_.project(
          detail::to_matrix(as_eigen(one_electron_.core_hamiltonian) + coulomb - as_eigen(own.exchange)));
    }
  }

  /// Begins with the orbitals given; false if they are of no use.
  bool carry_guess() {
    if (!config_.guess) return false;
    auto carried = detail::carry_occupied(*config_.guess, basis_, one_electron_.overlap);
    if (!carried || (occupation_is_given() && carried->occupation != occupation_)) return false;
    const Occupation& found = carried->occupation;
    if (std::accumulate(found.doubly.begin(), found.doubly.end(), 0) != config_.num_beta ||
        std::accumulate(found.singly.begin(), found.singly.end(), 0) != config_.num_alpha - config_.num_beta)
      return false;
    occupation_ = found;
    orbitals_[0] = orbitals_[1] = std::move(carried->orbitals);
    make_densities();
    return true;
  }

  void guess() {
    Matrix half = detail::superposed_atomic_density(molecule_.frame.geometry, molecule_.basis);
    as_eigen(half) *= 0.5;
    build_fock(half, half);
    diagonalise(iterated_focks(), 0.0);
    make_densities();
  }

  /// Restricted open shells: Roothaan's effective matrix, with the mean Fock matrix between orbitals of the
  /// same occupation, beta's between doubly and singly occupied, alpha's between singly occupied and empty.
  Blocks effective_fock() const {
    if (closed_shell() || density_[0].empty()) return fock_[0];
    Blocks effective;
    for (std::size_t k = 0; k < fock_[0].size(); ++k) {
      const MatrixXd mean = 0.5 * (fock_[0][k] + fock_[1][k]);
      const MatrixXd& closed = density_[1][k];
      const MatrixXd open = density_[0][k] - closed;
      const MatrixXd empty = MatrixXd::Identity(mean.rows(), mean.cols()) - density_[0][k];
      const MatrixXd coupling = closed * (fock_[1][k] - mean) * open + open * (fock_[0][k] - mean) * empty;
      effective.emplace_back(mean + coupling + coupling.transpose());
    }
    return effective;
  }

  /// All blocks in one vector, for the extrapolation.
  VectorXd iterated_focks() const {
    VectorXd all;
    const auto append = [&](const Blocks& blocks) {
      for (const MatrixXd& block : blocks) detail::append(block, all);
    };
    if (config_.unrestricted) {
      append(fock_[0]);
      append(fock_[1]);
    } else {
      append(effective_fock());
    }
    return all;
  }

  /// Commutators of what is diagonalised with the densities: its elements between orbitals of different
  /// occupation.
  VectorXd errors() const {
    VectorXd all;
    const auto append = [&](const MatrixXd& f, const MatrixXd& d) {
      const MatrixXd fd = f * d;
      detail::append(fd - fd.transpose(), all);
    };
    if (config_.unrestricted) {
      for (std::size_t spin = 0; spin < 2; ++spin) {
        for (std::size_t k = 0; k < fock_[spin].size(); ++k) append(fock_[spin][k], density_[spin][k]);
      }
    } else {
      const Blocks effective = effective_fock();
      for (std::size_t k = 0; k < effective.size(); ++k)
        append(effective[k], density_[0][k] + density_[1][k]);
    }
    return all;
  }

  void diagonalise(const VectorXd& focks, double level_shift) {
    const bool shift = level_shift > 0.0 && !density_[0].empty();
    const std::size_t spins = config_.unrestricted ? 2 : 1;
    Eigen::Index at = 0;
    for (std::size_t spin = 0; spin < spins; ++spin) {
      orbitals_[spin].clear();
      levels_[spin].clear();
      for (std::size_t k = 0; k < sizes_.size(); ++k) {
        const Eigen::Index n = sizes_[k];
        MatrixXd fock = focks.segment(at, n * n).reshaped(n, n);
        at += n * n;
        if (shift && n > 0) {
          const MatrixXd occupied =
              config_.unrestricted ? density_[spin][k] : MatrixXd(0.5 * (density_[0][k] + density_[1][k]));
          fock += level_shift * (MatrixXd::Identity(n, n) - occupied);
        }
        if (n == 0) {
          orbitals_[spin].emplace_back(0, 0);
          levels_[spin].emplace_back(0);
          continue;
        }
        SymmetricEigenpairs pairs = symmetric_eigenpairs(0.5 * (fock + fock.transpose()));
        orbitals_[spin].push_back(std::move(pairs.vectors));
        levels_[spin].push_back(std::move(pairs.values));
      }
    }
    choose_occupation();
  }

  void choose_occupation() {
    if (settled_ || occupation_is_given()) return;
    const int open = config_.num_alpha - config_.num_beta;
    std::string* sentence = ambiguous_.empty() ? &ambiguous_ : nullptr;
    const auto& frame = molecule_.frame;
    occupation_ = detail::lowest_occupation(as_lists(levels_[0]), config_.num_beta, open, config_.degeneracy,
                                            frame, sentence);
    if (!config_.unrestricted) return;
    // Each spin fills its own lowest orbitals; what alpha has beyond beta is called singly occupied.
    const auto alpha = detail::lowest_occupation(as_lists(levels_[0]), config_.num_alpha, 0,
                                                 config_.degeneracy, frame, sentence);
    const auto beta = detail::lowest_occupation(as_lists(levels_[1]), config_.num_beta, 0, config_.degeneracy,
                                                frame, sentence);
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      occupation_.doubly[k] = beta.doubly[k];
      occupation_.singly[k] = alpha.doubly[k] - beta.doubly[k];
    }
  }

  std::vector<int> filled(bool beta) const {
    std::vector<int> count = occupation_.doubly;
    for (std::size_t k = 0; k < count.size() && !beta; ++k) count[k] += occupation_.singly[k];
    return count;
  }

  void make_densities() {
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const auto count = filled(spin == 1);
      const Blocks& orbitals = orbitals_[config_.unrestricted ? spin : 0];
      density_[spin].clear();
      for (std::size_t k = 0; k < orbitals.size(); ++k)
        density_[spin].push_back(projector(orbitals[k], count[k]));
    }
  }

  double energy() const {
    double sum = 0.0;
    for (std::size_t spin = 0; spin < 2; ++spin) {
      for (std::size_t k = 0; k < core_.size(); ++k) {
        sum += 0.5 * density_[spin][k].cwiseProduct(core_[k] + fock_[spin][k]).sum();
      }
    }
    return sum + repulsion_energy_;
  }

  /// A converged restricted closed-shell state may have an empty orbital below an occupied one: go on with the
  /// occupation by energy. True if that is another one.
  bool reoccupy() {
    if (occupation_is_given() || !closed_shell()) return false;
    const Occupation before = occupation_;
    settled_ = false;
    choose_occupation();
    settled_ = true;
    if (occupation_ == before) return false;
    double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      if (before.doubly[k] > 0) highest = std::max(highest, levels_[0][k][before.doubly[k] - 1]);
      if (before.doubly[k] < sizes_[k]) lowest = std::min(lowest, levels_[0][k][before.doubly[k]]);
    }
    if (lowest < highest - config_.degeneracy) return true;
    occupation_ = before;
    return false;
  }

  void finish(ScfResult& result) {
    result.doubly_occupied = occupation_.doubly;
    result.singly_occupied = occupation_.singly;
    if (!ambiguous_.empty()) {
      result.warnings.push_back(fmt::format("{}; {} choose", ambiguous_, config_.names.occupation));
    }
    const std::vector<int> none(sizes_.size(), 0);
    if (config_.unrestricted) {
      double overlap = 0.0;
      for (std::size_t k = 0; k < sizes_.size(); ++k)
        overlap += density_[0][k].cwiseProduct(density_[1][k]).sum();
      const double ms = 0.5 * (config_.num_alpha - config_.num_beta);
      result.s_squared = ms * (ms + 1.0) + config_.num_beta - overlap;
      result.orbitals = detail::sorted_orbitals(basis_, fock_[0], orbitals_[0], none, filled(false));
      result.beta_orbitals = detail::sorted_orbitals(basis_, fock_[1], orbitals_[1], none, filled(true));
      return;
    }
    const double s = 0.5 * (config_.num_alpha - config_.num_beta);
    result.s_squared = s * (s + 1.0);
    result.orbitals = detail::sorted_orbitals(basis_, effective_fock(), orbitals_[0], occupation_.doubly,
                                              occupation_.singly);
    if (config_.check_stability && result.converged) analyse_stability(result);
  }

  void analyse_stability(ScfResult& result) {
    detail::StationaryPoint point;
    point.orbitals = as_eigen(result.orbitals.coefficients);
    point.irreps = result.orbitals.irreps;
    for (const int occupation : result.orbitals.occupations) {
      point.alpha.push_back(occupation > 0 ? 1 : 0);
      point.beta.push_back(occupation > 1 ? 1 : 0);
    }
    // Fock matrices over the sorted orbitals, by way of the orthonormal basis.
    const MatrixXd metric = as_eigen(one_electron_.overlap) * point.orbitals;
    MatrixXd fock[2] = {MatrixXd::Zero(metric.cols(), metric.cols()),
                        MatrixXd::Zero(metric.cols(), metric.cols())};
    for (int irrep = 0; irrep < basis_.num_irreps(); ++irrep) {
      const MatrixXd t = basis_.vectors(irrep).transpose() * metric;
      for (std::size_t spin = 0; spin < 2; ++spin) {
        fock[spin] += t.transpose() * fock_[spin][irrep] * t;
      }
    }
    point.fock_alpha = fock[0];
    point.fock_beta = fock[1];
    const auto lowest = detail::lowest_eigenvalue(point, molecule_.repulsion, basis_.num_irreps());
    result.lowest_eigenvalue = lowest.eigenvalue;
    if (lowest.eigenvalue > -config_.unstable) return;
    const char* method = closed_shell() ? "RHF" : "ROHF";
    const std::string what =
        lowest.spin_breaking ? std::string("with different orbitals for the two spins (UHF)")
        : lowest.irrep == 0
            ? std::string("with the same occupation of the irreps")
            : fmt::format("with another occupation of the irreps or of broken symmetry, by rotations of {}",
                          molecule_.frame.group.irrep_name(lowest.irrep + 1));
    result.warnings.push_back(
        fmt::format("the {} state is not a minimum (eigenvalue {:.4f} hartree of the orbital "
                    "Hessian): a state {} is lower; it was not searched for",
                    method, lowest.eigenvalue, what));
  }

  const MolecularBasis& molecule_;
  const ScfConfig& config_;
  const ScfObserver& observer_;
  std::stop_token stop_;
  detail::OneElectronMatrices one_electron_;
  detail::OrthonormalBasis basis_;
  Blocks core_;
  double repulsion_energy_;
  detail::Diis diis_;
  std::vector<int> sizes_;

  Occupation occupation_;
  bool settled_ = false;
  std::string ambiguous_;
  Blocks orbitals_[2];  ///< of each spin; the first alone unless unrestricted
  std::vector<VectorXd> levels_[2];
  Blocks density_[2];  ///< idempotent
  Blocks fock_[2];
};

}  // namespace

ScfResult run_scf(const MolecularBasis& molecule, const ScfConfig& config, const ScfObserver& observer,
                  std::stop_token stop) {
  const detail::OneThread one_thread;
  return ScfRun(molecule, config, observer, std::move(stop))();
}

}  // namespace cisolve
