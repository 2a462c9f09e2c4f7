// SPDX-License-Identifier: MIT
#include "cisolve/molecule/transformation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using Eigen::Index;
using Eigen::MatrixXd;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// Some of the orbitals.
MatrixXd columns(const ScfOrbitals& orbitals, const std::vector<int>& which) {
  const auto all = as_eigen(orbitals.coefficients);
  MatrixXd c(all.rows(), static_cast<Index>(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k) c.col(static_cast<Index>(k)) = all.col(which[k]);
  return c;
}

/// The packed matrix of a totally symmetric operator over orbitals.
std::vector<double> over_orbitals(const MatrixXd& h, const MatrixXd& c, const std::vector<int>& irreps) {
  const MatrixXd transformed = c.transpose() * h * c;
  std::vector<double> packed;
  for (Index p = 0; p < c.cols(); ++p) {
    for (Index q = 0; q <= p; ++q) {
      const bool allowed = irreps[size(p)] == irreps[size(q)];
      packed.push_back(allowed ? 0.5 * (transformed(p, q) + transformed(q, p)) : 0.0);
    }
  }
  return packed;
}

/// One-electron integrals and core energy with the core folded in.
void transform_one_electron(const FunctionIntegrals& functions, const MatrixXd& core, const MatrixXd& active,
                            Integrals& out) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  MatrixXd h = as_eigen(functions.core_hamiltonian);
  out.core_energy = functions.nuclear_energy;
  if (core.cols() > 0) {
    const Matrix density = detail::to_matrix(2.0 * core * core.transpose());
    const auto jk = functions.repulsion.coulomb_exchange({&density, 1});
    const MatrixXd mean_field = as_eigen(jk[0].coulomb) - 0.5 * as_eigen(jk[0].exchange);
    out.core_energy += as_eigen(density).cwiseProduct(h + 0.5 * mean_field).sum();
    h += mean_field;
  }
  out.one = over_orbitals(h, active, out.irreps);
}

/// The same of both spins: alpha's orbitals first.
void transform_one_electron(const FunctionIntegrals& functions, const MatrixXd (&core)[2],
                            const MatrixXd (&active)[2], Integrals& out) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  MatrixXd h[2] = {as_eigen(functions.core_hamiltonian), as_eigen(functions.core_hamiltonian)};
  out.core_energy = functions.nuclear_energy;
  if (core[0].cols() > 0) {
    const Matrix densities[2] = {detail::to_matrix(core[0] * core[0].transpose()),
                                 detail::to_matrix(core[1] * core[1].transpose())};
    const auto jk = functions.repulsion.coulomb_exchange(densities);
    const MatrixXd coulomb = as_eigen(jk[0].coulomb) + as_eigen(jk[1].coulomb);
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const MatrixXd mean_field = coulomb - as_eigen(jk[spin].exchange);
      out.core_energy += as_eigen(densities[spin]).cwiseProduct(h[spin] + 0.5 * mean_field).sum();
      h[spin] += mean_field;
    }
  }
  out.one = over_orbitals(h[0], active[0], out.irreps);
  out.beta->one = over_orbitals(h[1], active[1], out.irreps);
}

/// (mn|pq) of all pairs of functions and the pairs p >= q of orbitals with p in [first, last).
class HalfTransformed {
public:
  HalfTransformed(Index num_pairs, Index first, Index last)
      : first_(static_cast<Index>(cisolve::num_pairs(size(first)))),
        columns_(static_cast<Index>(cisolve::num_pairs(size(last))) - first_),
        values_(size(num_pairs * columns_)) {}

  double* row(std::size_t pair) { return values_.data() + pair * size(columns_); }

  /// Columns of consecutive pairs pq, each as a packed triangle of functions: [count][num_pairs].
  void columns(Index first_pair, Index count, std::size_t num_pairs, std::vector<double>& out) const {
    out.resize(size(count) * num_pairs);
    for (std::size_t pair = 0; pair < num_pairs; ++pair) {
      const double* from = values_.data() + pair * size(columns_) + size(first_pair - first_);
      for (std::size_t k = 0; k < size(count); ++k) out[k * num_pairs + pair] = from[k];
    }
  }

private:
  Index first_, columns_;
  Array<double> values_;
};

/// Where integrals over orbitals of one spin go; and those that have the other spin's orbitals at r and s.
struct TwoElectronTarget {
  const std::vector<int>& irreps;
  std::vector<double>& two;
  const MatrixXd* other = nullptr;       ///< the other spin's orbitals; null: none are wanted over them
  std::vector<double>* mixed = nullptr;  ///< with those, as BetaIntegrals::mixed
};

/// The elements over r and s of a symmetric matrix that an irrep allows, up to r = last and there s = last_s.
double* write_allowed(const MatrixXd& values, const std::vector<int>& irreps, int irrep,
                      std::pair<Index, Index> last, double* to) {
  for (Index r = 0; r <= last.first; ++r) {
    for (Index s = 0; s <= (r == last.first ? last.second : r); ++s) {
      const bool allowed = (irreps[size(r)] ^ irreps[size(s)]) == irrep;
      *to++ = allowed ? values(s, r) : 0.0;
    }
  }
  return to;
}

/// The first two indices of the active integrals with p in [first, last).
void transform_block(const FunctionIntegrals& functions, const MatrixXd& c, Index first, Index last,
                     const TwoElectronTarget& out) {
  const Index n = c.rows();
  const std::size_t num_pairs = cisolve::num_pairs(size(n));
  HalfTransformed half(static_cast<Index>(num_pairs), first, last);
  functions.repulsion.for_each_row([&](std::size_t pair, std::span<const double> row) {
    thread_local MatrixXd full, one, both;
    full.resize(n, n);
    detail::unpack_symmetric(row.data(), full);
    one.noalias() = full * c.leftCols(last);
    both.noalias() = one.transpose() * c.middleCols(first, last - first);  // (q, p)
    double* to = half.row(pair);
    for (Index p = first; p < last; ++p) to = std::copy_n(both.col(p - first).data(), p + 1, to);
  });

  constexpr Index batch = 16;  // pairs pq whose columns are gathered together
  const auto first_pair = static_cast<Index>(cisolve::num_pairs(size(first)));
  const auto last_pair = static_cast<Index>(cisolve::num_pairs(size(last)));
  std::vector<std::pair<Index, Index>> orbitals;  // of each pair
  for (Index p = first; p < last; ++p) {
    for (Index q = 0; q <= p; ++q) orbitals.emplace_back(p, q);
  }
#pragma omp parallel
  {
    std::vector<double> columns;
    MatrixXd full(n, n), one, both;
#pragma omp for schedule(dynamic)
    for (Index start = first_pair; start < last_pair; start += batch) {
      const Index count = std::min(batch, last_pair - start);
      half.columns(start, count, num_pairs, columns);
      for (Index k = 0; k < count; ++k) {
        const Index pq = start + k;
        const auto [p, q] = orbitals[size(pq - first_pair)];
        const auto left = c.leftCols(p + 1);
        detail::unpack_symmetric(columns.data() + size(k) * num_pairs, full);
        one.noalias() = full * left;
        both.noalias() = left.transpose() * one;
        const int irrep = out.irreps[size(p)] ^ out.irreps[size(q)];
        write_allowed(both, out.irreps, irrep, {p, q}, out.two.data() + cisolve::num_pairs(size(pq)));
        if (out.other == nullptr) continue;
        one.noalias() = full * *out.other;
        both.noalias() = out.other->transpose() * one;
        const Index n_orbitals = both.cols();
        write_allowed(both, out.irreps, irrep, {n_orbitals - 1, n_orbitals - 1},
                      out.mixed->data() + size(pq) * cisolve::num_pairs(size(n_orbitals)));
      }
    }
  }
}

/// All two-electron integrals of a spin, in as many passes over the functions as memory asks for.
void transform_two_electron(const FunctionIntegrals& functions, const MatrixXd& c,
                            const TwoElectronTarget& out, const TransformationConfig& config,
                            const Progress& progress) {
  const auto bytes_per_pair = static_cast<double>(num_pairs(size(c.rows()))) * sizeof(double);
  for (Index first = 0; first < c.cols();) {
    Index last = first + 1;
    const auto pairs_to = [&](Index end) {
      return static_cast<double>(num_pairs(size(end)) - num_pairs(size(first)));
    };
    while (last < c.cols() && pairs_to(last + 1) * bytes_per_pair <= static_cast<double>(config.max_bytes))
      ++last;
    transform_block(functions, c, first, last, out);
    first = last;
    if (progress)
      progress(static_cast<double>(num_pairs(size(last))) / static_cast<double>(num_pairs(size(c.cols()))));
  }
}

ActiveIntegrals empty_integrals(const OrbitalPartition& partition, const std::vector<int>& irreps) {
  ActiveIntegrals result;
  result.active_orbitals = partition.active;
  result.integrals = Integrals(static_cast<int>(partition.active.size()));
  for (std::size_t k = 0; k < partition.active.size(); ++k)
    result.integrals.irreps[k] = irreps[size(partition.active[k])];
  return result;
}

/// <p alpha|q beta> of all orbitals; what the irreps forbid is zero.
Matrix overlap_of_spins(const MolecularBasis& molecule, const SpinOrbitalSets& orbitals) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const Matrix overlap = detail::one_electron_matrices(molecule.basis, molecule.frame.geometry).overlap;
  Matrix u = detail::to_matrix(as_eigen(orbitals.alpha.coefficients).transpose() * as_eigen(overlap) *
                               as_eigen(orbitals.beta.coefficients));
  for (int q = 0; q < u.columns(); ++q) {
    for (int p = 0; p < u.rows(); ++p) {
      if (orbitals.alpha.irreps[p] != orbitals.alpha.irreps[q]) u(p, q) = 0.0;
    }
  }
  return u;
}

/// A part of the progress, which begins when another part is done.
Progress part_of(const Progress& progress, double begin, double end) {
  if (!progress) return {};
  return [&progress, begin, end](double done) { progress(begin + done * (end - begin)); };
}

}  // namespace

ActiveIntegrals transform_integrals(const FunctionIntegrals& functions, const ScfOrbitals& orbitals,
                                    const std::vector<int>& core, const std::vector<int>& virtuals,
                                    const TransformationConfig& config, const Progress& progress) {
  const OrbitalPartition partition = partition_orbitals(orbitals.coefficients.columns(), core, virtuals);
  ActiveIntegrals result = empty_integrals(partition, orbitals.irreps);
  Integrals& out = result.integrals;
  const MatrixXd active = columns(orbitals, partition.active);
  transform_one_electron(functions, columns(orbitals, partition.core), active, out);
  transform_two_electron(functions, active, {out.irreps, out.two}, config, progress);
  return result;
}

ActiveIntegrals transform_integrals(const MolecularBasis& molecule, const SpinOrbitalSets& orbitals,
                                    const std::vector<int>& core, const std::vector<int>& virtuals,
                                    const TransformationConfig& config, const Progress& progress) {
  const auto& [alpha, beta] = orbitals;
  if (alpha.irreps != beta.irreps || alpha.coefficients.columns() != beta.coefficients.columns())
    throw DimensionError("transform_integrals: orbitals of the two spins differ in number or in irreps");
  const OrbitalPartition partition = partition_orbitals(alpha.coefficients.columns(), core, virtuals);
  ActiveIntegrals result = empty_integrals(partition, alpha.irreps);
  Integrals& out = result.integrals;
  out.beta = make_beta_integrals(out.num_orbitals);
  const FunctionIntegrals functions(molecule);
  const MatrixXd cores[2] = {columns(alpha, partition.core), columns(beta, partition.core)};
  const MatrixXd active[2] = {columns(alpha, partition.active), columns(beta, partition.active)};
  transform_one_electron(functions, cores, active, out);
  constexpr double share_of_alpha = 0.7;  // of the time: (aa|aa) and (aa|bb)
  transform_two_electron(functions, active[0], {out.irreps, out.two, &active[1], &out.beta->mixed}, config,
                         part_of(progress, 0.0, share_of_alpha));
  transform_two_electron(functions, active[1], {out.irreps, out.beta->two}, config,
                         part_of(progress, share_of_alpha, 1.0));

  std::vector<int> empty;
  for (int p = 0; p < alpha.coefficients.columns(); ++p) {
    if (!std::ranges::binary_search(partition.active, p) && !std::ranges::binary_search(partition.core, p))
      empty.push_back(p);
  }
  out.beta->overlap = freeze(spin_overlap(overlap_of_spins(molecule, orbitals), "basis functions"),
                             partition.core, empty, partition.active);
  return result;
}

int noble_gas_core(const Geometry& geometry) {
  constexpr int noble_gases[] = {2, 10, 18, 36, 54, 86};
  int orbitals = 0;
  for (const Atom& atom : geometry.atoms) {
    int core = 0;  // electrons
    for (const int gas : noble_gases) core = gas < atom.charge ? gas : core;
    orbitals += core / 2;
  }
  return orbitals;
}

}  // namespace cisolve
