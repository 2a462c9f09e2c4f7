// SPDX-License-Identifier: MIT
#include "cisolve/analysis/states.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/irrep_labels.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using Eigen::Map;
using Eigen::MatrixXd;

/// Zero-based irrep of each determinant of a space that may hold several.
template <int Words>
std::vector<std::int8_t> row_irreps(const Space<Words>& space, std::span<const int> irreps) {
  constexpr std::int64_t chunk = 4096;
  std::vector<std::int8_t> result(space.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < space.size(); first += chunk) {
    std::vector<Determinant<Words>> determinants(std::min(chunk, space.size() - first));
    space.enumerate(first, determinants);
    for (std::size_t i = 0; i < determinants.size(); ++i) {
      result[first + i] = static_cast<std::int8_t>(irrep_of(determinants[i].alpha, irreps) ^
                                                   irrep_of(determinants[i].beta, irreps));
    }
  }
  return result;
}

/// Rotates the columns so that S^2, if it is known, is diagonal and, where S^2 is degenerate, the irreps are sorted.
template <int Words>
void rotate_cluster(const SpinExpectation<Words>* s_squared, const std::vector<std::int8_t>& irreps,
                    const ClusterConfig& config, Eigen::Ref<MatrixXd> vectors) {
  const int count = static_cast<int>(vectors.cols());
  if (s_squared == nullptr) {
    if (!irreps.empty()) sort_by_irrep(irreps, vectors);
    return;
  }
  const auto values = std::span<const double>(vectors.data(), vectors.size());
  const Matrix s2 = (*s_squared)(values, count);
  const SymmetricEigenpairs spin = symmetric_eigenpairs(Map<const MatrixXd>(s2.data(), count, count));
  vectors = (vectors * spin.vectors).eval();
  if (irreps.empty()) return;
  for (Eigen::Index first = 0; first < count;) {
    Eigen::Index last = first + 1;
    while (last < count && spin.values[last] - spin.values[last - 1] < config.spin_width) ++last;
    if (last - first > 1) {
      sort_by_irrep(irreps, vectors.middleCols(first, last - first));
    }
    first = last;
  }
}

bool is_heavier(const LeadingDeterminant& a, const LeadingDeterminant& b) {
  const double x = std::abs(a.coefficient);
  const double y = std::abs(b.coefficient);
  return x != y ? x > y : a.row < b.row;
}

/// Keeps the `most` heaviest, descending. A light one comes in only at the front: the first is never left out.
void insert_leading(const LeadingDeterminant& candidate, int most, double minimum_weight,
                    std::vector<LeadingDeterminant>& found) {
  const double weight = candidate.coefficient * candidate.coefficient;
  if (weight < minimum_weight && !found.empty() && !is_heavier(candidate, found.front())) return;
  found.insert(std::upper_bound(found.begin(), found.end(), candidate, is_heavier), candidate);
  if (std::ssize(found) > most) found.pop_back();
}

}  // namespace

template <int Words>
std::vector<StateLabel> label_states(const Space<Words>& space, std::span<const int> irreps,
                                     std::span<const double> energies, std::span<double> vectors,
                                     const ClusterConfig& config, std::vector<bool>* rotated,
                                     const OrbitalSpins& spins) {
  const std::size_t roots = energies.size();
  const std::size_t n = space.size();
  if (vectors.size() != n * roots) throw DimensionError("label_states: vectors do not fit the space");
  std::optional<SpinExpectation<Words>> s_squared;
  if (spins.has_s_squared()) s_squared.emplace(space, spins.overlap);
  std::vector<std::int8_t> labels;
  if (space.irrep() == any_irrep) labels = row_irreps(space, irreps);

  rotate_clusters(energies, vectors, config.width, rotated, [&](Eigen::Ref<MatrixXd> cluster) {
    rotate_cluster(s_squared ? &*s_squared : nullptr, labels, config, cluster);
  });

  std::vector<StateLabel> result(roots);
  for (std::size_t k = 0; k < roots; ++k) {
    const auto vector = vectors.subspan(k * n, n);
    fix_sign(vector);
    result[k].s_squared =
        s_squared ? (*s_squared)(vector, 1)(0, 0) : std::numeric_limits<double>::quiet_NaN();
    result[k].irrep = labels.empty() ? space.irrep() : dominant_irrep(labels, vector, config.pure_weight);
  }
  return result;
}

OrbitalSpins orbital_spins(const Integrals& integrals) {
  const auto& beta = integrals.beta;
  return {beta.has_value(), beta && beta->overlap ? &*beta->overlap : nullptr};
}

std::vector<LeadingDeterminant> leading_determinants(std::span<const double> vector, int most,
                                                     double minimum_weight) {
  // The heaviest of each piece, then of these.
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t size = std::ssize(vector);
  std::vector<std::vector<LeadingDeterminant>> of_piece((size + piece - 1) / piece);
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < of_piece.size(); ++k) {
    const std::int64_t first = static_cast<std::int64_t>(k) * piece;
    std::vector<LeadingDeterminant>& leading = of_piece[k];
    for (std::int64_t row = first; row < std::min(size, first + piece); ++row) {
      const double c = vector[row];
      // Nearly all are light, and lighter than the first: no call for these.
      const double first_c = leading.empty() ? 0.0 : leading.front().coefficient;
      if (!leading.empty() && c * c < std::min(minimum_weight, first_c * first_c)) continue;
      insert_leading({row, c}, most, minimum_weight, leading);
    }
  }
  std::vector<LeadingDeterminant> found;
  for (const auto& candidates : of_piece) {
    for (const LeadingDeterminant& d : candidates) insert_leading(d, most, minimum_weight, found);
  }
  const auto light = std::find_if(found.begin() + (found.empty() ? 0 : 1), found.end(), [&](const auto& d) {
    return d.coefficient * d.coefficient < minimum_weight;
  });
  found.erase(light, found.end());
  return found;
}

template <int Words>
std::string occupation_text(const Determinant<Words>& determinant, int num_orbitals) {
  std::string text;
  for (int p = 0; p < num_orbitals; ++p) {
    const bool alpha = determinant.alpha.test(p);
    const bool beta = determinant.beta.test(p);
    text += alpha && beta ? '2' : alpha ? 'u' : beta ? 'd' : '0';
  }
  return text;
}

#define INSTANTIATE(W)                                                                   \
  template std::vector<StateLabel> label_states(                                         \
      const Space<W>&, std::span<const int>, std::span<const double>, std::span<double>, \
      const ClusterConfig&, std::vector<bool>*, const OrbitalSpins&);                    \
  template std::string occupation_text(const Determinant<W>&, int);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
