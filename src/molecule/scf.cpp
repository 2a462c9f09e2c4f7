// SPDX-License-Identifier: MIT
#include "cisolve/molecule/scf.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/scf_orbitals.hpp"
#include "molecule/scf_run.hpp"
#include "molecule/scf_search.hpp"

namespace cisolve {
namespace {

using detail::Occupation;
using detail::ScfSetting;
using detail::ScfStart;
using detail::ScfState;
using detail::SearchedState;

/// The orbitals given, if they are of use here.
std::optional<detail::OccupiedOrbitals> carried_start(const ScfSetting& setting,
                                                      const std::optional<Occupation>& given) {
  const ScfConfig& config = setting.config;
  if (!config.guess) return std::nullopt;
  auto carried = detail::carry_occupied(*config.guess, setting.basis, setting.one_electron.overlap);
  if (!carried || (given && carried->occupation != *given)) return std::nullopt;
  const auto sum = [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); };
  if (sum(carried->occupation.doubly) != config.num_beta ||
      sum(carried->occupation.singly) != config.num_alpha - config.num_beta)
    return std::nullopt;
  return carried;
}

/// Whether nothing was chosen between two irreps: both came to be filled alike, or would but for the names of the spins.
bool are_alike(const ScfConfig& config, const Occupation& occupation, std::pair<int, int> irreps) {
  const auto beta = [&](int irrep) { return occupation.doubly[irrep]; };
  const auto alpha = [&](int irrep) { return beta(irrep) + occupation.singly[irrep]; };
  const auto [a, b] = irreps;
  if (alpha(a) == alpha(b) && beta(a) == beta(b)) return true;
  const bool exchanged = alpha(a) == beta(b) && beta(a) == alpha(b);
  return exchanged && config.unrestricted && config.num_alpha == config.num_beta;
}

void describe(const ScfSetting& setting, SearchedState found, ScfResult& result) {
  const ScfConfig& config = setting.config;
  ScfState& state = found.state;
  result.converged = state.converged;
  result.num_iterations = static_cast<int>(state.history.size());
  result.energy = state.energy;
  result.nuclear_repulsion = setting.repulsion_energy;
  result.num_dependent = setting.basis.num_dependent();
  result.doubly_occupied = state.occupation.doubly;
  result.singly_occupied = state.occupation.singly;
  result.history = std::move(state.history);
  result.descents = std::move(found.descents);
  if (state.competing && !are_alike(config, state.occupation, *state.competing)) {
    const auto name = [&](int irrep) { return setting.molecule.frame.group.irrep_name(irrep + 1); };
    const auto [filled, left] = *state.competing;
    result.warnings.push_back(
        fmt::format("the occupation is ambiguous: degenerate orbitals of {} and {} compete, and {} was "
                    "filled first; {} choose",
                    name(filled), name(left), name(filled), config.names.occupation));
  }
  const double s = 0.5 * (config.num_alpha - config.num_beta);
  result.s_squared = s * (s + 1.0);
  std::vector<ScfOrbitals> sets = detail::canonical_sets(setting, state);
  result.orbitals = std::move(sets[0]);
  if (!config.unrestricted) return;
  double overlap = 0.0;
  for (std::size_t k = 0; k < state.density[0].size(); ++k)
    overlap += state.density[0][k].cwiseProduct(state.density[1][k]).sum();
  result.s_squared += config.num_beta - overlap;
  result.beta_orbitals = std::move(sets[1]);
  detail::pair_orbitals(result.orbitals, result.beta_orbitals);
}

/// Where rotations of an irrep lead from an unrestricted state, and what a user can do about it.
std::string broken_symmetry(const ScfSetting& setting, int irrep) {
  const PointGroup& group = setting.molecule.frame.group;
  const std::string left = group.kernel(irrep + 1);
  const std::string also = left == "C1" ? "" : " (or \"C1\", if that takes other axes)";
  return fmt::format(
      "with other occupations of the irreps or of broken symmetry, by rotations of {}, is lower; the "
      "orbitals "
      "keep the point group {}; {} = \"{}\"{} lets them go there",
      group.irrep_name(irrep + 1), group.name(), setting.config.names.symmetry, left, also);
}

void analyse_stability(const ScfSetting& setting, const ScfState& state, ScfResult& result) {
  const auto point = detail::orbital_point(setting, state, detail::canonical_sets(setting, state));
  const auto lowest =
      detail::lowest_eigenvalue(point, setting.molecule.repulsion, setting.basis.num_irreps());
  result.lowest_eigenvalue = lowest.eigenvalue;
  if (lowest.eigenvalue > -setting.config.unstable) return;
  if (setting.config.unrestricted && lowest.irrep != 0) {
    result.warnings.push_back(fmt::format(
        "the UHF state is not a minimum (eigenvalue {:.4f} hartree of the orbital Hessian): a state {}",
        lowest.eigenvalue, broken_symmetry(setting, lowest.irrep)));
    return;
  }
  const char* method = setting.config.unrestricted ? "UHF" : setting.closed_shell() ? "RHF" : "ROHF";
  const std::string what =
      lowest.spin_breaking ? std::string("with different orbitals for the two spins (UHF)")
      : lowest.irrep == 0
          ? std::string("with the same occupation of the irreps")
          : fmt::format("with another occupation of the irreps or of broken symmetry, by rotations of {}",
                        setting.molecule.frame.group.irrep_name(lowest.irrep + 1));
  result.warnings.push_back(
      fmt::format("the {} state is not a minimum (eigenvalue {:.4f} hartree of the orbital "
                  "Hessian): a state {} is lower; it was not found",
                  method, lowest.eigenvalue, what));
}

/// From the start to a converged state, and down from there.
class Search {
public:
  Search(const ScfSetting& setting, ScfObserver observer, const std::stop_token& stop)
      : setting_(setting), observer_(std::move(observer)), stop_(stop) {
    const ScfConfig& config = setting.config;
    if (config.doubly_occupied)
      given_ = detail::given_occupation(config, setting.molecule.frame, setting.sizes);
  }

  ScfResult operator()() {
    ScfResult result;
    std::optional<SearchedState> found;
    if (setting_.config.unrestricted) {
      found = unrestricted(result);
    } else if (auto orbitals = carried_start(setting_, given_)) {
      const bool keeps = setting_.config.keep_carried;
      ScfStart start{std::move(orbitals), given_};
      if (keeps) start.occupation = start.orbitals->occupation;
      ScfState state = converged_from(std::move(start), observer_);
      if (state.converged) {
        result.carried_energy = state.energy;
        found = keeps ? SearchedState{std::move(state), {}} : searched(std::move(state));
      }
    }
    result.from_guess = found.has_value() && !setting_.config.unrestricted;
    if (!setting_.config.unrestricted) {
      SearchedState fresh = from_atoms(found);
      if (fresh.state.converged) result.fresh_energy = fresh.state.energy;
      if (!found || (!setting_.config.keep_carried && is_lower(fresh.state, found->state))) {
        found = std::move(fresh);
        result.from_guess = false;
      }
    }
    const ScfState last = found->state;
    describe(setting_, std::move(*found), result);
    if (setting_.config.check_stability && result.converged) analyse_stability(setting_, last, result);
    return result;
  }

private:
  /// The lower of what superposed atomic densities and the restricted state lead to.
  SearchedState unrestricted(ScfResult& result) const {
    SearchedState fresh = from_atoms({});
    auto relaxed = from_restricted(result);
    if (!relaxed || is_lower(fresh.state, relaxed->state)) return fresh;
    if (fresh.state.converged && is_same(fresh.state, relaxed->state)) return fresh;
    // Of components that are degenerate the restricted search has chosen.
    return std::move(*relaxed);
  }

  /// From the lowest restricted state, which is stationary where its shells are closed.
  std::optional<SearchedState> from_restricted(ScfResult& result) const {
    ScfConfig asked = setting_.config;
    asked.unrestricted = false;
    const ScfSetting restricted(setting_, asked);
    ScfState state = Search(restricted, {}, stop_).from_atoms({}).state;
    if (!state.converged) return std::nullopt;
    result.restricted_energy = state.energy;
    if (restricted.closed_shell()) {
      state.orbitals[1] = state.orbitals[0];
      return searched(std::move(state));
    }
    ScfStart start{detail::OccupiedOrbitals{{}, state.occupation}, state.occupation, true};
    for (std::size_t k = 0; k < state.orbitals[0].size(); ++k) {
      const int occupied = state.occupation.doubly[k] + state.occupation.singly[k];
      start.orbitals->orbitals.emplace_back(state.orbitals[0][k].leftCols(occupied));
    }
    ScfState relaxed = detail::converge(setting_, start, {}, stop_);
    relaxed.competing = state.competing;
    return searched(std::move(relaxed));
  }

  bool is_lower(const ScfState& a, const ScfState& b) const {
    return a.converged && (!b.converged || a.energy < b.energy - setting_.config.lower);
  }

  bool is_same(const ScfState& a, const ScfState& b) const {
    return a.occupation == b.occupation && std::abs(a.energy - b.energy) < setting_.config.lower;
  }

  /// Where extrapolation wanders about before it converges, the minimum nearest to the start may be a lower one.
  ScfState converged_from(ScfStart start, const ScfObserver& observer) const {
    constexpr std::size_t smooth = 25;  // iterations
    ScfState state = detail::converge(setting_, start, observer, stop_);
    if (state.history.size() <= smooth) return state;
    start.second_order = true;
    ScfState nearest = detail::converge(setting_, start, {}, stop_);
    return is_lower(nearest, state) ? nearest : state;
  }

  /// From superposed atomic densities. What was found before is not searched again.
  SearchedState from_atoms(const std::optional<SearchedState>& before) const {
    ScfState state = converged_from({{}, given_}, before ? ScfObserver{} : observer_);
    const bool same = before && state.converged && is_same(state, before->state);
    if (same && !setting_.config.keep_carried) return {std::move(state), {}};
    return searched(std::move(state));
  }

  SearchedState searched(ScfState state) const {
    if (!state.converged) return {std::move(state), {}};
    return detail::descend(setting_, std::move(state), stop_);
  }

  const ScfSetting& setting_;
  const ScfObserver observer_;
  const std::stop_token& stop_;
  std::optional<Occupation> given_;
};

}  // namespace

ScfResult run_scf(const MolecularBasis& molecule, const ScfConfig& config, const ScfObserver& observer,
                  std::stop_token stop) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const ScfSetting setting(molecule, config);
  return Search(setting, observer, stop)();
}

}  // namespace cisolve
