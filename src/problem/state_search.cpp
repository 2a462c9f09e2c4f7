// SPDX-License-Identifier: MIT
#include "cisolve/problem/state_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "cisolve/analysis/spin.hpp"
#include "core/planted_error.hpp"
#include "core/stopwatch.hpp"

namespace cisolve {
namespace {

/// Products that a look for missed roots may take.
/// @param applications  products that the roots took
/// @param of_product    nanoseconds
std::int64_t probe_products(std::int64_t applications, double of_product) {
  constexpr double share = 0.02;  // of the products that the roots took; but, in nanoseconds,
  constexpr double free = 5e6;    // ... this in any case, and
  constexpr double share_of_short = 0.25, most_of_short = 5e7;  // ... so much of a run that is short anyhow
  constexpr double most_products = 30.0;                        // more would hardly find more
  const double taken = static_cast<double>(applications) * of_product;
  const double time = std::max({share * taken, free, std::min(share_of_short * taken, most_of_short)});
  return static_cast<std::int64_t>(std::min(time / of_product, most_products));
}

class StateSearch {
public:
  StateSearch(const Basis& basis, RootFinder& finder, const WantedStates& wanted, StateSearchOptions options)
      : basis_(basis), finder_(finder), wanted_(wanted), options_(std::move(options)),
        search_(std::move(options_.first)) {
    wanted_.count = static_cast<int>(std::min<std::int64_t>(wanted_.count, finder.num_states()));
    if (search_.num_roots == 0) search_.num_roots = std::max(wanted_.count, 1);
  }

  FoundStates operator()() {
    while (true) {
      const Stopwatch solving;
      Roots roots = finder_.solve(search_);
      if (options_.searched) options_.searched();
      result_.solve_seconds += solving.seconds();
      if (roots.status == SolverStatus::interrupted) {
        result_.found.roots = std::move(roots);
        result_.found.roots.vectors.reset();
        return std::move(result_);
      }
      const Stopwatch looking;
      const bool is_done = look_at(label_roots(std::move(roots), basis_, finder_));
      result_.analysis_seconds += looking.seconds();
      if (is_done) return std::move(result_);
    }
  }

private:
  /// @return whether they are what is to be given; else the next search is prepared
  bool look_at(LabelledRoots found) {
    if (is_planted(PlantedError::missed_root) && !has_missed_) drop_lowest(found);
    std::vector<std::size_t> kept = wanted_.choose(found);
    if (!is_enough(found, kept)) {
      search_again(std::move(found), kept);
      return false;
    }
    const std::vector<double> missed = look_for_missed_root(found, kept);
    if (!missed.empty() && !has_missed_) {
      search_from(std::move(found), missed);
      return false;
    }
    result_.searched_all = has_searched_all(found);
    result_.found = std::move(found);
    result_.kept = std::move(kept);
    return true;
  }

  bool is_enough(const LabelledRoots& found, const std::vector<std::size_t>& kept) const {
    return std::ssize(kept) >= wanted_.count || wanted_.follow ||
           (search_.num_roots >= finder_.num_states() && !finder_.may_project_on_spin()) ||
           found.roots.status != SolverStatus::converged;
  }

  bool has_searched_all(const LabelledRoots& found) const {
    return found.roots.status == SolverStatus::converged && search_.num_roots >= finder_.num_states();
  }

  /// Looks for a state below the highest root, of the spin wanted, by as many products as cost next to nothing.
  /// @return empty: there is none, or nobody looked
  std::vector<double> look_for_missed_root(const LabelledRoots& found, const std::vector<std::size_t>& kept) {
    result_.probe = {};
    const Roots& roots = found.roots;
    if (!options_.looks_for_missed || wanted_.follow) return {};
    if (roots.status != SolverStatus::converged || has_searched_all(found) || kept.empty()) return {};
    const double of_product = product_nanoseconds(finder_.hamiltonian());
    const std::int64_t products = probe_products(roots.num_applications, of_product);
    const std::size_t highest = kept.back();
    std::vector<double> below;
    result_.probe = finder_.probe(*roots.vectors, roots.energies.front(),
                                  roots.energies[highest] - missed_root_margin(roots.residual_norms[highest]),
                                  products, below);
    if (below.empty()) return below;
    const double energy[] = {result_.probe.lowest};
    const StateLabel label = basis_.label(energy, below, ClusterConfig{}, nullptr).front();
    if (wanted_.include(label.s_squared)) return below;
    result_.probe = {};  // states of other spins may well lie lower, and hide what is looked for
    return {};
  }

  void notify(std::string_view line) const {
    if (options_.notify) options_.notify(line);
  }

  /// The same search once more, from the roots and a state that they miss.
  void search_from(LabelledRoots found, const std::vector<double>& missed) {
    notify("a look for missed roots came upon one: going on from there");
    has_missed_ = true;
    const Array<double> known = all_columns(*found.roots.vectors);
    Array<double> start(missed.size() + known.size());
    std::ranges::copy(known, std::ranges::copy(missed, start.begin()).out);
    go_on(std::move(found.roots), std::move(start));
  }

  /// As if the search had missed it.
  void drop_lowest(LabelledRoots& found) const {
    std::vector<std::size_t> others(found.labels.size() - 1);
    std::iota(others.begin(), others.end(), std::size_t{1});
    found.roots.vectors = std::make_shared<HeldVectors>(columns_of(*found.roots.vectors, others),
                                                        basis_.size(), std::ssize(others));
    found.labels.erase(found.labels.begin());
    found.roots.energies.erase(found.roots.energies.begin());
    found.roots.residual_norms.erase(found.roots.residual_norms.begin());
    found.roots.converged.erase(found.roots.converged.begin());
  }

  void search_again(LabelledRoots found, const std::vector<std::size_t>& kept) {
    if (finder_.may_project_on_spin()) {
      // Roots of other spins came first: the same search within the spin, from what it found of that.
      notify("a root of another spin was found: going on within the spin asked for");
      Array<double> start = columns_of(*found.roots.vectors, kept);
      found.roots.vectors.reset();
      finder_.project_on_spin();
      go_on(std::move(found.roots), std::move(start));
      return;
    }
    // Too few roots of that spin: more, from where this search ended.
    search_.num_roots = static_cast<int>(
        std::min<std::int64_t>(2 * std::int64_t{search_.num_roots} + 2, finder_.num_states()));
    Array<double> start = all_columns(*found.roots.vectors);
    go_on(std::move(found.roots), std::move(start));
  }

  void go_on(Roots before, Array<double> start) {
    search_.history = std::move(before.history);
    search_.continues = false;
    search_.add_model_space = false;
    const auto columns = static_cast<int>(std::ssize(start) / basis_.size());
    search_.start = std::make_shared<HeldVectors>(std::move(start), basis_.size(), columns);
  }

  const Basis& basis_;
  RootFinder& finder_;
  WantedStates wanted_;
  StateSearchOptions options_;
  Search search_;
  bool has_missed_ = false;  ///< a search began with a state that the one before had missed
  FoundStates result_;
};

}  // namespace

LabelledRoots label_roots(Roots roots, const Basis& basis, RootFinder& finder) {
  LabelledRoots found;
  std::vector<bool> rotated;
  const int irrep = basis.summary().irrep - 1;
  std::optional<std::vector<double>> spins;
  if (irrep != any_irrep && basis.components() == 1)
    spins = finder.resolve_spins(*roots.vectors, roots.energies, ClusterConfig{}, rotated);
  if (spins) {
    for (const double s_squared : *spins) found.labels.push_back({s_squared, irrep});
  } else {
    Array<double> vectors = all_columns(*roots.vectors);
    roots.vectors.reset();
    found.labels = basis.label(roots.energies, vectors, ClusterConfig{}, &rotated);
    roots.vectors =
        std::make_shared<HeldVectors>(std::move(vectors), basis.size(), std::ssize(roots.energies));
  }
  if (std::ranges::find(rotated, true) != rotated.end())
    roots.residual_norms = finder.residual_norms(*roots.vectors, roots.energies);
  found.roots = std::move(roots);
  return found;
}

bool WantedStates::include(double s_squared) const {
  constexpr double nearest = 1.0;  // multiplicities of one number of electrons are 2 apart
  return !are_of_one_spin() || std::abs(multiplicity_of(s_squared) - *multiplicity) <= nearest;
}

std::vector<std::size_t> WantedStates::choose(const LabelledRoots& found) const {
  const std::vector<double>& energies = found.roots.energies;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < energies.size(); ++k) {
    if (!include(found.labels[k].s_squared)) continue;
    const bool beyond = are_of_one_spin() && std::ssize(kept) >= count;
    if (beyond && energies[k] - energies[kept.back()] > ClusterConfig{}.width) break;
    kept.push_back(k);
  }
  return kept;
}

FoundStates find_states(const Basis& basis, RootFinder& finder, const WantedStates& wanted,
                        StateSearchOptions options) {
  return StateSearch(basis, finder, wanted, std::move(options))();
}

std::string_view status_name(SolverStatus status) {
  switch (status) {
    case SolverStatus::converged:
      return "converged";
    case SolverStatus::not_converged:
      return "not converged";
    case SolverStatus::stagnated:
      return "stagnated";
    case SolverStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

double product_nanoseconds(const HamiltonianSummary& hamiltonian) {
  // Of a nonzero. What is not stored multiplies matrices in the cache: 0.22 for water in cc-pVDZ, 8.3 million determinants.
  constexpr double stored = 1.0, direct = 0.15, on_device = 1.0 / 40.0;
  const double of_nonzero = !hamiltonian.device.starts_with("cpu") ? on_device
                            : hamiltonian.storage == "direct"      ? direct
                                                                   : stored;
  return of_nonzero * static_cast<double>(hamiltonian.nonzeros);
}

}  // namespace cisolve
