// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/model_rows.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

int num_open_shells(const auto& d) { return (d.alpha ^ d.beta).count(); }

/// Rows of all determinants of the space that differ from `d` by spin flips only.
template <int Words>
std::vector<std::int64_t> spin_flips(const Space<Words>& space, const Determinant<Words>& d, std::int64_t most) {
  const BitString<Words> closed = d.alpha & d.beta;
  const OrbitalList open = OrbitalList::occupied(d.alpha ^ d.beta);
  std::vector<int> is_alpha(static_cast<std::size_t>(open.size), 0);
  std::fill_n(is_alpha.begin(), (d.alpha & ~d.beta).count(), 1);  // the first permutation
  std::vector<std::int64_t> rows;
  do {
    Determinant<Words> flipped{closed, closed};
    for (int k = 0; k < open.size; ++k) {
      (is_alpha[static_cast<std::size_t>(k)] != 0 ? flipped.alpha : flipped.beta).set(open[k]);
    }
    if (const std::int64_t row = space.find(flipped); row >= 0) rows.push_back(row);
  } while (static_cast<std::int64_t>(rows.size()) <= most &&
           std::prev_permutation(is_alpha.begin(), is_alpha.end()));
  return rows;
}

/// Rows of the `count` smallest diagonal elements, ascending by element, then row.
std::vector<std::int64_t> lowest(std::span<const double> diagonal, std::int64_t count) {
  std::vector<std::int64_t> rows(diagonal.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto below = [&](std::int64_t a, std::int64_t b) {
    const double x = diagonal[static_cast<std::size_t>(a)];
    const double y = diagonal[static_cast<std::size_t>(b)];
    return x != y ? x < y : a < b;
  };
  const auto middle = rows.begin() + std::min<std::int64_t>(count, std::ssize(rows));
  std::partial_sort(rows.begin(), middle, rows.end(), below);
  rows.erase(middle, rows.end());
  return rows;
}

/// For each number of open shells, the row of lowest diagonal element (-1: none).
template <int Words>
std::vector<std::int64_t> lowest_by_open_shells(const Space<Words>& space, std::span<const double> diagonal) {
  constexpr std::int64_t chunk = 4096;
  std::vector<std::int64_t> best(static_cast<std::size_t>(space.num_orbitals()) + 1, -1);
  std::vector<Determinant<Words>> determinants;
  for (std::int64_t first = 0; first < space.size(); first += chunk) {
    determinants.resize(static_cast<std::size_t>(std::min(chunk, space.size() - first)));
    space.enumerate(first, determinants);
    for (std::size_t i = 0; i < determinants.size(); ++i) {
      std::int64_t& row = best[static_cast<std::size_t>(num_open_shells(determinants[i]))];
      const std::int64_t here = first + static_cast<std::int64_t>(i);
      if (row < 0 || diagonal[static_cast<std::size_t>(here)] < diagonal[static_cast<std::size_t>(row)]) row = here;
    }
  }
  return best;
}

}  // namespace

template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config) {
  if (std::ssize(diagonal) != space.size()) throw DimensionError("choose_model_rows: one element per row is needed");
  std::set<std::int64_t> chosen;
  const auto add_configuration = [&](std::int64_t row, bool always) {
    if (chosen.contains(row)) return;
    const std::int64_t room = always ? space.size() : config.maximum - std::ssize(chosen);
    const auto rows = spin_flips(space, space.determinant(row), room);
    if (std::ssize(rows) <= room) chosen.insert(rows.begin(), rows.end());
  };

  const auto candidates = lowest(diagonal, config.minimum);
  if (!candidates.empty()) add_configuration(candidates.front(), true);
  for (std::int64_t row = 0; row < std::min(space.num_references(), config.maximum); ++row) {
    add_configuration(row, true);
  }
  if (config.cover_all_spins) {
    for (const std::int64_t row : lowest_by_open_shells(space, diagonal)) {
      if (row >= 0) add_configuration(row, false);
    }
  }
  for (const std::int64_t row : candidates) {
    if (std::ssize(chosen) >= config.minimum) break;
    add_configuration(row, false);
  }
  return {chosen.begin(), chosen.end()};
}

template std::vector<std::int64_t> choose_model_rows(const Space<1>&, std::span<const double>,
                                                     const ModelRowsConfig&);
template std::vector<std::int64_t> choose_model_rows(const Space<2>&, std::span<const double>,
                                                     const ModelRowsConfig&);

}  // namespace cisolve
