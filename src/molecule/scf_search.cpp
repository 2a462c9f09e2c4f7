// SPDX-License-Identifier: MIT
#include "molecule/scf_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "molecule/eigen_views.hpp"
#include "molecule/orbital_rotations.hpp"
#include "molecule/scf_orbitals.hpp"

namespace cisolve::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

using Counts = std::pair<std::vector<int>, std::vector<int>>;  // doubly, singly per irrep; UHF: as Occupation

Counts counts_of(const Occupation& occupation) { return {occupation.doubly, occupation.singly}; }

/// The orbitals nearest to the limits of an occupation, and what electrons in them do to each other.
class Frontier {
public:
  Frontier(const ScfSetting& setting, const OrbitalPoint& point, const ScfOrbitals& canonical)
      : point_(point) {
    const std::size_t n = canonical.irreps.size();
    for (std::size_t k = 0; k < n; ++k) {
      const auto same = [&](std::size_t other) {
        return canonical.irreps[other] == canonical.irreps[k] &&
               canonical.occupations[other] == canonical.occupations[k];
      };
      bool nearest = true;  // orbitals of one occupation ascend
      if (canonical.occupations[k] == 0) {
        for (std::size_t other = 0; other < k; ++other) nearest = nearest && !same(other);
      } else {
        for (std::size_t other = k + 1; other < n; ++other) nearest = nearest && !same(other);
      }
      if (nearest) orbitals_.push_back(k);
    }
    std::vector<Matrix> densities;
    for (const std::size_t k : orbitals_) {
      const Eigen::VectorXd c = point.orbitals.col(static_cast<Index>(k));
      densities.push_back(to_matrix(c * c.transpose()));
    }
    const auto jk = setting.molecule.repulsion.coulomb_exchange(densities);
    const auto m = static_cast<Index>(orbitals_.size());
    coulomb_ = exchange_ = MatrixXd::Zero(m, m);
    for (Index a = 0; a < m; ++a) {
      for (Index b = 0; b < m; ++b) {
        const Eigen::VectorXd c = point.orbitals.col(static_cast<Index>(orbitals_[b]));
        const auto& of = jk[static_cast<std::size_t>(a)];
        coulomb_(a, b) = c.dot(as_eigen(of.coulomb) * c);
        exchange_(a, b) = c.dot(as_eigen(of.exchange) * c);
      }
    }
  }

  std::size_t size() const { return orbitals_.size(); }
  std::size_t orbital(std::size_t a) const { return orbitals_[a]; }

  /// Change of the energy where the numbers of electrons change, of alpha and of beta.
  double change(const std::vector<int>& alpha, const std::vector<int>& beta) const {
    double sum = 0.0;
    const auto m = static_cast<Index>(orbitals_.size());
    for (Index a = 0; a < m; ++a) {
      const auto p = static_cast<Index>(orbitals_[a]);
      sum += alpha[a] * point_.fock_alpha(p, p) + beta[a] * point_.fock_beta(p, p);
      for (Index b = 0; b < m; ++b) {
        const double same = coulomb_(a, b) - exchange_(a, b);
        sum += 0.5 * (alpha[a] * alpha[b] + beta[a] * beta[b]) * same + alpha[a] * beta[b] * coulomb_(a, b);
      }
    }
    return sum;
  }

private:
  const OrbitalPoint& point_;
  std::vector<std::size_t> orbitals_;
  MatrixXd coulomb_, exchange_;
};

/// Two orbitals that exchange their electrons: numbers in the frontier.
struct Exchange {
  std::size_t from, to;
};

/// The occupied orbitals of a state after some of them have exchanged their electrons.
OccupiedOrbitals occupied(const ScfSetting& setting, const ScfOrbitals& canonical,
                          const std::vector<int>& occupations) {
  ScfOrbitals changed = canonical;
  changed.occupations = occupations;
  // carry_occupied takes the doubly occupied first.
  std::vector<Index> order;
  for (const int wanted : {2, 1, 0}) {
    for (std::size_t k = 0; k < occupations.size(); ++k) {
      if (occupations[k] == wanted) order.push_back(static_cast<Index>(k));
    }
  }
  const MatrixXd columns = as_eigen(canonical.coefficients)(Eigen::all, order);
  changed.coefficients = to_matrix(columns);
  for (std::size_t k = 0; k < order.size(); ++k) {
    changed.irreps[k] = canonical.irreps[order[k]];
    changed.occupations[k] = occupations[order[k]];
  }
  return *carry_occupied(changed, setting.basis, setting.one_electron.overlap);
}

}  // namespace

std::vector<Replacement> low_replacements(const ScfSetting& setting, const ScfState& state, double limit) {
  const ScfOrbitals canonical = canonical_orbitals(setting, state);
  const OrbitalPoint point = orbital_point(setting, state, canonical);
  const Frontier frontier(setting, point, canonical);
  std::vector<Exchange> exchanges;
  for (std::size_t a = 0; a < frontier.size(); ++a) {
    for (std::size_t b = 0; b < frontier.size(); ++b) {
      const std::size_t p = frontier.orbital(a), q = frontier.orbital(b);
      if (canonical.occupations[p] > canonical.occupations[q] && canonical.irreps[p] != canonical.irreps[q])
        exchanges.push_back({a, b});
    }
  }
  std::map<Counts, std::pair<double, std::vector<int>>> best;
  const auto consider = [&](const std::vector<Exchange>& some) {
    std::vector<int> alpha(frontier.size(), 0), beta = alpha, occupations = canonical.occupations;
    for (const auto& [a, b] : some) {
      const std::size_t p = frontier.orbital(a), q = frontier.orbital(b);
      alpha[b] = point.alpha[p] - point.alpha[q];
      beta[b] = point.beta[p] - point.beta[q];
      alpha[a] = -alpha[b];
      beta[a] = -beta[b];
      std::swap(occupations[p], occupations[q]);
    }
    Counts counts{std::vector<int>(setting.sizes.size(), 0), std::vector<int>(setting.sizes.size(), 0)};
    for (std::size_t k = 0; k < occupations.size(); ++k) {
      if (occupations[k] == 2) ++counts.first[canonical.irreps[k]];
      if (occupations[k] == 1) ++counts.second[canonical.irreps[k]];
    }
    if (counts == counts_of(state.occupation)) return;
    const double change = frontier.change(alpha, beta);
    const auto [at, is_new] = best.try_emplace(counts, change, occupations);
    if (!is_new && change < at->second.first) at->second = {change, occupations};
  };
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    consider({exchanges[i]});
    for (std::size_t j = 0; j < i; ++j) {
      const auto [a, b] = exchanges[i];
      const auto [c, d] = exchanges[j];
      if (a != c && a != d && b != c && b != d) consider({exchanges[i], exchanges[j]});
    }
  }
  std::vector<Replacement> low;
  for (const auto& [counts, found] : best) {
    if (found.first < limit) low.push_back({occupied(setting, canonical, found.second), found.first});
  }
  std::stable_sort(low.begin(), low.end(),
                   [](const Replacement& a, const Replacement& b) { return a.estimate < b.estimate; });
  return low;
}

namespace {

class Descent {
public:
  Descent(const ScfSetting& setting, ScfState state, const std::stop_token& stop)
      : setting_(setting), stop_(stop), found_{std::move(state), {}} {
    remember(counts_of(found_.state.occupation));
  }

  SearchedState operator()() {
    constexpr int most_rounds = 8;
    for (int round = 0; round < most_rounds; ++round) {
      const bool slid = setting_.config.check_stability && slide();
      const bool replaced = !setting_.config.doubly_occupied && replace();
      if (!slid && !replaced) break;
    }
    if (!setting_.config.doubly_occupied && !setting_.config.unrestricted) choose_component();
    return std::move(found_);
  }

private:
  /// Takes a state if it is lower.
  bool take(ScfState state, bool by_rotation) {
    const double change = state.energy - found_.state.energy;
    if (!state.converged || change > -setting_.config.lower) return false;
    found_.descents.push_back({found_.state.energy, state.energy, by_rotation});
    state.competing = found_.state.competing;
    found_.state = std::move(state);
    return true;
  }

  /// Follows an instability that keeps the symmetry, both ways.
  bool slide() {
    constexpr double turn = 0.3;  // radians
    const std::vector<ScfOrbitals> canonical = canonical_sets(setting_, found_.state);
    const OrbitalPoint point = orbital_point(setting_, found_.state, canonical);
    const InternalMode mode = lowest_internal_mode(point, setting_.molecule.repulsion);
    if (mode.eigenvalue > -setting_.config.unstable) return false;
    std::vector<ScfState> ends;
    for (const double sign : {1.0, -1.0}) {
      ScfStart start{turned_orbitals(setting_, canonical, sign * turn * mode.kappa, found_.state.occupation)};
      start.occupation = found_.state.occupation;
      start.second_order = true;
      ends.push_back(converge(setting_, start, {}, stop_));
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const ScfState& a, const ScfState& b) { return a.energy < b.energy; });
    return take(std::move(ends[0]), true) || take(std::move(ends[1]), true);
  }

  /// Converges the occupations of the irreps that may lie lower, and takes the lowest.
  bool replace() {
    std::optional<ScfState> lowest;
    int tried = 0;
    const auto replacements = setting_.config.unrestricted ? low_spin_replacements : low_replacements;
    for (Replacement& next : replacements(setting_, found_.state, setting_.config.relaxation)) {
      const Counts counts = counts_of(next.start.occupation);
      if (std::find(known_.begin(), known_.end(), counts) != known_.end()) continue;
      if (++tried > setting_.config.most_occupations) break;
      remember(counts);
      ScfStart start{std::move(next.start)};
      start.occupation = start.orbitals->occupation;
      start.second_order = true;
      start.limit = (lowest ? *lowest : found_.state).energy + near;
      ScfState state = converge(setting_, start, {}, stop_);
      if (state.converged && (!lowest || state.energy < lowest->energy)) lowest = std::move(state);
    }
    return lowest && take(std::move(*lowest), false);
  }

  void remember(const Counts& counts) {
    known_.push_back(counts);
    if (!setting_.config.unrestricted || setting_.config.num_alpha != setting_.config.num_beta) return;
    // The same state with both spins exchanged.
    Counts mirrored = counts;
    for (std::size_t k = 0; k < counts.first.size(); ++k) {
      mirrored.first[k] += counts.second[k];
      mirrored.second[k] = -counts.second[k];
    }
    known_.push_back(std::move(mirrored));
  }

  /// Of degenerate components always the same.
  void choose_component() {
    auto partner = axial_partner(setting_, found_.state);
    if (!partner) return;
    ScfStart start{std::move(partner)};
    start.occupation = start.orbitals->occupation;
    start.second_order = true;
    ScfState state = converge(setting_, start, {}, stop_);
    if (!state.converged || std::abs(state.energy - found_.state.energy) > setting_.config.lower) return;
    state.competing = found_.state.competing;
    state.history = std::move(found_.state.history);
    found_.state = std::move(state);
  }

  static constexpr double near = 1e-3;  ///< hartree: what settles this far above will not come below

  const ScfSetting& setting_;
  const std::stop_token& stop_;
  SearchedState found_;
  std::vector<Counts> known_;  ///< occupations that have been converged
};

}  // namespace

SearchedState descend(const ScfSetting& setting, ScfState state, const std::stop_token& stop) {
  return Descent(setting, std::move(state), stop)();
}

}  // namespace cisolve::detail
