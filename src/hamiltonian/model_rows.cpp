// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/model_rows.hpp"

#include <algorithm>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"
#include "cisolve/space/excitations.hpp"
#include "hamiltonian/each_determinant.hpp"

namespace cisolve {
namespace {

int num_open_shells(const auto& d) { return (d.alpha ^ d.beta).count(); }

/// Rows of all determinants of the space that differ from `d` by spin flips only.
template <int Words>
std::vector<std::int64_t> spin_flips(const Space<Words>& space, const Determinant<Words>& d,
                                     std::int64_t most) {
  const BitString<Words> closed = d.alpha & d.beta;
  const OrbitalList open = OrbitalList::occupied(d.alpha ^ d.beta);
  std::vector<int> is_alpha(open.size, 0);
  std::fill_n(is_alpha.begin(), (d.alpha & ~d.beta).count(), 1);  // the first permutation
  std::vector<std::int64_t> rows;
  do {
    Determinant<Words> flipped{closed, closed};
    for (int k = 0; k < open.size; ++k) {
      (is_alpha[k] != 0 ? flipped.alpha : flipped.beta).set(open[k]);
    }
    if (const std::int64_t row = space.find(flipped); row >= 0) rows.push_back(row);
  } while (static_cast<std::int64_t>(rows.size()) <= most &&
           std::prev_permutation(is_alpha.begin(), is_alpha.end()));
  return rows;
}

using Element = LowestRows::Element;

void keep_lower(Element& best, const Element& other) {
  if (other.row >= 0 && (best.row < 0 || other < best)) best = other;
}

/// The lowest of a rank's rows for each number of open shells.
template <int Words>
std::vector<Element> lowest_by_open_shells(const Space<Words>& space, const RowMap& rows,
                                           std::span<const double> diagonal) {
  std::vector<Element> best(space.num_orbitals() + 1, Element());
#pragma omp parallel
  {
    std::vector<Element> own(best.size(), Element());
    for_each_determinant(space, rows,
                         [&](std::int64_t row, std::int64_t local, const Determinant<Words>& determinant) {
                           keep_lower(own[num_open_shells(determinant)], Element{diagonal[local], row});
                         });
#pragma omp critical
    for (std::size_t open = 0; open < best.size(); ++open) keep_lower(best[open], own[open]);
  }
  return best;
}

/// Of a rank's rows before `end`.
std::vector<Element> lowest_before(std::int64_t end, const RowMap& rows, std::span<const double> diagonal,
                                   std::int64_t count) {
  LowestElements lowest(count);
  lowest.add(diagonal.first(static_cast<std::size_t>(rows.local_below(end))), 0);
  std::vector<Element> found;
  for (const auto& [element, local] : lowest.found()) found.push_back({element, rows.global(local)});
  return found;
}

}  // namespace

void LowestRows::merge(const LowestRows& other, std::int64_t most) {
  const auto take = [&](std::vector<Element>& mine, const std::vector<Element>& others) {
    const auto middle = mine.insert(mine.end(), others.begin(), others.end());
    std::inplace_merge(mine.begin(), middle, mine.end());
    if (std::ssize(mine) > most) mine.resize(static_cast<std::size_t>(most));
  };
  take(of_all, other.of_all);
  take(of_references, other.of_references);
  of_open_shells.resize(std::max(of_open_shells.size(), other.of_open_shells.size()), Element());
  for (std::size_t open = 0; open < other.of_open_shells.size(); ++open)
    keep_lower(of_open_shells[open], other.of_open_shells[open]);
}

template <int Words>
LowestRows find_lowest_rows(const Space<Words>& space, const RowMap& rows, std::span<const double> diagonal,
                            const ModelRowsConfig& config) {
  if (rows.rows() != space.size() || std::ssize(diagonal) != rows.local_rows())
    throw DimensionError("find_lowest_rows: one element per row is needed");
  LowestRows lowest;
  lowest.of_all = lowest_before(rows.rows(), rows, diagonal, config.maximum);
  lowest.of_references = lowest_before(space.num_references(), rows, diagonal, config.maximum);
  if (config.cover_all_spins) lowest.of_open_shells = lowest_by_open_shells(space, rows, diagonal);
  return lowest;
}

template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, const LowestRows& lowest,
                                            const ModelRowsConfig& config) {
  std::set<std::int64_t> chosen;
  const auto add_configuration = [&](std::int64_t row) {
    if (chosen.contains(row)) return;
    const std::int64_t room = config.maximum - std::ssize(chosen);
    const auto rows = spin_flips(space, space.determinant(row), room);
    if (std::ssize(rows) <= room) chosen.insert(rows.begin(), rows.end());
  };

  if (lowest.of_all.empty()) return {};
  add_configuration(lowest.of_all.front().row);
  if (chosen.empty()) {
    if (!config.may_cut) return {};
    std::vector<std::int64_t> rows;
    for (const Element& element : lowest.of_all) rows.push_back(element.row);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  for (const Element& element : lowest.of_references) add_configuration(element.row);
  if (config.cover_all_spins) {
    for (const Element& element : lowest.of_open_shells) {
      if (element.row >= 0) add_configuration(element.row);
    }
  }
  const auto candidates = std::min({std::ssize(lowest.of_all), config.minimum, config.maximum});
  for (std::int64_t k = 0; k < candidates && std::ssize(chosen) < config.minimum; ++k)
    add_configuration(lowest.of_all[k].row);
  return {chosen.begin(), chosen.end()};
}

template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config) {
  return choose_model_rows(space, find_lowest_rows(space, RowMap::whole(space.size()), diagonal, config),
                           config);
}

#define INSTANTIATE(W)                                                                           \
  template LowestRows find_lowest_rows(const Space<W>&, const RowMap&, std::span<const double>,  \
                                       const ModelRowsConfig&);                                  \
  template std::vector<std::int64_t> choose_model_rows(const Space<W>&, const LowestRows&,       \
                                                       const ModelRowsConfig&);                  \
  template std::vector<std::int64_t> choose_model_rows(const Space<W>&, std::span<const double>, \
                                                       const ModelRowsConfig&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
