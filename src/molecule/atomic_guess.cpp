// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/symmetry.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/diis.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve::detail {
namespace {

using Eigen::MatrixXd;

// A guess: a few digits do.
constexpr int most_iterations = 50;
constexpr double good_enough = 1e-5;  // hartree, of the commutator
constexpr int most_momenta = 4;       // s, p, d, f are filled

/// Electrons of each angular momentum in the ground state by Madelung's rule.
std::array<int, most_momenta> electrons_by_momentum(int charge) {
  constexpr int filling[] = {0, 0, 1, 0, 1, 0, 2, 1, 0, 2,
                             1, 0, 3, 2, 1, 0, 3, 2, 1};  // 1s 2s 2p 3s 3p 4s 3d ...
  std::array<int, most_momenta> electrons = {};
  for (const int l : filling) {
    const int here = std::min(charge, 2 * (2 * l + 1));
    electrons[l] += here;
    charge -= here;
  }
  return electrons;
}

/// An atom at the origin; functions of l >= 2 are spherical, whatever the molecule has.
class AtomicScf {
public:
  AtomicScf(int charge, std::vector<GaussianShell> shells) : electrons_(electrons_by_momentum(charge)) {
    Geometry geometry;
    geometry.atoms.push_back({charge, "", {}});
    frame_ = find_symmetry(geometry, "auto", {}, "atom");
    for (GaussianShell& shell : shells) {
      shell.atom = 0;
      shell.centre = {};
      shell.spherical = shell.angular_momentum >= 2;
      shell.first_function = basis_.num_functions;
      basis_.num_functions += shell.num_functions();
      basis_.shells.push_back(std::move(shell));
    }
    const auto matrices = one_electron_matrices(basis_, geometry);
    core_ = matrices.core_hamiltonian;
    for (int l = 0; l < most_momenta; ++l) overlap_[l] = averaged(matrices.overlap, l);
  }

  const GaussianBasis& basis() const { return basis_; }

  MatrixXd density() const {
    const Repulsion repulsion(basis_, frame_, {});
    Matrix d(basis_.num_functions, basis_.num_functions);
    Diis diis(8);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      Matrix fock = core_;
      if (iteration > 0) {
        const auto jk = repulsion.coulomb_exchange({&d, 1});
        as_eigen(fock) += as_eigen(jk[0].coulomb) - 0.5 * as_eigen(jk[0].exchange);
      }
      std::array<MatrixXd, most_momenta> blocks;
      Eigen::VectorXd values, errors;
      for (int l = 0; l < most_momenta; ++l) {
        const std::size_t k = l;
        blocks[k] = averaged(fock, l);
        const MatrixXd fds = blocks[k] * averaged(d, l) * overlap_[k];
        append(blocks[k], values);
        append(fds - fds.transpose(), errors);
      }
      if (iteration > 0 && errors.cwiseAbs().maxCoeff() < good_enough) break;
      if (iteration > 0) values = diis.extrapolate(values, errors);
      d = density_of(values);
    }
    return as_eigen(d);
  }

private:
  std::vector<const GaussianShell*> shells_of(int l) const {
    std::vector<const GaussianShell*> found;
    for (const GaussianShell& shell : basis_.shells) {
      if (shell.angular_momentum == l) found.push_back(&shell);
    }
    return found;
  }

  /// Mean over m of the blocks between shells of one angular momentum.
  MatrixXd averaged(const Matrix& m, int l) const {
    const auto shells = shells_of(l);
    const auto n = static_cast<Eigen::Index>(shells.size());
    MatrixXd block = MatrixXd::Zero(n, n);
    for (Eigen::Index a = 0; a < n; ++a) {
      for (Eigen::Index b = 0; b < n; ++b) {
        const int p = shells[a]->first_function;
        const int q = shells[b]->first_function;
        for (int k = 0; k <= 2 * l; ++k) block(a, b) += m(p + k, q + k) / (2 * l + 1);
      }
    }
    return block;
  }

  Matrix density_of(const Eigen::VectorXd& blocks) const {
    Matrix d(basis_.num_functions, basis_.num_functions);
    Eigen::Index at = 0;
    for (int l = 0; l < most_momenta; ++l) {
      const auto shells = shells_of(l);
      const auto n = static_cast<Eigen::Index>(shells.size());
      if (n == 0) continue;
      const MatrixXd fock = blocks.segment(at, n * n).reshaped(n, n);
      at += n * n;
      const MatrixXd orbitals = symmetric_eigenpairs(fock, overlap_[l]).vectors;
      double left = static_cast<double>(electrons_[l]) / (2 * l + 1);
      for (Eigen::Index k = 0; k < n && left > 0.0; ++k, left -= 2.0) {
        const Eigen::VectorXd c = orbitals.col(k);
        for (Eigen::Index a = 0; a < n; ++a) {
          for (Eigen::Index b = 0; b < n; ++b) {
            const double value = std::min(left, 2.0) * c[a] * c[b];
            for (int m = 0; m <= 2 * l; ++m) {
              d(shells[a]->first_function + m, shells[b]->first_function + m) += value;
            }
          }
        }
      }
    }
    return d;
  }

  std::array<int, most_momenta> electrons_;
  SymmetryFrame frame_;
  GaussianBasis basis_;
  Matrix core_;
  std::array<MatrixXd, most_momenta> overlap_;
};

/// Columns: functions of the molecule's shell in terms of the atom's. Only d shells can differ: f shells are
/// empty in what follows, unless they are spherical.
MatrixXd shell_transformation(const GaussianShell& molecular, const GaussianShell& atomic) {
  const int rows = molecular.num_functions(), columns = atomic.num_functions();
  if (rows == columns) return MatrixXd::Identity(rows, columns);
  MatrixXd t = MatrixXd::Zero(rows, columns);
  if (molecular.angular_momentum != 2) return t;
  // xx, xy, xz, yy, yz, zz, all normalised as xx; m = -2 .. 2.
  const double root3 = std::sqrt(3.0);
  t(1, 0) = t(4, 1) = t(2, 3) = root3;
  t(5, 2) = 1.0;
  t(0, 2) = t(3, 2) = -0.5;
  t(0, 4) = 0.5 * root3;
  t(3, 4) = -0.5 * root3;
  return t;
}

}  // namespace

Matrix superposed_atomic_density(const Geometry& geometry, const GaussianBasis& basis) {
  Matrix density(basis.num_functions, basis.num_functions);
  auto all = as_eigen(density);
  std::map<std::pair<int, int>, MatrixXd> of_kind;  // by nuclear charge and basis set
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    const Atom& place = geometry.atoms[a];
    if (place.is_ghost()) continue;  // no electrons
    std::vector<GaussianShell> shells;
    for (const GaussianShell& shell : basis.shells) {
      if (shell.atom == static_cast<int>(a)) shells.push_back(shell);
    }
    const std::pair kind(place.charge, place.set);
    if (!of_kind.contains(kind)) {
      const AtomicScf atom(place.charge, shells);
      int functions = 0;
      for (const GaussianShell& shell : shells) functions += shell.num_functions();
      MatrixXd t = MatrixXd::Zero(functions, atom.basis().num_functions);
      for (std::size_t s = 0; s < shells.size(); ++s) {
        const GaussianShell& own = atom.basis().shells[s];
        t.block(shells[s].first_function - shells[0].first_function, own.first_function,
                shells[s].num_functions(), own.num_functions()) = shell_transformation(shells[s], own);
      }
      of_kind[kind] = t * atom.density() * t.transpose();
    }
    const MatrixXd& d = of_kind[kind];
    all.block(shells[0].first_function, shells[0].first_function, d.rows(), d.cols()) = d;
  }
  return density;
}

}  // namespace cisolve::detail
