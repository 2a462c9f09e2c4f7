// SPDX-License-Identifier: MIT
#include "cisolve/lapw/muffin_tin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "lapw/blas.hpp"

namespace cisolve::lapw {
namespace {

/// part, which may be smaller, added to the corner of a matrix.
void add_corner(ComplexMatrix& matrix, const ComplexMatrix& part) {
  for (int column = 0; column < part.columns(); ++column) {
    for (int row = 0; row < part.rows(); ++row) matrix(row, column) += part(row, column);
  }
}

/// Some columns, each times the root of the size of its eigenvalue.
ComplexMatrix scaled_vectors(const ComplexMatrix& vectors, const std::vector<double>& values, int first,
                             int count) {
  ComplexMatrix scaled(vectors.rows(), count);
  for (int column = 0; column < count; ++column) {
    const double factor = std::sqrt(std::abs(values[static_cast<std::size_t>(first + column)]));
    for (int row = 0; row < vectors.rows(); ++row)
      scaled(row, column) = factor * vectors(row, first + column);
  }
  return scaled;
}

}  // namespace

MuffinTin muffin_tin(const AtomType& type) {
  const int n = num_functions(type.lmax);
  MuffinTin tin;
  tin.lmax = type.lmax;
  tin.udot_norm = type.radial.udot_norm;
  if (tin.udot_norm.size() != static_cast<std::size_t>(type.lmax + 1) ||
      type.energy.size() != tin.udot_norm.size() || type.nonspherical.aa.rows() > n) {
    throw DimensionError("muffin_tin: the radial functions of the type are needed, one per l");
  }
  tin.t_aa = tin.t_ab = tin.t_bb = ComplexMatrix(n, n);
  for (int l = 0; l <= type.lmax; ++l) {
    const double energy = type.energy[static_cast<std::size_t>(l)];
    for (int i = function_index(l, -l); i <= function_index(l, l); ++i) {
      tin.t_aa(i, i) = energy;
      tin.t_ab(i, i) = 0.5;
      tin.t_bb(i, i) = energy * tin.udot_norm[static_cast<std::size_t>(l)];
    }
  }
  add_corner(tin.t_aa, type.nonspherical.aa);
  add_corner(tin.t_ab, type.nonspherical.ab);
  add_corner(tin.t_bb, type.nonspherical.bb);
  return tin;
}

std::vector<double> udot_norms_by_function(const MuffinTin& tin) {
  std::vector<double> roots;
  for (int l = 0; l <= tin.lmax; ++l) {
    roots.insert(roots.end(), static_cast<std::size_t>(2 * l + 1),
                 std::sqrt(tin.udot_norm[static_cast<std::size_t>(l)]));
  }
  return roots;
}

bool is_positive_definite(const MuffinTin& tin) {
  ComplexMatrix factor = tin.t_aa;
  const ThreadScope one(1);
  return blas::potrf(factor.rows(), factor.data(), std::max(factor.rows(), 1));
}

SignedFactors signed_factors(const MuffinTin& tin) {
  const int n = tin.t_aa.rows(), order = 2 * n;
  if (n == 0) return {};
  ComplexMatrix t(order, order), vectors(order, order);  // the lower triangle of T
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < n; ++row) {
      t(row, column) = tin.t_aa(row, column);
      t(n + row, column) = std::conj(tin.t_ab(column, row));
      t(n + row, n + column) = tin.t_bb(row, column);
    }
  }
  std::vector<double> values(static_cast<std::size_t>(order));
  const ThreadScope one(1);  // many small products, for which threads would only wait for each other
  blas::heev(order, t.data(), order, order, values.data(), vectors.data(), order);

  // What rounding, which grows with the order, makes of zeros is left out.
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  const double zero = order * std::numeric_limits<double>::epsilon() * largest;
  const auto negative = std::ranges::count_if(values, [&](double value) { return value < -zero; });
  const auto positive = std::ranges::count_if(values, [&](double value) { return value > zero; });
  return {scaled_vectors(vectors, values, order - static_cast<int>(positive), static_cast<int>(positive)),
          scaled_vectors(vectors, values, 0, static_cast<int>(negative))};
}

std::vector<SignedFactors> signed_factors(std::span<const MuffinTin> tins) {
  std::vector<SignedFactors> factors(tins.size());
  parallel_for(std::ssize(tins), 1, [&](std::int64_t type) { factors[type] = signed_factors(tins[type]); });
  return factors;
}

}  // namespace cisolve::lapw
