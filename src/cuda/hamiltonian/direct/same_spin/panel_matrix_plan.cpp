// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/panel_matrix_plan.hpp"

#include <algorithm>
#include <span>

#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {
namespace {

/// What reading an excitation takes beside the row that it excites.
constexpr std::int64_t excitation_bytes = 12;

/// Excitations between the rows of a panel.
std::int64_t count_nonzeros(const SameSpinExcitations<HostArray>& excitations, const StringClasses& classes,
                            std::span<const std::int64_t> first_row) {
  std::int64_t count = 0;
  for (std::size_t c = 0; c < first_row.size(); ++c) {
    if (first_row[c] < 0) continue;
    const std::size_t begin = classes.offsets[c];
    const std::size_t end = classes.offsets[c + 1];
    for (std::int64_t g = excitations.groups_of[begin]; g < excitations.groups_of[end]; ++g) {
      const ExcitationGroup& group = excitations.groups[g];
      if (first_row[group.source_class] >= 0) count += group.size;
    }
  }
  return count;
}

std::int64_t whole(std::int64_t n, std::int64_t of) { return (n + of - 1) / of * of; }

}  // namespace

bool PanelMatrixPlan::add(const Side& side, int panel, const SameSpinExcitations<HostArray>& excitations,
                          bool symmetric, std::int64_t most_size) {
  const BlockLayout::Panel& p = side.panel(panel);
  const std::size_t classes = side.major.count();
  const auto first_row =
      std::span(side.layout.first_row).subspan(static_cast<std::size_t>(panel) * classes, classes);
  const std::int64_t nonzeros = count_nonzeros(excitations, side.major, first_row);
  // What is read: excitations and rows of x, or the matrix for every tile of columns.
  const std::int64_t column_tiles = (p.columns + dense_columns - 1) / dense_columns;
  const std::int64_t ld = whole(p.rows, dense_targets);
  if (nonzeros * (excitation_bytes + 8 * p.columns) <= 8 * p.rows * ld * column_tiles) return false;
  auto matrix = std::ranges::find_if(matrices, [&](const Matrix& m) {
    return (symmetric || m.layout == side.number) && std::ranges::equal(m.first_row, first_row);
  });
  if (matrix == matrices.end()) {
    const std::int64_t sources = whole(p.rows, dense_rows);
    if (size_of_all + sources * ld > most_size) return false;
    const std::int64_t own_ld = whole(side.own.rows(panel), dense_targets);
    matrix = matrices.insert(matrix, {.layout = side.number,
                                      .panel = panel,
                                      .rows = static_cast<std::int32_t>(p.rows),
                                      .targets = static_cast<std::int32_t>(side.own.rows(panel)),
                                      .ld = static_cast<std::int32_t>(own_ld),
                                      .first = size,
                                      .first_target = std::ssize(arrays.targets),
                                      .first_row = {first_row.begin(), first_row.end()},
                                      .tiles = {}});
    add_targets(side, panel);
    size += sources * own_ld;
    size_of_all += sources * ld;
  }
  const std::int64_t y = side.own.offset(panel);
  for (std::int64_t first = 0; first < p.columns; first += dense_columns) {
    const auto columns = std::min<std::int64_t>(dense_columns, p.stride - first);
    matrix->tiles.push_back({p.offset + first, y + first, static_cast<std::int32_t>(p.stride),
                             static_cast<std::int32_t>(columns), side.number});
  }
  return true;
}

/// Lists the own strings of the classes of a panel.
void PanelMatrixPlan::add_targets(const Side& side, int panel) {
  std::int32_t row = 0;
  for (int c = 0; c < side.major.count(); ++c) {
    const bool present = side.layout.row(panel, c) >= 0;
    const StringShares::Range own = present ? side.own.range(c) : StringShares::Range{};
    arrays.targets.push_back({row, own.first, own.last});
    row += own.size();
  }
}

void PanelMatrixPlan::finish() {
  for (Matrix& matrix : matrices) {
    if (matrix.targets == 0) continue;
    const auto first_tile = static_cast<std::int32_t>(arrays.tiles.size());
    const auto num_tiles = static_cast<std::int32_t>(matrix.tiles.size());
    for (std::int32_t k = 0; k < num_tiles; k += most_dense_tiles) {
      arrays.groups.push_back({matrix.first, matrix.rows, matrix.targets, matrix.ld, first_tile + k,
                               std::min(most_dense_tiles, num_tiles - k), num_blocks});
      num_blocks += matrix.ld / dense_targets;
    }
    arrays.tiles.insert(arrays.tiles.end(), matrix.tiles.begin(), matrix.tiles.end());
    matrix.tiles = {};
  }
}

}  // namespace cisolve::cuda::direct
