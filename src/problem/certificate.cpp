// SPDX-License-Identifier: MIT
#include "cisolve/problem/certificate.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "problem/certificate_rows.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;
using Vectors = Eigen::Map<const MatrixXd>;

/// What the rows checked say of the states.
struct RowSums {
  explicit RowSums(Eigen::Index states)
      : in_rows(states, 0.0), all(states, 0.0), rounding(states, 0.0), rounding_of_all(states, 0.0),
        energy(states, 0.0), spin(states, 0.0), s_squared(MatrixXd::Zero(states, states)),
        weight(MatrixXd::Zero(states, states)) {}

  std::vector<double> in_rows;                    ///< squares of the residual, of the rows checked
  std::vector<double> all;                        ///< the same, estimated for all rows
  std::vector<double> rounding, rounding_of_all;  ///< squares of what rounding may add to these
  std::vector<double> energy;                     ///< <c|H|c>, of the rows checked
  std::vector<double> spin;                       ///< squares of (S^2 - S(S+1)) c, of the rows checked
  MatrixXd s_squared, weight;                     ///< <c|S^2|c'> and <c|c'>, estimated
};

/// A row of H and S^2 times the states.
struct RowProducts {
  std::vector<double> h, rounding, s_squared;
};

RowProducts multiply(const DefinitionRows& rows, std::int64_t row, const StateClaims& claims,
                     const CertificateConfig& config) {
  const std::size_t n = rows.size(), states = claims.energies.size();
  RowProducts products{std::vector<double>(states, 0.0), std::vector<double>(states, 0.0),
                       std::vector<double>(states, 0.0)};
  std::vector<DefinitionRows::Element> elements;
  rows.hamiltonian_row(row, elements);
  for (std::size_t k = 0; k < states; ++k) {
    const double* c = claims.vectors.data() + k * n;
    double sum = 0.0, magnitudes = std::abs(claims.energies[k] * c[row]), doubtful = 0.0;
    for (const auto& [column, value, is_near_threshold] : elements) {
      const double term = value * c[column];
      sum += term;
      magnitudes += std::abs(term);
      if (is_near_threshold) doubtful += std::abs(term);
    }
    products.h[k] = sum;
    products.rounding[k] = config.rounding * magnitudes + doubtful;
  }
  rows.spin_row(row, elements);
  for (std::size_t k = 0; k < states; ++k) {
    const double* c = claims.vectors.data() + k * n;
    for (const auto& element : elements) products.s_squared[k] += element.value * c[element.column];
  }
  return products;
}

RowSums sum_rows(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims,
                 const CertificateConfig& config) {
  const auto states = static_cast<Eigen::Index>(claims.energies.size());
  std::vector<RowProducts> products(checked.rows.size());
  parallel_for(std::ssize(products), 1,
               [&](std::int64_t at) { products[at] = multiply(rows, checked.rows[at], claims, config); });
  const double spin = 0.5 * claims.twice_spin.value_or(0);
  const Vectors c(claims.vectors.data(), rows.size(), states);
  RowSums sums(states);
  for (std::size_t at = 0; at < products.size(); ++at) {
    const std::int64_t row = checked.rows[at];
    const double factor = checked.factor(at);
    for (Eigen::Index k = 0; k < states; ++k) {
      const double residual = products[at].h[k] - claims.energies[k] * c(row, k);
      const double of_spin = products[at].s_squared[k] - spin * (spin + 1.0) * c(row, k);
      const double rounding = products[at].rounding[k];
      sums.in_rows[k] += residual * residual;
      sums.all[k] += factor * residual * residual;
      sums.rounding[k] += rounding * rounding;
      sums.rounding_of_all[k] += factor * rounding * rounding;
      sums.energy[k] += c(row, k) * products[at].h[k];
      sums.spin[k] += of_spin * of_spin;
      for (Eigen::Index j = 0; j < states; ++j) {
        sums.s_squared(j, k) += factor * c(row, j) * products[at].s_squared[k];
        sums.weight(j, k) += factor * c(row, j) * c(row, k);
      }
    }
  }
  return sums;
}

/// <S^2> of each state; of states that lie near each other the eigenvalues of S^2 among them, ascending.
std::vector<double> resolved_spins(const RowSums& sums, std::span<const double> energies, double width) {
  std::vector<double> spins;
  const auto states = static_cast<Eigen::Index>(energies.size());
  for (Eigen::Index first = 0, last; first < states; first = last) {
    for (last = first + 1; last < states && energies[last] - energies[last - 1] < width;) ++last;
    const Eigen::Index count = last - first;
    const MatrixXd block = sums.s_squared.block(first, first, count, count);
    const MatrixXd weight = sums.weight.block(first, first, count, count);
    if (count == 1 || (weight - MatrixXd::Identity(count, count)).norm() > 0.5) {
      for (Eigen::Index k = 0; k < count; ++k) spins.push_back(block(k, k) / weight(k, k));
      continue;
    }
    const Eigen::VectorXd values =
        symmetric_eigenpairs(0.5 * (block + block.transpose()), 0.5 * (weight + weight.transpose())).values;
    spins.insert(spins.end(), values.begin(), values.end());
  }
  return spins;
}

/// Rows that are summed at a time: sums have the same order for any number of threads, and there are few of them.
std::int64_t piece_of(std::int64_t rows) {
  constexpr std::int64_t least = 1 << 14, most_pieces = 1024;
  return std::max(least, (rows + most_pieces - 1) / most_pieces);
}

/// Weights of states by irrep of the functions.
std::vector<std::array<double, 8>> irrep_weights(const DefinitionRows& rows, const StateClaims& claims) {
  const std::int64_t n = rows.size(), piece = piece_of(n), num_pieces = (n + piece - 1) / piece;
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

/// Overlaps of all states, summed in pieces so that the number of threads does not matter.
MatrixXd overlaps(const StateClaims& claims, std::int64_t n) {
  const std::int64_t piece = piece_of(n);
  const auto states = static_cast<Eigen::Index>(claims.energies.size());
  const Vectors c(claims.vectors.data(), n, states);
  std::vector<MatrixXd> of_piece((n + piece - 1) / piece);
  parallel_for(std::ssize(of_piece), 1, [&](std::int64_t p) {
    const auto rows = c.middleRows(p * piece, std::min(piece, n - p * piece));
    of_piece[p] = rows.transpose() * rows;
  });
  MatrixXd sum = MatrixXd::Zero(states, states);
  for (const MatrixXd& part : of_piece) sum += part;
  return sum;
}

/// Compares what was found of a state with what is claimed, and says what does not hold.
class Verdict {
public:
  Verdict(Certificate& certificate, const CertificateConfig& config) : found_(certificate), config_(config) {}

  void residual(double claim, double rounding, double rounding_of_all) {
    require(found_.residual_in_rows, config_.agreement * claim + rounding, [&] {
      return fmt::format("the residual norm is at least {:.1e} hartree in the {} rows checked, not {:.1e}",
                         found_.residual_in_rows, found_.rows_checked, claim);
    });
    require(found_.residual_norm, claim / std::sqrt(config_.false_alarm) + rounding_of_all, [&] {
      return fmt::format("the residual norm is about {:.1e} hartree by {} rows, not {:.1e}",
                         found_.residual_norm, found_.rows_checked, claim);
    });
  }
  void energy(double claimed, double claim, double rounding) {
    if (std::isnan(found_.energy)) return;
    // <c|H c - E c> is at most the residual norm.
    require(std::abs(found_.energy - claimed), config_.agreement * claim + rounding,
            [&] { return fmt::format("<c|H|c> is {:.10f} hartree, not {:.10f}", found_.energy, claimed); });
  }
  void vectors() {
    require(found_.norm_error, config_.orthonormality,
            [&] { return fmt::format("the norm of the vector is {:.1e} off 1", found_.norm_error); });
    require(found_.orthogonality_error, config_.orthonormality, [&] {
      return fmt::format("the overlap with another root is {:.1e}", found_.orthogonality_error);
    });
  }
  void spin(int twice_spin, double claim) {
    // The next spin up or down: S(S+1) changes by 2 S + 2 or 2 S.
    const double step = twice_spin > 0 ? twice_spin : 2.0;
    require(found_.spin_deviation, step * (config_.spin_mixing + claim / config_.near_degeneracy), [&] {
      return fmt::format("other spins: the norm of (S^2 - S(S+1)) c is {:.1e}", found_.spin_deviation);
    });
  }
  void symmetry(bool is_mixed) {
    if (is_mixed) return;
    require(1.0 - found_.symmetry_purity, config_.symmetry_mixing,
            [&] { return fmt::format("the weight of its irrep is {:.6f}, not 1", found_.symmetry_purity); });
  }
  void finish() { found_.passed = found_.failure.empty(); }

private:
  /// What is not a number is not at most anything.
  template <class Text>
  void require(double value, double limit, Text&& text) {
    if (value <= limit) return;
    found_.failure += (found_.failure.empty() ? "" : "; ") + text();
  }

  Certificate& found_;
  const CertificateConfig& config_;
};

void check_shapes(const DefinitionRows& rows, const StateClaims& claims) {
  const std::size_t states = claims.energies.size();
  if (claims.vectors.size() != states * static_cast<std::size_t>(rows.size()) ||
      claims.residual_norms.size() != states || claims.converged.size() != states ||
      claims.irreps.size() != states)
    throw DimensionError("certify: energies, vectors and the other claims do not fit each other");
}

}  // namespace

std::vector<Certificate> certify(const DefinitionRows& rows, const StateClaims& claims,
                                 const CertificateConfig& config) {
  check_shapes(rows, claims);
  const std::size_t states = claims.energies.size();
  std::vector<Certificate> certificates(states);
  if (states == 0) return certificates;
  const CheckedRows checked = choose_rows(rows, claims.vectors, states, config);
  const RowSums sums = sum_rows(rows, checked, claims, config);
  const MatrixXd overlap = overlaps(claims, rows.size());
  const auto weights = irrep_weights(rows, claims);
  const std::vector<double> spins = resolved_spins(sums, claims.energies, config.near_degeneracy);
  for (std::size_t k = 0; k < states; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    Certificate& found = certificates[k];
    found.rows_checked = std::ssize(checked.rows);
    found.residual_in_rows = std::sqrt(sums.in_rows[k]);
    found.residual_norm = std::sqrt(sums.all[k]);
    if (checked.are_all()) found.energy = sums.energy[k] / overlap(at, at);
    found.norm_error = std::abs(std::sqrt(overlap(at, at)) - 1.0);
    found.orthogonality_error = 0.0;
    for (Eigen::Index j = 0; j < std::ssize(claims.energies); ++j) {
      if (j != at) found.orthogonality_error = std::max(found.orthogonality_error, std::abs(overlap(j, at)));
    }
    found.s_squared = spins[k];
    if (claims.twice_spin) found.spin_deviation = std::sqrt(sums.spin[k]);
    const bool is_mixed = claims.irreps[k] == mixed_irrep;
    const double of_irrep = is_mixed ? *std::ranges::max_element(weights[k]) : weights[k][claims.irreps[k]];
    found.symmetry_purity = of_irrep / overlap(at, at);

    const double claim =
        claims.converged[k] ? std::max(claims.residual_norms[k], claims.tolerance) : claims.residual_norms[k];
    Verdict verdict(found, config);
    verdict.residual(claim, std::sqrt(sums.rounding[k]), std::sqrt(sums.rounding_of_all[k]));
    verdict.energy(claims.energies[k], claim, std::sqrt(sums.rounding[k]));
    verdict.vectors();
    if (claims.twice_spin) verdict.spin(*claims.twice_spin, claim);
    verdict.symmetry(is_mixed);
    verdict.finish();
  }
  return certificates;
}

}  // namespace cisolve
