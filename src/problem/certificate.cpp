// SPDX-License-Identifier: MIT
#include "cisolve/problem/certificate.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "problem/certificate_rows.hpp"
#include "problem/certificate_sums.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;

/// <S^2> of each state; of states that lie near each other the eigenvalues of S^2 among them, in the order of what
/// <S^2> of each is.
std::vector<double> resolved_spins(const SpinSums& sums, std::span<const double> energies, double width) {
  const auto states = static_cast<Eigen::Index>(energies.size());
  std::vector<double> spins(energies.size());
  for (Eigen::Index k = 0; k < states; ++k) spins[k] = sums.s_squared(k, k) / sums.weight(k, k);
  for (Eigen::Index first = 0, last; first < states; first = last) {
    for (last = first + 1; last < states && energies[last] - energies[last - 1] < width;) ++last;
    const Eigen::Index count = last - first;
    const MatrixXd block = sums.s_squared.block(first, first, count, count);
    const MatrixXd weight = sums.weight.block(first, first, count, count);
    if (count == 1 || !((weight - MatrixXd::Identity(count, count)).norm() <= 0.5)) continue;
    const Eigen::VectorXd values =
        symmetric_eigenpairs(0.5 * (block + block.transpose()), 0.5 * (weight + weight.transpose())).values;
    std::vector<Eigen::Index> ascending(count);
    std::iota(ascending.begin(), ascending.end(), first);
    std::ranges::sort(ascending, {}, [&](Eigen::Index k) { return spins[k]; });
    for (Eigen::Index k = 0; k < count; ++k) spins[ascending[k]] = values[k];
  }
  return spins;
}

/// States around one that a run may have turned into each other: these are so near that their vectors are arbitrary.
struct Neighbours {
  Neighbours(std::span<const double> energies, std::size_t k) {
    const double width = ClusterConfig().width;
    std::size_t first = k, last = k;
    while (first > 0 && energies[first] - energies[first - 1] < width) --first;
    while (last + 1 < energies.size() && energies[last + 1] - energies[last] < width) ++last;
    count = static_cast<double>(last - first + 1);
    spread = std::max(width, energies[last] - energies[first]);
  }

  double count = 1.0;
  double spread = 0.0;  ///< hartree, of their energies, with one more that is not known for its spin
};

/// The residual norm that a state may have.
double residual_claim(const StateClaims& claims, std::size_t k, const Neighbours& near) {
  const double said = claims.residual_norms[k];
  if (!claims.converged[k] || said <= claims.tolerance) return claims.converged[k] ? claims.tolerance : said;
  // Converged before it was turned: a sum of residuals, with the energies of the states turned into it.
  return std::min(said, std::sqrt(near.count + 1.0) * claims.tolerance + near.spread);
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
  void energy(double claimed, double limit) {
    if (std::isnan(found_.energy)) return;
    require(std::abs(found_.energy - claimed), limit,
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
    // S(S+1) of the next spin is 2 S off, or 2 S + 2 where there is none below.
    const double step = twice_spin > 1 ? twice_spin : twice_spin + 2.0;
    const double mixing =
        std::min(config_.spin_mixing + claim / config_.near_degeneracy, config_.most_spin_mixing);
    require(found_.spin_deviation, step * mixing, [&] {
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
  const bool have_vectors = claims.vectors != nullptr && claims.vectors->rows() == rows.size() &&
                            claims.vectors->columns() == static_cast<int>(states);
  if (!have_vectors || claims.residual_norms.size() != states || claims.converged.size() != states ||
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
  const CheckedRows checked = choose_rows(rows, *claims.vectors, states, config);
  const bool has_spins = rows.has_spin_rows();
  const CheckedRows of_spin =
      checked.are_all() || !has_spins || !affords_all_spins(rows, config) ? checked : all_rows(rows);
  const ResidualSums sums = sum_residuals(rows, checked, claims, config);
  const Matrix overlap = claims.vectors->overlaps();
  const auto weights = irrep_weights(rows, *claims.vectors, overlap);
  std::optional<SpinSums> spin_sums;
  std::vector<double> spins(states, Certificate::none);
  if (has_spins) {
    spin_sums = sum_spins(rows, of_spin, claims);
    spins = resolved_spins(*spin_sums, claims.energies, config.near_degeneracy);
  }
  for (std::size_t k = 0; k < states; ++k) {
    const auto at = static_cast<int>(k);
    Certificate& found = certificates[k];
    found.rows_checked = std::ssize(checked.rows);
    found.residual_in_rows = std::sqrt(sums.in_rows[k]);
    found.residual_norm = std::sqrt(sums.all[k]);
    if (checked.are_all()) found.energy = sums.energy[k] / overlap(at, at);
    found.norm_error = std::abs(std::sqrt(overlap(at, at)) - 1.0);
    found.orthogonality_error = 0.0;
    for (int j = 0; j < static_cast<int>(states); ++j) {
      if (j != at) found.orthogonality_error = std::max(found.orthogonality_error, std::abs(overlap(j, at)));
    }
    found.s_squared = spins[k];
    if (spin_sums && of_spin.are_all())
      found.expectation_of_s_squared = spin_sums->s_squared(at, at) / overlap(at, at);
    if (spin_sums && claims.twice_spin) found.spin_deviation = std::sqrt(spin_sums->deviation[k]);
    const bool is_mixed = claims.irreps[k] == mixed_irrep;
    const double of_irrep = is_mixed ? *std::ranges::max_element(weights[k]) : weights[k][claims.irreps[k]];
    found.symmetry_purity = of_irrep / overlap(at, at);

    const Neighbours near(claims.energies, k);
    const double claim = residual_claim(claims, k, near), rounding = std::sqrt(sums.rounding[k]);
    Verdict verdict(found, config);
    verdict.residual(claim, rounding, std::sqrt(sums.rounding_of_all[k]));
    // The solver's energy is that of its vector; turning vectors leaves it between theirs.
    verdict.energy(claims.energies[k], config.agreement * near.spread + rounding);
    verdict.vectors();
    if (spin_sums && claims.twice_spin) verdict.spin(*claims.twice_spin, claim);
    verdict.symmetry(is_mixed);
    verdict.finish();
  }
  return certificates;
}

}  // namespace cisolve
