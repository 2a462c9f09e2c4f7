// SPDX-License-Identifier: MIT
#include "cisolve/molecule/scf.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
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
  // Where both came to be filled alike, nothing was chosen.
  const auto occupied = [&](int irrep) {
    return std::pair(state.occupation.doubly[irrep], state.occupation.singly[irrep]);
  };
  if (state.competing && occupied(state.competing->first) != occupied(state.competing->second)) {
    const auto name = [&](int irrep) { return setting.molecule.frame.group.irrep_name(irrep + 1); };
    const auto [filled, left] = *state.competing;
    result.warnings.push_back(
        fmt::format("the occupation is ambiguous: degenerate orbitals of {} and {} compete, and {} was "
                    "filled first; {} choose",
                    name(filled), name(left), name(filled), config.names.occupation));
  }
  const double s = 0.5 * (config.num_alpha - config.num_beta);
  result.s_squared = s * (s + 1.0);
  if (!config.unrestricted) {
    result.orbitals = detail::canonical_orbitals(setting, state);
    return;
  }
  const auto beta = state.occupation.doubly;
  auto alpha = beta;
  double overlap = 0.0;
  for (std::size_t k = 0; k < beta.size(); ++k) {
    alpha[k] += state.occupation.singly[k];
    overlap += state.density[0][k].cwiseProduct(state.density[1][k]).sum();
  }
  result.s_squared += config.num_beta - overlap;
  const std::vector<int> none(beta.size(), 0);
  result.orbitals = detail::sorted_orbitals(setting.basis, state.fock[0], state.orbitals[0], none, alpha);
  result.beta_orbitals = detail::sorted_orbitals(setting.basis, state.fock[1], state.orbitals[1], none, beta);
}

void analyse_stability(const ScfSetting& setting, const ScfState& state, ScfResult& result) {
  const auto point = detail::orbital_point(setting, state, result.orbitals);
  const auto lowest =
      detail::lowest_eigenvalue(point, setting.molecule.repulsion, setting.basis.num_irreps());
  result.lowest_eigenvalue = lowest.eigenvalue;
  if (lowest.eigenvalue > -setting.config.unstable) return;
  const char* method = setting.closed_shell() ? "RHF" : "ROHF";
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
  Search(const ScfSetting& setting, const ScfObserver& observer, const std::stop_token& stop)
      : setting_(setting), observer_(observer), stop_(stop) {
    const ScfConfig& config = setting.config;
    if (config.doubly_occupied)
      given_ = detail::given_occupation(config, setting.molecule.frame, setting.sizes);
  }

  ScfResult operator()() {
    ScfResult result;
    std::optional<SearchedState> found;
    if (auto orbitals = carried_start(setting_, given_)) {
      const bool keeps = setting_.config.keep_carried;
      ScfStart start{std::move(orbitals), given_};
      if (keeps) start.occupation = start.orbitals->occupation;
      ScfState state = converged_from(std::move(start), observer_);
      if (state.converged) {
        result.carried_energy = state.energy;
        found = keeps ? SearchedState{std::move(state), {}} : searched(std::move(state));
      }
    }
    result.from_guess = found.has_value();
    if (!found || searches()) {
      SearchedState fresh = from_atoms(found);
      if (fresh.state.converged) result.fresh_energy = fresh.state.energy;
      if (!found || (!setting_.config.keep_carried && is_lower(fresh.state, found->state))) {
        found = std::move(fresh);
        result.from_guess = false;
      }
    }
    const ScfState last = found->state;
    describe(setting_, std::move(*found), result);
    if (setting_.config.check_stability && result.converged && !setting_.config.unrestricted)
      analyse_stability(setting_, last, result);
    return result;
  }

private:
  bool searches() const { return !setting_.config.unrestricted; }

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
    if (!searches() || state.history.size() <= smooth) return state;
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
    if (!searches() || !state.converged) return {std::move(state), {}};
    return detail::descend(setting_, std::move(state), stop_);
  }

  const ScfSetting& setting_;
  const ScfObserver& observer_;
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
