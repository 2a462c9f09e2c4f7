// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/model_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"
#include "cisolve/space/excitations.hpp"

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

/// For each number of open shells, the row of lowest diagonal element (-1: none).
template <int Words>
std::vector<std::int64_t> lowest_by_open_shells(const Space<Words>& space, std::span<const double> diagonal) {
  constexpr std::int64_t chunk = 4096;
  const std::int64_t num_chunks = (space.size() + chunk - 1) / chunk;
  std::vector<std::int64_t> best(space.num_orbitals() + 1, -1);
  const auto consider = [&](std::int64_t& row, std::int64_t here) {
    if (here < 0) return;
    const auto key = [&](std::int64_t k) { return std::pair(diagonal[k], k); };
    if (row < 0 || key(here) < key(row)) row = here;
  };
#pragma omp parallel
  {
    std::vector<std::int64_t> own(best.size(), -1);
    std::vector<Determinant<Words>> determinants;
#pragma omp for schedule(static)
    for (std::int64_t c = 0; c < num_chunks; ++c) {
      const std::int64_t first = c * chunk;
      determinants.resize(std::min(chunk, space.size() - first));
      space.enumerate(first, determinants);
      for (std::size_t i = 0; i < determinants.size(); ++i) {
        consider(own[num_open_shells(determinants[i])], first + static_cast<std::int64_t>(i));
      }
    }
#pragma omp critical
    for (std::size_t open = 0; open < best.size(); ++open) consider(best[open], own[open]);
  }
  return best;
}

}  // namespace

template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config) {
  if (std::ssize(diagonal) != space.size())
    throw DimensionError("choose_model_rows: one element per row is needed");
  std::set<std::int64_t> chosen;
  const auto add_configuration = [&](std::int64_t row) {
    if (chosen.contains(row)) return;
    const std::int64_t room = config.maximum - std::ssize(chosen);
    const auto rows = spin_flips(space, space.determinant(row), room);
    if (std::ssize(rows) <= room) chosen.insert(rows.begin(), rows.end());
  };

  const auto candidates = lowest_elements(diagonal, std::min(config.minimum, config.maximum));
  if (candidates.empty()) return {};
  add_configuration(candidates.front());
  if (chosen.empty()) {
    std::vector<std::int64_t> rows = lowest_elements(diagonal, config.may_cut ? config.maximum : 0);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  const std::size_t num_references = space.num_references();
  for (const std::int64_t row : lowest_elements(diagonal.first(num_references), config.maximum))
    add_configuration(row);
  if (config.cover_all_spins) {
    for (const std::int64_t row : lowest_by_open_shells(space, diagonal)) {
      if (row >= 0) add_configuration(row);
    }
  }
  for (const std::int64_t row : candidates) {
    if (std::ssize(chosen) >= config.minimum) break;
    add_configuration(row);
  }
  return {chosen.begin(), chosen.end()};
}

#define INSTANTIATE(W)                                                                           \
  template std::vector<std::int64_t> choose_model_rows(const Space<W>&, std::span<const double>, \
                                                       const ModelRowsConfig&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
