// SPDX-License-Identifier: MIT
#include "molecule/orbital_integrals.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/orbital_rotations.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using detail::as_size;
using Eigen::Index;
using Eigen::MatrixXd;

/// Integrals (mn|lv) of all pairs of functions m >= n, all functions l and some active orbitals v.
class HalfTransformedColumns {
public:
  HalfTransformedColumns(Index functions, Index columns)
      : functions_(functions), columns_(columns),
        values_(cisolve::num_pairs(as_size(functions)) * as_size(functions * columns)) {}

  /// [functions l x orbitals v] of a pair of functions.
  Eigen::Map<MatrixXd> of(std::size_t pair) {
    return {values_.data() + pair * as_size(functions_ * columns_), functions_, columns_};
  }

private:
  Index functions_, columns_;
  Array<double> values_;
};

/// Adds what active orbitals v in [first, last) bring: pairs u >= v.
void add_pairs_of(const Repulsion& repulsion, const MatrixXd& active, Index first, Index last,
                  detail::ActivePairIntegrals& out) {
  const Index n = active.rows(), count = active.cols(), batch = last - first;
  HalfTransformedColumns half(n, batch);
  std::vector<std::pair<Index, Index>> functions;  // of each pair
  for (Index m = 0; m < n; ++m) {
    for (Index k = 0; k <= m; ++k) functions.emplace_back(m, k);
  }
  const auto column = [&](Index u, Index v) {
    return static_cast<Index>(pair_index(as_size(u), as_size(v)));
  };
  repulsion.for_each_row([&](std::size_t pair, std::span<const double> row) {
    thread_local MatrixXd full, both;
    full.resize(n, n);
    detail::unpack_symmetric(row.data(), full);
    auto one = half.of(pair);
    one.noalias() = full * active.middleCols(first, batch);
    both.noalias() = active.transpose() * one;
    const auto [m, k] = functions[pair];
    for (Index v = first; v < last; ++v) {
      for (Index u = v; u < count; ++u) {
        out.coulomb(k * n + m, column(u, v)) = both(u, v - first);
        out.coulomb(m * n + k, column(u, v)) = both(u, v - first);
      }
    }
  });
  // (mu|lv) = sum_k (mk|lv) C_ku: all k of one m side by side.
  parallel_for(n, 1, [&](std::int64_t m) {
    MatrixXd gathered(n * batch, n);
    for (Index k = 0; k < n; ++k) gathered.col(k) = half.of(pair_index(as_size(m), as_size(k))).reshaped();
    const MatrixXd transformed = gathered * active;  // [(l, v) x u]
    for (Index v = first; v < last; ++v) {
      for (Index u = v; u < count; ++u) {
        for (Index l = 0; l < n; ++l)
          out.exchange(l * n + m, column(u, v)) = transformed((v - first) * n + l, u);
      }
    }
  });
}

/// C^T m C of matrices that are columns.
MatrixXd to_orbitals(const MatrixXd& over_functions, const MatrixXd& c) {
  const Index functions = c.rows(), n = c.cols();
  MatrixXd out(n * n, over_functions.cols());
  parallel_for(over_functions.cols(), 1, [&](std::int64_t k) {
    const Eigen::Map<const MatrixXd> from(over_functions.col(k).data(), functions, functions);
    Eigen::Map<MatrixXd>(out.col(k).data(), n, n) = c.transpose() * (from * c);
  });
  return out;
}

MatrixXd mean_field(const Repulsion& repulsion, const MatrixXd& density) {
  const Matrix one = detail::to_matrix(density);
  const auto jk = repulsion.coulomb_exchange({&one, 1});
  return as_eigen(jk[0].coulomb) - 0.5 * as_eigen(jk[0].exchange);
}

/// F^I and the energy of the inactive orbitals.
void add_inactive(const FunctionIntegrals& functions, const MatrixXd& c, OrbitalIntegrals::Data& data) {
  MatrixXd h = as_eigen(functions.core_hamiltonian);
  data.inactive_energy = functions.nuclear_energy;
  if (!data.inactive.empty()) {
    const MatrixXd occupied = c(Eigen::all, data.inactive);
    const MatrixXd density = 2.0 * occupied * occupied.transpose();
    const MatrixXd field = mean_field(functions.repulsion, density);
    data.inactive_energy += density.cwiseProduct(h + 0.5 * field).sum();
    h += field;
  }
  data.inactive_fock = c.transpose() * h * c;
}

}  // namespace

namespace detail {

ActivePairIntegrals active_pair_integrals(const Repulsion& repulsion, const MatrixXd& active,
                                          std::int64_t max_bytes) {
  const Index n = active.rows(), count = active.cols();
  const auto pairs = static_cast<Index>(num_pairs(as_size(count)));
  ActivePairIntegrals out{MatrixXd(n * n, pairs), MatrixXd(n * n, pairs)};
  const auto bytes_per_orbital =
      static_cast<std::int64_t>(num_pairs(as_size(n)) * as_size(n) * sizeof(double));
  const Index at_a_time = std::clamp<Index>(max_bytes / bytes_per_orbital, 1, std::max<Index>(count, 1));
  for (Index first = 0; first < count; first += at_a_time)
    add_pairs_of(repulsion, active, first, std::min(count, first + at_a_time), out);
  return out;
}

}  // namespace detail

FunctionIntegrals::FunctionIntegrals(const MolecularBasis& molecule)
    : core_hamiltonian(
          detail::one_electron_matrices(molecule.basis, molecule.frame.geometry).core_hamiltonian),
      nuclear_energy(cisolve::nuclear_energy(molecule.frame.geometry)), repulsion(molecule.repulsion) {}

FunctionIntegrals::FunctionIntegrals(const Integrals& integrals, const Repulsion& pairs)
    : core_hamiltonian(integrals.num_orbitals, integrals.num_orbitals), nuclear_energy(integrals.core_energy),
      repulsion(pairs) {
  for (int q = 0; q < integrals.num_orbitals; ++q) {
    for (int p = 0; p < integrals.num_orbitals; ++p) core_hamiltonian(p, q) = integrals.h(p, q);
  }
}

std::int64_t orbital_optimisation_bytes(int num_functions, int num_active, std::int64_t max_bytes) {
  // Of n^2 a (a + 1) / 2 numbers: three sets kept, four while integrals are transformed, or two and their derivatives.
  constexpr double sets = 3.0 + 2.0 + 4.0, size_of_number = 8.0;
  const double n = num_functions, a = num_active;
  const double set = n * n * 0.5 * a * (a + 1.0) * size_of_number;
  const double half = 0.5 * n * (n + 1.0) * n * size_of_number;  // of one active orbital
  const double at_a_time =
      std::clamp(std::floor(static_cast<double>(max_bytes) / half), 1.0, std::max(a, 1.0));
  constexpr double densities = 4.0;  // averaged, of a root, in two layouts
  const double bytes = sets * set + at_a_time * half + densities * a * a * a * a * size_of_number;
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(bytes, most));
}

std::vector<int> ClassifiedOrbitals::of(OrbitalClass which) const {
  std::vector<int> orbitals;
  for (int p = 0; p < std::ssize(classes); ++p) {
    if (classes[as_size(p)] == which) orbitals.push_back(p);
  }
  return orbitals;
}

std::vector<OrbitalPair> rotations_between_classes(const ClassifiedOrbitals& orbitals,
                                                   std::span<const int> fixed) {
  const auto turns = [&](int p) { return std::ranges::find(fixed, p) == fixed.end(); };
  const auto change_energy = [&](int p, int q) {
    const OrbitalClass one = orbitals.classes[as_size(p)], other = orbitals.classes[as_size(q)];
    if (one != other) return one > other;  // every pair once
    const bool between = one == OrbitalClass::active && !orbitals.subspaces.empty() &&
                         orbitals.subspaces[as_size(p)] != orbitals.subspaces[as_size(q)];
    return between && p > q;
  };
  std::vector<OrbitalPair> pairs;
  const int n = static_cast<int>(orbitals.classes.size());
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      if (!change_energy(p, q)) continue;
      if (orbitals.irreps[as_size(p)] == orbitals.irreps[as_size(q)] && turns(p) && turns(q))
        pairs.push_back({p, q});
    }
  }
  return pairs;
}

Matrix turned_orbitals(const Matrix& coefficients, std::span<const OrbitalPair> pairs,
                       std::span<const double> x) {
  if (x.size() != pairs.size()) throw DimensionError("turned_orbitals: one element of x per pair");
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  MatrixXd kappa = MatrixXd::Zero(coefficients.columns(), coefficients.columns());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    kappa(pairs[k].p, pairs[k].q) = x[k];
    kappa(pairs[k].q, pairs[k].p) = -x[k];
  }
  return detail::to_matrix(detail::rotated(as_eigen(coefficients), kappa));
}

Matrix averaged_fock(const FunctionIntegrals& functions, const ClassifiedOrbitals& orbitals,
                     const Matrix& one) {
  const std::vector<int> inactive = orbitals.of(OrbitalClass::inactive),
                         active = orbitals.of(OrbitalClass::active);
  if (one.rows() != std::ssize(active) || one.columns() != one.rows())
    throw DimensionError("averaged_fock: a density of another number of active orbitals");
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const MatrixXd c = as_eigen(orbitals.coefficients);
  const MatrixXd doubly = c(Eigen::all, inactive), partly = c(Eigen::all, active);
  const MatrixXd density = 2.0 * doubly * doubly.transpose() + partly * as_eigen(one) * partly.transpose();
  MatrixXd h = as_eigen(functions.core_hamiltonian);
  h += mean_field(functions.repulsion, density);
  return detail::to_matrix(c.transpose() * h * c);
}

OrbitalIntegrals::OrbitalIntegrals(const FunctionIntegrals& functions, ClassifiedOrbitals orbitals,
                                   std::int64_t max_bytes)
    : data_(std::make_unique<Data>()) {
  const auto n = as_size(orbitals.coefficients.columns());
  const bool has_subspaces = orbitals.subspaces.empty() || orbitals.subspaces.size() == n;
  if (orbitals.irreps.size() != n || orbitals.classes.size() != n || !has_subspaces ||
      orbitals.coefficients.rows() != functions.num_functions())
    throw DimensionError("OrbitalIntegrals: irreps, classes and coefficients of different orbitals");
  data_->inactive = orbitals.of(OrbitalClass::inactive);
  data_->active = orbitals.of(OrbitalClass::active);
  data_->orbitals = std::move(orbitals);
  const MatrixXd c = as_eigen(data_->orbitals.coefficients);
  detail::ActivePairIntegrals pairs =
      detail::active_pair_integrals(functions.repulsion, c(Eigen::all, data_->active), max_bytes);
  data_->coulomb = to_orbitals(pairs.coulomb, c);
  data_->exchange = to_orbitals(pairs.exchange, c);
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  add_inactive(functions, c, *data_);
}

OrbitalIntegrals::~OrbitalIntegrals() = default;
OrbitalIntegrals::OrbitalIntegrals(OrbitalIntegrals&&) noexcept = default;
OrbitalIntegrals& OrbitalIntegrals::operator=(OrbitalIntegrals&&) noexcept = default;

const ClassifiedOrbitals& OrbitalIntegrals::orbitals() const { return data_->orbitals; }

Integrals OrbitalIntegrals::active() const {
  const auto& [orbitals, inactive, active, energy, fock, coulomb, exchange] = *data_;
  const Index n = orbitals.coefficients.columns();
  Integrals out(static_cast<int>(active.size()));
  out.core_energy = energy;
  const int count = out.num_orbitals;
  for (int u = 0; u < count; ++u) out.irreps[as_size(u)] = orbitals.irreps[as_size(active[as_size(u)])];
  const auto irrep = [&](int u, int v) { return out.irreps[as_size(u)] ^ out.irreps[as_size(v)]; };
  for (int u = 0; u < count; ++u) {
    for (int v = 0; v <= u; ++v) {
      const int p = active[as_size(u)], q = active[as_size(v)];
      if (irrep(u, v) == 0) out.h(u, v) = 0.5 * (fock(p, q) + fock(q, p));
      const std::size_t uv = pair_index(as_size(u), as_size(v));
      for (int w = 0; w <= u; ++w) {
        for (int x = 0; x <= (w == u ? v : w); ++x) {
          if (irrep(w, x) == irrep(u, v))
            out.eri(u, v, w, x) =
                coulomb(Index{active[as_size(x)]} * n + active[as_size(w)], static_cast<Index>(uv));
        }
      }
    }
  }
  return out;
}

}  // namespace cisolve
