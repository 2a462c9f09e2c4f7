// SPDX-License-Identifier: MIT
#include "cisolve/molecule/transformation.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "cisolve/core/array.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using Eigen::Index;
using Eigen::MatrixXd;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

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
  const MatrixXd transformed = active.transpose() * h * active;
  for (int p = 0; p < out.num_orbitals; ++p) {
    for (int q = 0; q <= p; ++q) {
      const bool allowed = out.irreps[size(p)] == out.irreps[size(q)];
      out.h(p, q) = allowed ? 0.5 * (transformed(p, q) + transformed(q, p)) : 0.0;
    }
  }
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

/// The first two indices of the active integrals with p in [first, last).
void transform_block(const FunctionIntegrals& functions, const MatrixXd& c, Index first, Index last,
                     Integrals& out) {
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
        double* to = out.two.data() + cisolve::num_pairs(size(pq));
        const int irrep = out.irreps[size(p)] ^ out.irreps[size(q)];
        for (Index r = 0; r <= p; ++r) {
          for (Index s = 0; s <= (r == p ? q : r); ++s) {
            const bool allowed = (out.irreps[size(r)] ^ out.irreps[size(s)]) == irrep;
            *to++ = allowed ? both(s, r) : 0.0;
          }
        }
      }
    }
  }
}

}  // namespace

ActiveIntegrals transform_integrals(const FunctionIntegrals& functions, const ScfOrbitals& orbitals,
                                    const std::vector<int>& core, const std::vector<int>& virtuals,
                                    const TransformationConfig& config, const Progress& progress) {
  const OrbitalPartition partition = partition_orbitals(orbitals.coefficients.columns(), core, virtuals);
  const auto all = as_eigen(orbitals.coefficients);
  const auto columns = [&](const std::vector<int>& which) {
    MatrixXd c(all.rows(), static_cast<Index>(which.size()));
    for (std::size_t k = 0; k < which.size(); ++k) c.col(static_cast<Index>(k)) = all.col(which[k]);
    return c;
  };
  const MatrixXd active = columns(partition.active);
  ActiveIntegrals result;
  result.active_orbitals = partition.active;
  result.integrals = Integrals(static_cast<int>(active.cols()));
  for (std::size_t k = 0; k < partition.active.size(); ++k) {
    result.integrals.irreps[k] = orbitals.irreps[size(partition.active[k])];
  }
  transform_one_electron(functions, columns(partition.core), active, result.integrals);

  const auto bytes_per_pair = static_cast<double>(num_pairs(size(active.rows()))) * sizeof(double);
  for (Index first = 0; first < active.cols();) {
    Index last = first + 1;
    const auto pairs_to = [&](Index end) {
      return static_cast<double>(num_pairs(size(end)) - num_pairs(size(first)));
    };
    while (last < active.cols() &&
           pairs_to(last + 1) * bytes_per_pair <= static_cast<double>(config.max_bytes))
      ++last;
    transform_block(functions, active, first, last, result.integrals);
    first = last;
    if (progress)
      progress(static_cast<double>(num_pairs(size(last))) /
               static_cast<double>(num_pairs(size(active.cols()))));
  }
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
