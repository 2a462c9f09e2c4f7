// SPDX-License-Identifier: MIT
// The only file that includes Libint2: its header takes half a minute to compile.
#include <libint2.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {

bool gaussian_integrals_available() { return true; }

namespace detail {
namespace {

/// Libint's tables, for as long as the program runs.
void start_libint() {
  struct Library {
    Library() { libint2::initialize(); }
    ~Library() { libint2::finalize(); }
  };
  static const Library library;
}

libint2::Shell to_libint(const GaussianShell& shell) {
  using libint2::Shell;
  libint2::svector<double> exponents(shell.exponents.begin(), shell.exponents.end());
  libint2::svector<double> coefficients(shell.coefficients.begin(), shell.coefficients.end());
  return Shell{std::move(exponents),
               {{shell.angular_momentum, shell.spherical, std::move(coefficients)}},
               shell.centre};
}

std::vector<libint2::Shell> to_libint(const GaussianBasis& basis) {
  start_libint();
  std::vector<libint2::Shell> shells;
  for (const GaussianShell& shell : basis.shells) shells.push_back(to_libint(shell));
  return shells;
}

/// A default-constructed engine knows no shells; these sizes fit all of them.
libint2::Engine make_engine(libint2::Operator what, const std::vector<libint2::Shell>& shells) {
  std::size_t primitives = 1;
  int largest = 0;
  for (const auto& shell : shells) {
    primitives = std::max(primitives, shell.nprim());
    largest = std::max(largest, shell.contr.front().l);
  }
  return libint2::Engine(what, primitives, largest);
}

/// Adds the matrices of a one-electron operator, the first `skip` of them left out.
template <std::size_t count>
void add_one_electron(const GaussianBasis& basis, const std::vector<libint2::Shell>& shells,
                      libint2::Engine& engine, std::size_t skip, std::array<Matrix*, count> out) {
  const auto& results = engine.results();
  for (std::size_t a = 0; a < shells.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      // Not compute(): it refers to the two-electron integrals of every operator, and all of them are compiled.
      engine.compute1(shells[a], shells[b]);
      const int rows = basis.shells[a].num_functions(), columns = basis.shells[b].num_functions();
      for (std::size_t k = 0; k < count; ++k) {
        const double* block = results[skip + k];
        if (block == nullptr) continue;
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < columns; ++j) {
            const int p = basis.shells[a].first_function + i, q = basis.shells[b].first_function + j;
            const double value = block[i * columns + j];
            (*out[k])(p, q) += value;
            if (a != b) (*out[k])(q, p) += value;
          }
        }
      }
    }
  }
}

/// Adds (r - centre) . F: what a field does to electrons.
void add_field(const GaussianBasis& basis, const Geometry& geometry, Matrix& hamiltonian) {
  const auto position = position_integrals(basis, charge_centre(geometry));
  for (int q = 0; q < hamiltonian.columns(); ++q) {
    for (int p = 0; p < hamiltonian.rows(); ++p) {
      for (std::size_t x = 0; x < 3; ++x)
        hamiltonian(p, q) += geometry.surroundings.field[x] * position[x](p, q);
    }
  }
}

}  // namespace

OneElectronMatrices one_electron_matrices(const GaussianBasis& basis, const Geometry& geometry) {
  const auto shells = to_libint(basis);
  const int n = basis.num_functions;
  OneElectronMatrices matrices{Matrix(n, n), Matrix(n, n)};
  auto overlap = make_engine(libint2::Operator::overlap, shells);
  add_one_electron<1>(basis, shells, overlap, 0, {&matrices.overlap});
  auto kinetic = make_engine(libint2::Operator::kinetic, shells);
  add_one_electron<1>(basis, shells, kinetic, 0, {&matrices.core_hamiltonian});
  auto nuclear = make_engine(libint2::Operator::nuclear, shells);
  std::vector<std::pair<double, std::array<double, 3>>> charges;
  for (const Atom& atom : geometry.atoms) charges.emplace_back(atom.charge, atom.position);
  for (const PointCharge& other : geometry.surroundings.charges)
    charges.emplace_back(other.charge, other.position);
  nuclear.set_params(charges);
  add_one_electron<1>(basis, shells, nuclear, 0, {&matrices.core_hamiltonian});
  if (geometry.surroundings.has_field()) add_field(basis, geometry, matrices.core_hamiltonian);
  return matrices;
}

struct RepulsionEngine::Implementation {
  std::vector<libint2::Shell> shells;
  std::vector<libint2::ShellPair> pairs;  ///< packed lower triangle
  std::vector<libint2::Engine> engines;   ///< one per worker

  const libint2::ShellPair& pair(int i, int j) const {
    return pairs[static_cast<std::size_t>(i) * (static_cast<std::size_t>(i) + 1) / 2 +
                 static_cast<std::size_t>(j)];
  }
};

RepulsionEngine::RepulsionEngine(const GaussianBasis& basis, double precision, int workers)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& self = *implementation_;
  self.shells = to_libint(basis);
  auto engine = make_engine(libint2::Operator::coulomb, self.shells);
  engine.set_precision(precision);
  const double log_precision = std::log(engine.precision());
  for (std::size_t i = 0; i < self.shells.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      self.pairs.emplace_back(self.shells[i], self.shells[j], log_precision, engine.screening_method());
    }
  }
  self.engines.assign(workers, engine);
}

RepulsionEngine::~RepulsionEngine() = default;

const double* RepulsionEngine::compute(int worker, int i, int j, int k, int l) {
  using libint2::BraKet;
  using libint2::Operator;
  Implementation& self = *implementation_;
  const auto shell = [&](int s) -> const libint2::Shell& { return self.shells[s]; };
  auto& engine = self.engines[worker];
  engine.compute2<Operator::coulomb, BraKet::xx_xx, 0>(shell(i), shell(j), shell(k), shell(l),
                                                       &self.pair(i, j), &self.pair(k, l));
  return engine.results()[0];
}

}  // namespace detail

std::array<Matrix, 3> position_integrals(const GaussianBasis& basis, const Position& origin) {
  const auto shells = detail::to_libint(basis);
  const int n = basis.num_functions;
  std::array<Matrix, 3> matrices{Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  auto engine = detail::make_engine(libint2::Operator::emultipole1, shells);
  engine.set_params(origin);
  detail::add_one_electron<3>(basis, shells, engine, 1, {&matrices[0], &matrices[1], &matrices[2]});
  return matrices;
}

std::array<Matrix, 6> second_moment_integrals(const GaussianBasis& basis, const Position& origin) {
  constexpr std::size_t first = 4;  // after the overlap and the positions
  const auto shells = detail::to_libint(basis);
  const int n = basis.num_functions;
  std::array<Matrix, 6> matrices;
  matrices.fill(Matrix(n, n));
  auto engine = detail::make_engine(libint2::Operator::emultipole2, shells);
  engine.set_params(origin);
  detail::add_one_electron<6>(
      basis, shells, engine, first,
      {&matrices[0], &matrices[1], &matrices[2], &matrices[3], &matrices[4], &matrices[5]});
  return matrices;
}

}  // namespace cisolve
