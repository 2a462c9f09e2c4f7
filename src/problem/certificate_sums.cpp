// SPDX-License-Identifier: MIT
#include "problem/certificate_sums.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;
using Elements = std::vector<DefinitionRows::Element>;

/// Rows that are summed at a time: sums have the same order for any number of threads, and there are few of them.
std::int64_t piece_of(std::int64_t rows, std::int64_t least) {
  constexpr std::int64_t most_pieces = 1024;
  return std::max(least, (rows + most_pieces - 1) / most_pieces);
}

/// A row times each state.
void multiply(const Elements& elements, const StateClaims& claims, std::int64_t functions,
              std::vector<double>& products) {
  products.assign(claims.energies.size(), 0.0);
  for (std::size_t k = 0; k < products.size(); ++k) {
    const double* c = claims.vectors.data() + static_cast<std::int64_t>(k) * functions;
    for (const auto& element : elements) products[k] += element.value * c[element.column];
  }
}

/// A row of H times the states, what rounding does to that, and the row's part in the states.
struct RowProducts {
  std::vector<double> h, rounding, part;
};

RowProducts multiply_row(const DefinitionRows& rows, std::int64_t row, const StateClaims& claims,
                         const CertificateConfig& config) {
  const std::int64_t n = rows.size();
  RowProducts products;
  Elements elements;
  rows.unit_row(row, elements);
  multiply(elements, claims, n, products.part);
  rows.hamiltonian_row(row, elements);
  multiply(elements, claims, n, products.h);
  for (std::size_t k = 0; k < claims.energies.size(); ++k) {
    const double* c = claims.vectors.data() + static_cast<std::int64_t>(k) * n;
    double magnitudes = std::abs(claims.energies[k] * products.part[k]), doubtful = 0.0;
    for (const auto& [column, value, is_near_threshold] : elements) {
      const double term = std::abs(value * c[column]);
      magnitudes += term;
      if (is_near_threshold) doubtful += term;
    }
    products.rounding.push_back(config.rounding * magnitudes + doubtful);
  }
  return products;
}

}  // namespace

ResidualSums sum_residuals(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims,
                           const CertificateConfig& config) {
  const std::size_t states = claims.energies.size();
  std::vector<RowProducts> products(checked.rows.size());
  parallel_for(std::ssize(products), 1,
               [&](std::int64_t at) { products[at] = multiply_row(rows, checked.rows[at], claims, config); });
  ResidualSums sums(states);
  for (std::size_t at = 0; at < products.size(); ++at) {
    const double factor = checked.factor(at);
    for (std::size_t k = 0; k < states; ++k) {
      const double residual = products[at].h[k] - claims.energies[k] * products[at].part[k];
      const double rounding = products[at].rounding[k];
      sums.in_rows[k] += residual * residual;
      sums.all[k] += factor * residual * residual;
      sums.rounding[k] += rounding * rounding;
      sums.rounding_of_all[k] += factor * rounding * rounding;
      sums.energy[k] += products[at].part[k] * products[at].h[k];
    }
  }
  return sums;
}

SpinSums sum_spins(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims) {
  const auto states = static_cast<Eigen::Index>(claims.energies.size());
  const std::int64_t n = std::ssize(checked.rows), piece = piece_of(n, 64), functions = rows.size();
  const double spin = 0.5 * claims.twice_spin.value_or(0);
  std::vector<SpinSums> of_piece((n + piece - 1) / piece, SpinSums(states));
  parallel_for(std::ssize(of_piece), 1, [&](std::int64_t p) {
    SpinSums& sums = of_piece[p];
    Elements elements;
    std::vector<double> part, s_squared;
    for (std::int64_t at = p * piece; at < std::min(n, (p + 1) * piece); ++at) {
      const std::int64_t row = checked.rows[at];
      rows.unit_row(row, elements);
      multiply(elements, claims, functions, part);
      rows.spin_row(row, elements);
      multiply(elements, claims, functions, s_squared);
      const double factor = checked.factor(static_cast<std::size_t>(at));
      for (Eigen::Index k = 0; k < states; ++k) {
        const double off = s_squared[k] - spin * (spin + 1.0) * part[k];
        sums.deviation[k] += off * off;
        for (Eigen::Index j = 0; j < states; ++j) {
          sums.s_squared(j, k) += factor * part[j] * s_squared[k];
          sums.weight(j, k) += factor * part[j] * part[k];
        }
      }
    }
  });
  SpinSums sums(states);
  for (const SpinSums& of : of_piece) {
    for (Eigen::Index k = 0; k < states; ++k) sums.deviation[k] += of.deviation[k];
    sums.s_squared += of.s_squared;
    sums.weight += of.weight;
  }
  return sums;
}

constexpr std::int64_t least_functions = 1 << 14;  // that are summed at a time

std::vector<std::array<double, 8>> irrep_weights(const DefinitionRows& rows, const StateClaims& claims) {
  const std::int64_t n = rows.size(), piece = piece_of(n, least_functions),
                     num_pieces = (n + piece - 1) / piece;
  const std::size_t states = claims.energies.size();
  std::vector<std::vector<std::array<double, 8>>> of_piece(num_pieces);
  parallel_for(num_pieces, 1, [&](std::int64_t p) {
    const std::int64_t first = p * piece;
    std::vector<std::int8_t> irreps(std::min(piece, n - first));
    rows.irreps(first, irreps);
    of_piece[p].assign(states, {});
    for (std::size_t k = 0; k < states; ++k) {
      const double* c = claims.vectors.data() + static_cast<std::int64_t>(k) * n + first;
      for (std::size_t i = 0; i < irreps.size(); ++i) of_piece[p][k][irreps[i]] += c[i] * c[i];
    }
  });
  std::vector<std::array<double, 8>> weights(states, std::array<double, 8>{});
  for (const auto& piece_weights : of_piece) {
    for (std::size_t k = 0; k < states; ++k) {
      for (std::size_t g = 0; g < 8; ++g) weights[k][g] += piece_weights[k][g];
    }
  }
  return weights;
}

MatrixXd overlaps(const StateClaims& claims, std::int64_t functions) {
  const std::int64_t piece = piece_of(functions, least_functions);
  const auto states = static_cast<Eigen::Index>(claims.energies.size());
  const Eigen::Map<const MatrixXd> c(claims.vectors.data(), functions, states);
  std::vector<MatrixXd> of_piece((functions + piece - 1) / piece);
  parallel_for(std::ssize(of_piece), 1, [&](std::int64_t p) {
    const auto rows = c.middleRows(p * piece, std::min(piece, functions - p * piece));
    of_piece[p] = rows.transpose() * rows;
  });
  MatrixXd sum = MatrixXd::Zero(states, states);
  for (const MatrixXd& part : of_piece) sum += part;
  return sum;
}

}  // namespace cisolve
