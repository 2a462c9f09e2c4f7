// SPDX-License-Identifier: MIT
#include "molecule/scf_run.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/diis.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/orbital_rotations.hpp"
#include "molecule/scf_orbitals.hpp"

namespace cisolve::detail {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Occupied orbitals come first in each block of orthonormal orbitals.
MatrixXd projector(const MatrixXd& orbitals, int occupied) {
  const auto c = orbitals.leftCols(occupied);
  return c * c.transpose();
}

/// The occupied orbitals of a block and, after them, what is orthogonal to them.
MatrixXd completed(const MatrixXd& orbitals, Eigen::Index occupied) {
  const Eigen::Index n = orbitals.rows();
  if (orbitals.cols() == n || n == 0) return orbitals;
  MatrixXd all(n, n);
  all.leftCols(occupied) = orbitals.leftCols(occupied);
  const MatrixXd outside = MatrixXd::Identity(n, n) - projector(orbitals, static_cast<int>(occupied));
  all.rightCols(n - occupied) = symmetric_eigenpairs(outside).vectors.rightCols(n - occupied);
  return all;
}

std::vector<std::vector<double>> as_lists(const std::vector<VectorXd>& levels) {
  std::vector<std::vector<double>> lists;
  for (const VectorXd& e : levels) lists.emplace_back(e.begin(), e.end());
  return lists;
}

/// One calculation: what changes from iteration to iteration.
class ScfRun {
public:
  ScfRun(const ScfSetting& setting, const ScfStart& start, const ScfObserver& observer,
         const std::stop_token& stop)
      : setting_(setting), config_(setting.config), start_(start), observer_(observer), stop_(stop),
        diis_(config_.diis_vectors), second_order_(start.second_order) {
    if (start.occupation) state_.occupation = *start.occupation;
  }

  ScfState operator()() {
    begin();
    for (int iteration = 1; iteration <= config_.max_iterations; ++iteration) {
      if (stop_.stop_requested()) throw Interrupted("interrupted in the SCF; there is nothing to keep yet");
      build_fock(setting_.basis.expand(state_.density[0]), setting_.basis.expand(state_.density[1]));
      const VectorXd error = errors();
      const double gradient = error.size() > 0 ? error.cwiseAbs().maxCoeff() : 0.0;
      state_.energy = energy();
      const double change = iteration == 1 ? 0.0 : state_.energy - state_.history.back().energy;
      state_.history.push_back({iteration, state_.energy, change, gradient});
      if (observer_) observer_(state_.history.back());
      if (iteration > 1 && gradient < config_.gradient_tolerance &&
          std::abs(change) < config_.energy_tolerance) {
        state_.converged = true;
        complete();
        break;
      }
      if (gradient < settled_enough && state_.energy > start_.limit) break;
      if (iteration > config_.max_iterations / 2) second_order_ = true;
      if (second_order_) {
        step();
      } else {
        settled_ = settled_ || gradient < config_.settled_gradient || iteration > config_.max_iterations / 4;
        diagonalise(diis_.extrapolate(iterated_focks(), error), config_.level_shift);
      }
      make_densities();
    }
    return std::move(state_);
  }

private:
  static constexpr double settled_enough = 1e-3;  ///< hartree: the energy errs by the square of the gradient

  void build_fock(const Matrix& alpha, const Matrix& beta) {
    std::vector<Matrix> densities = {alpha};
    if (!setting_.closed_shell()) densities.push_back(beta);
    const auto jk = setting_.molecule.repulsion.coulomb_exchange(densities);
    const MatrixXd coulomb = as_eigen(jk.front().coulomb) + as_eigen(jk.back().coulomb);
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const auto& own = jk[std::min(spin, jk.size() - 1)];
      state_.fock[spin] = setting_.basis.project(
          to_matrix(as_eigen(setting_.one_electron.core_hamiltonian) + coulomb - as_eigen(own.exchange)));
    }
  }

  void begin() {
    if (start_.orbitals) {
      state_.occupation = start_.orbitals->occupation;
      state_.orbitals[0] = start_.orbitals->orbitals;
      state_.orbitals[1] = start_.orbitals->beta.value_or(start_.orbitals->orbitals);
    } else {
      Matrix half = superposed_atomic_density(setting_.molecule.frame.geometry, setting_.molecule.basis);
      as_eigen(half) *= 0.5;
      build_fock(half, half);
      diagonalise(iterated_focks(), 0.0);
    }
    make_densities();
  }

  /// All blocks in one vector, for the extrapolation.
  VectorXd iterated_focks() const {
    VectorXd all;
    const auto append_all = [&](const Blocks& blocks) {
      for (const MatrixXd& block : blocks) append(block, all);
    };
    if (config_.unrestricted) {
      append_all(state_.fock[0]);
      append_all(state_.fock[1]);
    } else {
      append_all(effective_fock(setting_, state_.fock, state_.density));
    }
    return all;
  }

  /// Commutators of what is diagonalised with the densities: its elements between orbitals of different
  /// occupation.
  VectorXd errors() const {
    VectorXd all;
    const auto add = [&](const MatrixXd& f, const MatrixXd& d) {
      const MatrixXd fd = f * d;
      append(fd - fd.transpose(), all);
    };
    const auto& density = state_.density;
    if (config_.unrestricted) {
      for (std::size_t spin = 0; spin < 2; ++spin) {
        for (std::size_t k = 0; k < density[spin].size(); ++k) add(state_.fock[spin][k], density[spin][k]);
      }
    } else {
      const Blocks effective = effective_fock(setting_, state_.fock, density);
      for (std::size_t k = 0; k < effective.size(); ++k) add(effective[k], density[0][k] + density[1][k]);
    }
    return all;
  }

  void diagonalise(const VectorXd& focks, double level_shift) {
    const auto& density = state_.density;
    const bool shift = level_shift > 0.0 && !density[0].empty();
    const std::size_t spins = config_.unrestricted ? 2 : 1;
    Eigen::Index at = 0;
    for (std::size_t spin = 0; spin < spins; ++spin) {
      state_.orbitals[spin].clear();
      levels_[spin].clear();
      for (std::size_t k = 0; k < setting_.sizes.size(); ++k) {
        const Eigen::Index n = setting_.sizes[k];
        MatrixXd fock = focks.segment(at, n * n).reshaped(n, n);
        at += n * n;
        if (shift && n > 0) {
          const MatrixXd occupied =
              config_.unrestricted ? density[spin][k] : MatrixXd(0.5 * (density[0][k] + density[1][k]));
          fock += level_shift * (MatrixXd::Identity(n, n) - occupied);
        }
        if (n == 0) {
          state_.orbitals[spin].emplace_back(0, 0);
          levels_[spin].emplace_back(0);
          continue;
        }
        SymmetricEigenpairs pairs = symmetric_eigenpairs(0.5 * (fock + fock.transpose()));
        state_.orbitals[spin].push_back(std::move(pairs.vectors));
        levels_[spin].push_back(std::move(pairs.values));
      }
    }
    choose_occupation();
  }

  void choose_occupation() {
    if (settled_ || start_.occupation) return;
    const int open = config_.num_alpha - config_.num_beta;
    auto* competing = state_.competing ? nullptr : &state_.competing;
    Occupation& occupation = state_.occupation;
    occupation =
        lowest_occupation(as_lists(levels_[0]), config_.num_beta, open, config_.degeneracy, competing);
    if (!config_.unrestricted) return;
    // Each spin fills its own lowest orbitals; what alpha has beyond beta is called singly occupied.
    const auto alpha =
        lowest_occupation(as_lists(levels_[0]), config_.num_alpha, 0, config_.degeneracy, competing);
    const auto beta =
        lowest_occupation(as_lists(levels_[1]), config_.num_beta, 0, config_.degeneracy, competing);
    for (std::size_t k = 0; k < setting_.sizes.size(); ++k) {
      occupation.doubly[k] = beta.doubly[k];
      occupation.singly[k] = alpha.doubly[k] - beta.doubly[k];
    }
  }

  void make_densities() {
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const auto count = state_.occupation.filled(spin == 1);
      const Blocks& orbitals = state_.orbitals[config_.unrestricted ? spin : 0];
      state_.density[spin].clear();
      for (std::size_t k = 0; k < orbitals.size(); ++k)
        state_.density[spin].push_back(projector(orbitals[k], count[k]));
    }
  }

  double energy() const {
    double sum = 0.0;
    for (std::size_t spin = 0; spin < 2; ++spin) {
      for (std::size_t k = 0; k < setting_.core.size(); ++k) {
        sum += 0.5 * state_.density[spin][k].cwiseProduct(setting_.core[k] + state_.fock[spin][k]).sum();
      }
    }
    return sum + setting_.repulsion_energy;
  }

  /// A full set of orbitals of what has converged. The lowest of the Fock matrix need not be the occupied ones where
  /// second-order steps found them.
  void complete() {
    if (!second_order_) {
      settled_ = true;
      diagonalise(iterated_focks(), 0.0);
      return;
    }
    for (std::size_t spin = 0; spin < (config_.unrestricted ? 2U : 1U); ++spin) {
      const auto count = state_.occupation.filled(spin == 1);
      for (std::size_t k = 0; k < count.size(); ++k)
        state_.orbitals[spin][k] = completed(state_.orbitals[spin][k], count[k]);
    }
  }

  /// Turns the orbitals by a second-order step; goes back half of the way and more where the last one led uphill.
  void step() {
    constexpr double most = 1.0, first = 0.4, grown = 1.5, shrunk = 0.3;  // of the norm of a step, in radians
    const bool uphill = step_ && state_.energy > step_->energy + config_.energy_tolerance;
    if (uphill) {
      step_->kappa *= shrunk;
      radius_ = step_->kappa.norm() / std::sqrt(2.0);
    } else {
      radius_ = step_ ? std::min(most, grown * radius_) : first;
      complete();
      const std::vector<ScfOrbitals> canonical = canonical_sets(setting_, state_);
      const OrbitalPoint point = orbital_point(setting_, state_, canonical);
      const RotationBlock block(point, 0, false);
      const VectorXd x = second_order_step(point, block, setting_.molecule.repulsion, radius_);
      step_ = {state_.energy, canonical, block.kappa(x)};
    }
    OccupiedOrbitals turned = turned_orbitals(setting_, step_->orbitals, step_->kappa, state_.occupation);
    state_.orbitals[1] = turned.beta ? std::move(*turned.beta) : turned.orbitals;
    state_.orbitals[0] = std::move(turned.orbitals);
  }

  /// The last second-order step that was taken.
  struct Step {
    double energy;                      ///< before it
    std::vector<ScfOrbitals> orbitals;  ///< as canonical_sets gives them
    MatrixXd kappa;
  };

  const ScfSetting& setting_;
  const ScfConfig& config_;
  const ScfStart& start_;
  const ScfObserver& observer_;
  const std::stop_token& stop_;
  Diis diis_;
  ScfState state_;
  bool settled_ = false;
  bool second_order_;
  std::optional<Step> step_;
  double radius_ = 0.0;
  std::vector<VectorXd> levels_[2];
};

}  // namespace

ScfSetting::ScfSetting(const MolecularBasis& of, const ScfConfig& asked)
    : molecule(of), config(asked), one_electron(one_electron_matrices(of.basis, of.frame.geometry)),
      basis(of.basis, of.frame, one_electron.overlap, asked.dependence),
      core(basis.project(one_electron.core_hamiltonian)),
      repulsion_energy(nuclear_energy(of.frame.geometry)) {
  for (int irrep = 0; irrep < basis.num_irreps(); ++irrep) sizes.push_back(basis.size(irrep));
  const int most = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (config.num_alpha > most) {
    throw InputError(fmt::format("{}: {} electrons of one spin do not fit the {} orbitals of the basis",
                                 config.names.basis, config.num_alpha, most));
  }
}

ScfState converge(const ScfSetting& setting, const ScfStart& start, const ScfObserver& observer,
                  const std::stop_token& stop) {
  return ScfRun(setting, start, observer, stop)();
}

Blocks effective_fock(const ScfSetting& setting, const Blocks (&fock)[2], const Blocks (&density)[2]) {
  if (setting.closed_shell() || density[0].empty()) return fock[0];
  Blocks effective;
  for (std::size_t k = 0; k < fock[0].size(); ++k) {
    const MatrixXd mean = 0.5 * (fock[0][k] + fock[1][k]);
    const MatrixXd& closed = density[1][k];
    const MatrixXd open = density[0][k] - closed;
    const MatrixXd empty = MatrixXd::Identity(mean.rows(), mean.cols()) - density[0][k];
    const MatrixXd coupling = closed * (fock[1][k] - mean) * open + open * (fock[0][k] - mean) * empty;
    effective.emplace_back(mean + coupling + coupling.transpose());
  }
  return effective;
}

}  // namespace cisolve::detail
