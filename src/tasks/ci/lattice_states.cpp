// SPDX-License-Identifier: MIT
#include "tasks/ci/lattice_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "cisolve/analysis/site_correlations.hpp"
#include "cisolve/lattice/structure_factors.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/ci/momenta.hpp"

namespace cisolve {
namespace {

using Pair = std::array<double, 2>;

constexpr double same_level = 1e-7;  // of the unit: roots that belong together, as the solver has it

void append(const std::vector<double>& from, std::vector<double>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Row after row.
std::vector<double> rows_of(const Matrix& m) {
  std::vector<double> rows;
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.columns(); ++j) rows.push_back(m(i, j));
  }
  return rows;
}

/// All roots of a lattice's result.
class LatticeRoots {
public:
  LatticeRoots(const RunContext& context, const std::vector<CiJob>& jobs,
               std::span<const std::unique_ptr<Basis>> bases)
      : context_(context), result_(context.result), lattice_(*context.config.lattice),
        solution_(*jobs.front().lattice), bases_(bases) {}

  void add_momenta() {
    const std::size_t count = result_.roots.size();
    result_.momenta.assign(2 * count, std::numeric_limits<double>::quiet_NaN());
    constexpr std::int64_t most_rows = 50'000'000;  // two strings each in memory, besides the vectors
    const bool are_sites = lattice_.orbitals == LatticeOrbitalChoice::site;
    if (!are_sites || !cluster().is_translation_invariant()) return;
    for (std::size_t first = 0; first < count;) {
      std::vector<std::size_t> group = {first};
      while (first + group.size() < count && is_same_level(group.back(), first + group.size()))
        group.push_back(first + group.size());
      first += group.size();
      // Sectors of several spins have functions of their own.
      std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
        return result_.roots[a].sector < result_.roots[b].sector;
      });
      for (auto begin = group.begin(); begin != group.end();) {
        const std::size_t s = result_.roots[*begin].sector;
        const auto end =
            std::find_if(begin, group.end(), [&](std::size_t k) { return result_.roots[k].sector != s; });
        if (bases_[s] && result_.sectors[s].vectors && bases_[s]->size() <= most_rows &&
            bases_[s]->kind() == FunctionKind::determinant)
          add_momenta_of(s, {begin, end});
        begin = end;
      }
    }
  }

  void add_correlations() {
    CiResult::LatticeStates& states = result_.lattice_states.emplace();
    const std::size_t count = result_.roots.size();
    std::int32_t number = 0;
    for (std::size_t first = 0; first < count;) {
      std::size_t last = first + 1;
      while (last < count && is_same_level(last - 1, last)) ++last;
      SiteCorrelations average(cluster().sites());
      for (std::size_t k = first; k < last; ++k)
        average.add(correlations_of(k), 1.0 / static_cast<double>(last - first));
      ++number;
      for (; first < last; ++first) {
        states.group.push_back(number);
        add(average, states);
      }
    }
  }

private:
  const Cluster& cluster() const { return lattice_.model.cluster; }

  bool is_same_level(std::size_t a, std::size_t b) const {
    return std::abs(result_.root(a).energy - result_.root(b).energy) <= same_level;
  }

  void add_momenta_of(std::size_t sector, const std::vector<std::size_t>& roots) {
    const Basis& basis = *bases_[sector];
    const auto rows = static_cast<std::size_t>(basis.size());
    std::vector<double> vectors(rows * roots.size());
    for (std::size_t k = 0; k < roots.size(); ++k) {
      result_.sectors[sector].vectors->read(static_cast<int>(result_.roots[roots[k]].root), 0,
                                            std::span(vectors).subspan(k * rows, rows));
    }
    const auto momenta = total_momenta(cluster(), basis, vectors, static_cast<int>(roots.size()));
    for (std::size_t k = 0; k < roots.size(); ++k) {
      result_.momenta[2 * roots[k]] = momenta[k][0];
      result_.momenta[2 * roots[k] + 1] = momenta[k][1];
    }
    const bool is_cut =
        std::ranges::any_of(momenta, [](const Pair& k) { return std::isnan(k[0]) || std::isnan(k[1]); });
    if (!is_cut || !result_.root(roots.front()).converged) return;
    const std::string which =
        roots.size() == 1 ? fmt::format("root {} is one", roots.front() + 1)
                          : fmt::format("roots {} to {} are some", roots.front() + 1, roots.back() + 1);
    context_.warn(fmt::format(
        "{} of a degenerate level of which there are more: translations lead out of it, so that it has no "
        "momentum, and correlations are not those of the level; a higher states.count finds the others",
        which));
  }

  SiteCorrelations correlations_of(std::size_t k) const {
    const auto [sector, root] = result_.roots[k];
    Array<double> buffer;
    const auto vector = result_.sectors[sector].vectors->view(static_cast<int>(root), 1, buffer);
    return bases_[sector]->site_correlations(vector, solution_.orbitals.coefficients, bytes_for_pair_sums);
  }

  void add(const SiteCorrelations& of_root, CiResult::LatticeStates& states) const {
    const LatticeEnergies energies = lattice_energies(lattice_.model, of_root);
    states.kinetic.push_back(energies.kinetic);
    states.exchange.push_back(energies.exchange);
    states.interaction.push_back(energies.interaction);
    states.repulsion.push_back(energies.repulsion);
    append(of_root.density, states.density);
    append(of_root.double_occupancy, states.double_occupancy);
    const bool by_displacement = cluster().is_translation_invariant();
    const auto shown = [&](const Matrix& m) {
      return by_displacement ? translation_average(cluster(), m) : rows_of(m);
    };
    append(shown(of_root.s_s), states.s_s);
    append(shown(of_root.sz_sz), states.sz_sz);
    append(shown(of_root.n_n), states.n_n);
    if (!by_displacement) return;
    const std::vector<Pair> wave_vectors = cluster().wave_vectors(), momenta = cluster().momenta();
    Matrix charge = of_root.n_n;
    for (int j = 0; j < charge.columns(); ++j) {
      for (int i = 0; i < charge.rows(); ++i) charge(i, j) -= of_root.density[i] * of_root.density[j];
    }
    append(structure_factor(cluster(), of_root.s_s, wave_vectors), states.spin_structure_factor);
    append(structure_factor(cluster(), charge, wave_vectors), states.charge_structure_factor);
    append(structure_factor(cluster(), of_root.hop_up, momenta), states.momentum_distribution);
    append(structure_factor(cluster(), of_root.hop_down, momenta), states.momentum_distribution);
  }

  const RunContext& context_;
  CiResult& result_;
  const LatticeConfig& lattice_;
  const LatticeSolution& solution_;
  std::span<const std::unique_ptr<Basis>> bases_;
};

}  // namespace

void add_lattice_states(const RunContext& context, const std::vector<CiJob>& jobs,
                        std::span<const std::unique_ptr<Basis>> bases) {
  if (!context.config.lattice || context.result.roots.empty()) return;
  if (!jobs.front().lattice) {
    context.result.momenta.assign(2 * context.result.roots.size(), std::numeric_limits<double>::quiet_NaN());
    return;  // complex
  }
  LatticeRoots roots(context, jobs, bases);
  roots.add_momenta();
  if (context.config.lattice->correlations) roots.add_correlations();
}

}  // namespace cisolve
